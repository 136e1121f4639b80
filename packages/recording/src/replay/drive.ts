// A recorded session driven again: each of its facts goes into a new log, and each billed call through fold, front, plan,
// encoding and the simulator's cache accounting, at the time it was recorded.

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

/** Where a drive pauses: before a call, with its time in milliseconds; or where a fork leaves, with what the fork takes over. */
export type DrivePause = { readonly callAt: number } | { readonly leaves: Position; readonly memory: Memory };

/** Drives one session into `options.session`, which holds nothing of its own yet. Ends when the records do. */
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

/** What an open session would have sent in the time before this record. */
async function* warmUntil(driving: Driving, until: number): AsyncGenerator<DrivePause, void> {
  for (let plan = dueBefore(driving, until); plan !== undefined; plan = dueBefore(driving, until)) {
    yield { callAt: plan.at };
    await driveWarm(driving, plan);
  }
}

async function follow(driving: Driving, record: Recorded): Promise<void> {
  const { options, lengths, trunk, begun } = driving;
  if (record.kind === 'epoch.opened') driving.reasoning = reasoningOf(record.data.parameters);
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

// Keeps a pause of the recording warm as an open session would: the same plan, sent to the simulator when it would have been
// due. Its cost is billed; what it saves shows in the calls after it.

/** Whether the pauses of a recording are kept warm: by reads alone, or by promotions too, as if they had been verified. */
export type ReplayWarm = 'off' | 'refresh' | 'promotion';

/** Of what the session has cost, as in a session that is open. */
const SHARE = 0.1;

const WORDS = [{ type: 'text', text: 'Nothing to answer yet.' }] as const;

/** What an open session would send next, before this time (milliseconds); nothing while a turn runs. */
function dueBefore({ options, promptStreams, clock }: Driving, until: number): WarmPlan | undefined {
  const { session, warm } = options;
  const promptStream = promptStreams.main;
  if (!warm || promptStream === undefined || session.state.turn !== undefined) return undefined;
  const plan = planWarmth(session, { at: asTime(clock), warm: { share: SHARE }, promptStream });
  return plan.by === 'nothing' || plan.at >= until ? undefined : plan;
}

/** Sends it. */
async function driveWarm(driving: Driving, plan: WarmPlan): Promise<void> {
  const { options, called } = driving;
  const { session, provider } = options;
  if (called === undefined) return;
  driving.clock = Math.max(plan.at, provider.told);
  provider.told = driving.clock;
  const at = asTime(driving.clock);
  const prepared = await prepareRequest(session, driving.promptStreams, warming(driving, called, plan, at));
  const served = await provider.serve(prepared, at, undefined);
  if ('refused' in served) throw new Error(`the simulator refused what keeps a pause warm: ${served.refused}`);
  const usage = { ...served.usage, answer: 0 };
  await recordAnswer(session, prepared, { parts: [], stop: 'length', truncated: 'no', usage }, at);
  options.onWarm({ prepared, usage });
}

/** As the call before, beside the conversation. */
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
    // The recording tells how long the answer was; what it will count as input shows with the next call.
    resize: sizes.resize(input === 0 ? 0 : input + answer + (strips ? 0 : reasoning), strips),
    beside: { stream: `side/warm-${state.length}`, extra: WORDS, history: 'main', keeps: plan.by },
  };
}
