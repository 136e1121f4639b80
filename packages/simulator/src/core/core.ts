// What a simulator remembers between calls, whatever wire they use, and how the next call is answered.

import { defined } from '@tidemark/core';
import { createClock } from './clock.ts';
import type { Clock } from './clock.ts';
import type { Fault } from './faults.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import type { TimedAnswerPlan, SimulatorSettings, AnswerPlan } from './options.ts';
import { playScenario, checkpointQuestion, NO_CHECKPOINT } from './scenario.ts';
import type { Play, ReceivedRequest } from './scenario.ts';
import { hash } from 'node:crypto';

/** The memory that all wires share. */
export interface Core {
  readonly settings: SimulatorSettings;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly play: Play | undefined;
  /** For calls that have not come yet, first in front. */
  readonly plans: TimedAnswerPlan[];
  readonly faults: Fault[];
}

/** A memory of no call. */
export function createCore(settings: SimulatorSettings): Core {
  return {
    settings,
    clock: createClock(settings.clock),
    ledger: createLedger(settings.ledgerCalls),
    play: settings.scenario === undefined ? undefined : playScenario(settings.scenario),
    plans: [],
    faults: [],
  };
}

// How a call is answered: by the plan of the call itself, then by the queue, the hook and the scenario, in this order.

/** What the call brings, and behind it what was queued for it. Takes one plan and, where it has none, one fault. */
export function planCall(core: Core, call: TimedAnswerPlan): TimedAnswerPlan {
  const plan = { ...core.plans.shift(), ...present(call) };
  const fault = plan.fault ?? core.faults.shift();
  return { ...plan, ...present({ fault }) };
}

/** The plan with what the hook says behind it. */
export function askHook(core: Core, sent: () => ReceivedRequest, plan: AnswerPlan): AnswerPlan {
  const hook = core.settings.onRequest;
  return hook === undefined ? plan : { ...hook(sent()), ...plan };
}

/** Why no step of the scenario fits a request. */
export interface Mismatch {
  readonly mismatch: string;
}

/** The plan with the scenario's next step behind it, where nobody gave an answer; or why no step fits. */
export function playStep(
  core: Core,
  sent: () => ReceivedRequest,
  body: Uint8Array,
  plan: AnswerPlan,
): AnswerPlan | Mismatch {
  if (plan.answer !== undefined) return plan;
  if (core.play === undefined)
    return checkpointQuestion(sent()) === undefined ? plan : { mismatch: `simulator: ${NO_CHECKPOINT}` };
  const step = core.play.take(sent(), hash('sha256', body, 'hex'));
  if ('mismatch' in step) return { mismatch: `simulator: ${step.mismatch}` };
  return { ...plan, ...present({ answer: step.answer, fault: plan.fault ?? step.fault }) };
}

/** Only what is there, so that an absent part hides none behind it. */
function present(plan: { readonly [Key in keyof TimedAnswerPlan]: TimedAnswerPlan[Key] | undefined }): TimedAnswerPlan {
  const { answer, sizes, fault, at } = plan;
  return defined({ answer, sizes, fault, at });
}
