// Tests a WebSocket connection that fails while the window is almost full, against the simulator. The history is
// compacted before the step is sent again. This compaction has its own trigger. There is no such compaction if only the
// user is allowed to compact, if there is room, or over HTTP.

import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { createOpenAIProvider, openaiResponsesEncoder } from '@tidemark/provider-openai';
import type { Fault, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { goLive } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import { verifySession } from '../audit/rebuild.ts';
import type { FinishedTurn } from '../ports/live-session.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Notice } from '../ports/session-event.ts';
import { THIS_MACHINE } from '../concurrency.ts';

/** Returns the row of GPT-5.6 with a window of 40,000 input tokens. */
function row(): Capabilities {
  const found = findModel(defaultCatalog(), 'gpt-5.6-sol', 'openai') ?? expect.unreachable();
  const { window } = found;
  return { ...found, inputLimit: 40_000, outputLimit: 1_000, window: { ...window, tokens: 41_000 } };
}

const look = made('look', () => ({ text: 'seen '.repeat(1_500) }));

interface Died extends Live {
  readonly simulator: Simulator;
  readonly notices: readonly Notice[];
  readonly finished: FinishedTurn;
}

/** Text that is sent to the session by `steer` during the answer that fails. */
const STEERED = 'Mind the gap. ';

interface Death {
  readonly fault: Fault;
  readonly runtime?: Partial<Runtime>;
  /** Number of repetitions of `STEERED`. */
  readonly steered?: number;
  readonly transport?: 'auto' | 'websocket';
  /** HTTP status with which the server refuses the change to a WebSocket. */
  readonly upgrade?: number | undefined;
}

/**
 * Plays a turn that calls `look` 16 times. During the next answer, the test sends the session more text than the window
 * can contain. The connection then ends.
 */
async function die({ fault, runtime = {}, steered = 2_400, transport = 'auto', upgrade }: Death): Promise<Died> {
  let step = 0;
  const simulator = createSimulator({
    capabilities: row,
    onRequest: () => {
      step += 1;
      if (step <= 16) return { answer: { thinking: `Look ${step}.`, calls: [{ name: 'look', arguments: { step } }] } };
      if (step > 17) return { answer: { text: 'Done.' } };
      void played.live.steer(STEERED.repeat(steered));
      return { answer: { text: 'Not to be heard to its end, as the connection ends before it. '.repeat(20) }, fault };
    },
  });
  if (upgrade !== undefined) simulator.fail({ kind: 'upgrade-refused', status: upgrade });
  const door = await simulator.listen();
  const provider = createOpenAIProvider({ apiKey: 'k', api: 'responses', baseURL: `${door.url}/v1`, transport });
  const retry = { attempts: 3, initialDelayMs: 1, maxDelayMs: 1 };
  const whole = { capabilities: row(), tools: [look], surroundings: THIS_MACHINE, retry, ...runtime };
  const played = await goLive({ provider, runtime: whole });
  onTestFinished(async () => {
    await played.live.close();
    await provider.close?.();
    await door.close();
  });
  const notices: Notice[] = [];
  void (async () => {
    for await (const event of played.live.events()) if (event.type === 'notice.raised') notices.push(event.notice);
  })();
  const finished = await played.live.prompt('Look at everything.');
  return { ...played, simulator, notices, finished };
}

async function triggersOf({ records }: Died): Promise<readonly string[]> {
  return (await records()).flatMap(({ kind, data }) =>
    kind === 'history.compacted' || kind === 'compaction.refused' ? [`${kind} ${data.trigger}`] : [],
  );
}

const done = { outcome: 'completed', text: 'Done.' };
const CUT: Fault = { kind: 'cut', afterEvents: 3 };

describe('a WebSocket connection that fails', () => {
  it.each(['auto', 'websocket'] as const)(
    'while the gauge is critical causes a compaction, with transport %s',
    async (transport) => {
      const died = await die({ fault: CUT, transport });
      expect(died.finished).toMatchObject(done);
      expect(await triggersOf(died)).toEqual(['history.compacted websocket_critical_recovery']);
      expect(died.notices.filter(({ tier }) => tier === 'recovery')).toMatchObject([
        {
          code: 'context/compacted',
          message: expect.stringMatching(
            /^websocket_critical_recovery: .* from about \d+ to \d+ tokens, which frees \d+$/,
          ),
        },
      ]);
      const ways = (await died.records()).flatMap((one) =>
        one.kind === 'answer.received' ? [one.data.transport] : [],
      );
      expect(ways.at(-2)).toEqual({ kind: 'websocket', continuation: true });
      expect(ways.at(-1)).toMatchObject({ kind: 'websocket', continuation: false });
      const statuses = died.simulator.calls.map(({ status }) => status);
      expect([statuses.length, new Set(statuses)]).toEqual([18, new Set([200])]);
      const encoders = (): typeof openaiResponsesEncoder => openaiResponsesEncoder;
      const { differences, breaks } = await verifySession(died.log, ID, { encoders, full: true });
      expect([differences, breaks.filter(({ cause }) => cause === undefined)]).toEqual([[], []]);
    },
  );

  it('causes no compaction if only the user may compact', async () => {
    const died = await die({ fault: CUT, runtime: { compaction: 'manual' } });
    expect([await triggersOf(died), died.notices.filter(({ tier }) => tier === 'recovery')]).toEqual([[], []]);
    expect((await died.records()).filter(({ kind }) => kind === 'epoch.opened')).toHaveLength(1);
  });

  it('causes no compaction while there is room', async () => {
    const died = await die({ fault: CUT, steered: 10 });
    expect(died.finished).toMatchObject(done);
    expect(await triggersOf(died)).toEqual([]);
  });

  it('differs from an HTTP connection that fails: after HTTP the next attempt is compacted because its request is almost full', async () => {
    const died = await die({ fault: CUT, upgrade: 426 });
    expect(died.finished).toMatchObject(done);
    expect(await triggersOf(died)).toEqual(['history.compacted critical_pressure_preflight']);
  });

  it('differs from an overload: after an overload the next attempt is compacted because its request is almost full', async () => {
    const died = await die({ fault: { kind: 'overloaded' } });
    expect(died.finished).toMatchObject(done);
    expect(await triggersOf(died)).toEqual(['history.compacted critical_pressure_preflight']);
  });
});
