// Replays a recorded session. Each fact goes into a new log. For each billed call, the request is folded, planned and
// encoded as in the runtime, and the cache accounting of the simulator counts it at the recorded time.

import { commit, planWarmth, prepareRequest, recordAnswer } from '@tidemark/agent';
import type { Position, Recorded, Timestamp } from '@tidemark/log';
import { carryEvent, carryBytes } from './carry.ts';
import { driveCall } from './drive-call.ts';
import type { DriveOptions, Driving, Memory } from './driving.ts';
import { beginDriving, later, memoryOf, asTime } from './driving.ts';
import { recordedCall } from './recorded-call.ts';
import type { CallOptions } from '@tidemark/agent';
import type { WarmPlan } from '@tidemark/context';
import { KEEP_WARM } from '@tidemark/context';

/**
 * Point at which `drive` pauses: before each call (`callAt`, in milliseconds since the epoch), and at each recorded
 * position at which a fork starts (`leaves`, with the memory that the fork takes over).
 */
export type DrivePause = { readonly callAt: number } | { readonly leaves: Position; readonly memory: Memory };

/**
 * Replays one session into `options.session`, which must not contain its own records yet. The generator yields at each
 * pause and ends after the last record. A fork passes the memory of its parent as `inherited`.
 */
export async function* drive(options: DriveOptions, inherited?: Memory): AsyncGenerator<DrivePause, void> {
  const driving = beginDriving(options, inherited);
  for await (const record of options.records) {
    const call = recordedCall(record);
    yield* warmUntil(driving, later(driving, call?.startedAt ?? record.at));
    if (call === undefined) {
      await follow(driving, record);
    } else {
      yield { callAt: later(driving, call.startedAt) };
      await driveCall(driving, call);
    }
    driving.lengths[record.position] = options.session.state.length;
    if (!options.forksAt.has(record.position)) continue;
    await options.session.writer.sync();
    yield { leaves: record.position, memory: memoryOf(driving) };
  }
  await options.session.writer.sync();
}

/**
 * Sends the keep-warm calls that a running session would have sent before the time `until`. Pauses before each call.
 * Their cost is billed. Their savings appear in the later calls.
 */
async function* warmUntil(driving: Driving, until: number): AsyncGenerator<DrivePause, void> {
  for (let plan = dueBefore(driving, until); plan !== undefined; plan = dueBefore(driving, until)) {
    yield { callAt: plan.at };
    await driveWarm(driving, plan);
  }
}

async function follow(driving: Driving, record: Recorded): Promise<void> {
  const { options, lengths, trunk, begun } = driving;
  const isKept = options.settings === 'first' && driving.model !== undefined;
  if (record.kind === 'epoch.opened' && !isKept) driving.reasoning = reasoningOf(record.data.parameters);
  const event = carryEvent(record, { ...options, lengths, trunk, begun });
  if (event === undefined) return;
  await carryBytes(event, options.bytes, options.session.log.artifacts);
  await commit(options.session, [event]);
  driving.begun = true;
}

function reasoningOf(parameters: { readonly [name: string]: unknown }): string | undefined {
  const setting = parameters['reasoning'];
  return typeof setting === 'string' ? setting : undefined;
}

/**
 * Keep-warm mode for pauses of a recording. With `off`, no keep-warm calls are sent. With `refresh`, calls only read an
 * entry to restart its lifetime. With `promotion`, calls may also write an entry with a longer lifetime, as if the
 * provider's promotion rule had been verified.
 */
export type ReplayWarm = 'off' | 'refresh' | 'promotion';

/** Share of the session's cost that keep-warm calls may use. The value is the same as in a running session. */
const SHARE = 0.1;

const WORDS = [{ type: 'text', text: 'Nothing to answer yet.' }] as const;

/**
 * Returns the keep-warm call that is due before the time `until` (in milliseconds), or `undefined`. The same plan as in
 * a running session decides. No call is due while a turn runs.
 */
function dueBefore({ options, promptStreams, clock }: Driving, until: number): WarmPlan | undefined {
  const { session, warm } = options;
  const promptStream = promptStreams.main;
  if (!warm || promptStream === undefined || session.state.turn !== undefined) return undefined;
  const plan = planWarmth(session, { at: asTime(clock), warm: { share: SHARE }, promptStream });
  return plan.by === 'nothing' || plan.at >= until ? undefined : plan;
}

async function driveWarm(driving: Driving, plan: WarmPlan): Promise<void> {
  const { options, called } = driving;
  const { session, provider } = options;
  if (called === undefined) return;
  driving.clock = Math.max(plan.at, provider.told);
  provider.told = driving.clock;
  const at = asTime(driving.clock);
  const prepared = await prepareRequest(session, driving.promptStreams, warming(driving, called, plan, at));
  const served = await provider.serve(prepared, at, undefined);
  if ('refused' in served)
    throw new Error(`the simulator refused the request that keeps the cache warm: ${served.refused}`);
  const usage = { ...served.usage, answer: 0 };
  await recordAnswer(session, prepared, { parts: [], stop: 'length', truncated: 'no', usage }, at);
  options.onWarm({ prepared, usage });
}

/** Returns the options of a keep-warm call: the options of the last call, but on a side stream. */
function warming({ options, sizes }: Driving, called: CallOptions, plan: WarmPlan, at: Timestamp): CallOptions {
  const { state, progress } = options.session;
  const { answer = 0, reasoning = 0 } = progress.lastRequest?.answer?.usage ?? {};
  const strips = called.capabilities.thinkingStripped === 'at-new-turn';
  const input = state.streams['main']?.accepted?.input ?? 0;
  return {
    ...called,
    at,
    purpose: KEEP_WARM,
    outputLimit: plan.output,
    // Only the next call shows how many input tokens the last answer counts as. Until then its recorded output tokens
    // are used.
    resize: sizes.resize(input === 0 ? 0 : input + answer + (strips ? 0 : reasoning), strips),
    beside: { stream: `side/warm-${state.length}`, extra: WORDS, history: 'main', keeps: plan.by },
  };
}
