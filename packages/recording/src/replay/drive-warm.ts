// A pause of the recording, kept warm as a session that was open would have: the same plan, sent to the simulator when it
// would have been due. What that costs is billed; what it saves shows in the calls behind it.

import { planWarmth, prepareRequest, recordAnswer } from '@tidemark/agent';
import type { CallOptions } from '@tidemark/agent';
import type { WarmPlan } from '@tidemark/context';
import { KEEP_WARM } from '@tidemark/context';
import type { Timestamp } from '@tidemark/log';
import type { Driving } from './driving.ts';
import { asTime } from './driving.ts';

/** Whether the pauses of a recording are kept warm: by reads alone, or by promotions too, as if they had been verified. */
export type ReplayWarm = 'off' | 'refresh' | 'promotion';

/** Of what the session has cost, as in a session that is open. */
const SHARE = 0.1;

const WORDS = [{ type: 'text', text: 'Nothing to answer yet.' }] as const;

/** What an open session would send next, before this time (milliseconds); nothing while a turn runs. */
export function dueBefore({ options, lines, clock }: Driving, until: number): WarmPlan | undefined {
  const { session, warm } = options;
  const line = lines.main;
  if (!warm || line === undefined || session.state.turn !== undefined) return undefined;
  const plan = planWarmth(session, { at: asTime(clock), warm: { share: SHARE }, line });
  return plan.by === 'nothing' || plan.at >= until ? undefined : plan;
}

/** Sends it. */
export async function driveWarm(driving: Driving, plan: WarmPlan): Promise<void> {
  const { options, called } = driving;
  const { session, provider } = options;
  if (called === undefined) return;
  driving.clock = Math.max(plan.at, provider.told);
  provider.told = driving.clock;
  const at = asTime(driving.clock);
  const prepared = await prepareRequest(session, driving.lines, warming(driving, called, plan, at));
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
