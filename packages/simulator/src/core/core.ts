// Memory that a simulator keeps between calls on all wires, and the steps that find the answer to the next call.

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

/** Memory that all wires share. */
export interface Core {
  readonly settings: SimulatorSettings;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly play: Play | undefined;
  /** Plans for calls that have not arrived yet. The next plan is first. */
  readonly plans: TimedAnswerPlan[];
  readonly faults: Fault[];
}

/** Creates an empty memory. */
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

// Sources of an answer, in order of precedence: the plan of the call itself, the queue, the hook, the scenario.

/**
 * Merges the plan of the call with the next queued plan. The plan of the call takes precedence. Takes one plan from the
 * queue, and one queued fault if neither plan has a fault.
 */
export function planCall(core: Core, call: TimedAnswerPlan): TimedAnswerPlan {
  const plan = { ...core.plans.shift(), ...present(call) };
  const fault = plan.fault ?? core.faults.shift();
  return { ...plan, ...present({ fault }) };
}

/** Adds the plan that the hook returns. Values that are already in the plan take precedence. */
export function askHook(core: Core, sent: () => ReceivedRequest, plan: AnswerPlan): AnswerPlan {
  const hook = core.settings.onRequest;
  return hook === undefined ? plan : { ...hook(sent()), ...plan };
}

/** Reason why no step of the scenario fits a request. */
export interface Mismatch {
  readonly mismatch: string;
}

/** Adds the next step of the scenario if the plan has no answer. Returns a mismatch if no step fits. */
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

/** Removes absent fields, so that they do not overwrite fields of a plan with lower precedence. */
function present(plan: { readonly [Key in keyof TimedAnswerPlan]: TimedAnswerPlan[Key] | undefined }): TimedAnswerPlan {
  const { answer, sizes, fault, at } = plan;
  return defined({ answer, sizes, fault, at });
}
