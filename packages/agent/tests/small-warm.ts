// Test helper: a live session against a simulator in the same process. Both use one clock, which the test moves. It is
// for tests of the time between turns.

import type { Capabilities, Provider } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { anthropicEncoder, decodeMessage } from '@tidemark/provider-anthropic';
import type { LedgerCall, Simulator, SimulatorOptions } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { Runtime } from '../src/ports/runtime.ts';
import type { SessionEvent } from '../src/ports/session-event.ts';
import type { Surroundings } from '../src/ports/surroundings.ts';
import type { Live } from './small-live.ts';
import { goLive } from './small-live.ts';
import { row } from './small-session.ts';
import { testClock } from './small-work.ts';
import { ticks } from './ticks.ts';

/** A session and a simulator with a common clock. */
export interface Warmed extends Live {
  readonly simulator: Simulator;
  readonly provider: Simulated;
  readonly told: readonly SessionEvent[];
  /** Lets minutes pass in steps of one second, so that everything happens at the correct time. */
  readonly later: (minutes: number) => Promise<void>;
  /** Returns the calls that the simulator received, with the usage that it billed. */
  readonly billed: () => readonly LedgerCall[];
}

/** A provider connected to the simulator, with the request bodies that it received. */
export interface Simulated extends Provider {
  readonly bodies: string[];
  /** Error that the next call throws instead of an answer. */
  fault: ProviderError | undefined;
  /** Promise that the next call waits for before its answer. */
  held: Promise<void> | undefined;
  /** True if an answer begins one second after its request. */
  slow: boolean;
}

export interface WarmSetting {
  readonly runtime?: Partial<Runtime>;
  readonly simulator?: SimulatorOptions;
  readonly model?: string;
  readonly change?: Partial<Capabilities>;
}

/** Opens a session that keeps its cache warm between turns. The default model is `claude-opus-5-5`. */
export async function goWarm(setting: WarmSetting = {}): Promise<Warmed> {
  const clock = testClock();
  const capabilities: Capabilities = { ...row(setting.model ?? 'claude-opus-5-5'), ...setting.change };
  const simulator = createSimulator({ clock: 'virtual', capabilities: () => capabilities, ...setting.simulator });
  const provider = simulated(simulator, clock.surroundings);
  const runtime = {
    capabilities,
    warm: { share: 0.1 },
    ttl: 'auto',
    surroundings: clock.surroundings,
    ...setting.runtime,
  } as const;
  const live = await goLive({ provider, runtime });
  const told: SessionEvent[] = [];
  void (async () => {
    for await (const event of live.live.events()) told.push(event);
  })();
  return {
    ...live,
    simulator,
    provider,
    told,
    pass: clock.pass,
    billed: () => simulator.calls,
    async later(minutes) {
      for (let second = 0; second < minutes * 60; second += 1) {
        clock.pass(1_000);
        await ticks();
      }
    },
  };
}

function simulated(simulator: Simulator, { now, wait }: Surroundings): Simulated {
  const provider: Simulated = {
    name: 'anthropic',
    encoder: anthropicEncoder,
    bodies: [],
    fault: undefined,
    held: undefined,
    slow: false,
    async *send({ body, betas }) {
      const { fault, held } = provider;
      provider.fault = undefined;
      provider.held = undefined;
      if (fault !== undefined) throw fault;
      provider.bodies.push(new TextDecoder().decode(body));
      const said = simulator.messages({ body, betas, at: Date.parse(now()) });
      if (said.outcome === 'refused')
        throw new ProviderError('refused', 'provider/invalid', said.message, { provider: 'anthropic' });
      const answer = decodeMessage(JSON.stringify(said.message));
      if (provider.slow) await wait(1_000);
      yield { type: 'began', usage: answer.usage };
      await held;
      yield { type: 'finished', answer };
    },
  };
  return provider;
}
