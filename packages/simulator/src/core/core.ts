// State that a simulator keeps between calls to all its APIs, and the steps that find the answer to the next call.

import { defined } from '@tidemark/core';
import { createClock } from './clock.ts';
import type { Clock } from './clock.ts';
import type { Fault } from './faults.ts';
import { createIds } from './ids.ts';
import type { Ids } from './ids.ts';
import { createLedger } from './ledger.ts';
import type { CallTrace, Ledger } from './ledger.ts';
import type { TimedAnswerPlan, SimulatorSettings, AnswerPlan } from './options.ts';
import { playSteps, checkpointQuestion, NO_CHECKPOINT } from './scenario.ts';
import type { ArrivalFacts, ReceivedRequest } from './received.ts';
import type { Play, Scenario } from './scenario.ts';
import { playRoutes } from './routes.ts';
import { createTally } from './tally.ts';
import type { RunTally } from './tally.ts';

/** State that the APIs of all providers share: settings, clock, ids, ledger, scenario, and queued plans and faults. */
export interface Core {
  readonly settings: SimulatorSettings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Ledger;
  /** Sums over all calls since the start or the last reset. */
  readonly tally: RunTally;
  readonly play: Play | undefined;
  /** Plans for calls that have not arrived yet. The first plan belongs to the next call. */
  readonly plans: TimedAnswerPlan[];
  readonly faults: Fault[];
}

/** Creates the state of a simulator that has received no call. */
export function createCore(settings: SimulatorSettings): Core {
  const tally = createTally(settings);
  return {
    settings,
    tally,
    clock: createClock(settings.clock),
    ids: createIds(settings.idSeed),
    ledger: createLedger(settings.ledgerCalls, [
      tally.add,
      ...(settings.onCall === undefined ? [] : [settings.onCall]),
    ]),
    play: settings.scenario === undefined ? undefined : startScenario(settings.scenario),
    plans: [],
    faults: [],
  };
}

function startScenario(scenario: Scenario): Play {
  return 'routes' in scenario ? playRoutes(scenario) : playSteps(scenario);
}

// Finds the answer to a call. The sources, in order of precedence, are the plan of the call itself, the queue of plans,
// the hook `onRequest` and the scenario.

/**
 * Removes the next plan from the queue and merges it with the plan of a call. Values of the call's own plan take
 * precedence. If neither plan has a fault, the next queued fault is removed and added.
 */
export function planCall(core: Core, call: TimedAnswerPlan): TimedAnswerPlan {
  const plan = { ...core.plans.shift(), ...present(call) };
  const fault = plan.fault ?? core.faults.shift();
  return { ...plan, ...present({ fault }) };
}

/** Adds the plan that the hook `onRequest` returns. Values that are already in `plan` take precedence. */
export function askHook(core: Core, sent: () => ReceivedRequest, plan: AnswerPlan): AnswerPlan {
  const hook = core.settings.onRequest;
  return hook === undefined ? plan : { ...hook(sent()), ...plan };
}

/** Reason why the scenario has no answer to a request. */
export interface Mismatch {
  readonly mismatch: string;
}

/**
 * Adds the answer and the fault of the scenario's next step, if the plan has no answer yet. Returns a mismatch if this
 * step does not fit the request. Without a scenario, returns a mismatch if the request asks for a checkpoint. Records
 * the place of the step in `trace`.
 */
export function playStep(
  core: Core,
  sent: () => ReceivedRequest,
  facts: ArrivalFacts,
  plan: AnswerPlan,
  trace: CallTrace,
): AnswerPlan | Mismatch {
  if (plan.answer !== undefined) return plan;
  if (core.play === undefined)
    return checkpointQuestion(sent()) === undefined ? plan : mismatched(NO_CHECKPOINT, trace);
  const step = core.play.take(sent(), facts);
  if (step.route !== undefined) trace.route = step.route;
  if ('mismatch' in step) return mismatched(step.mismatch, trace);
  if (step.step !== undefined) trace.step = step.step;
  return { ...plan, ...present({ answer: step.answer, fault: plan.fault ?? step.fault }) };
}

function mismatched(reason: string, trace: CallTrace): Mismatch {
  trace.cause = 'unmatched';
  return { mismatch: `simulator: ${reason}` };
}

/** Records in `trace` that a fault caused a refusal, if there is a refusal. Returns the refusal. */
export function causedByFault<Refusal>(refusal: Refusal | undefined, trace: CallTrace): Refusal | undefined {
  if (refusal !== undefined) trace.cause = 'fault';
  return refusal;
}

/** Removes absent fields from a plan. Otherwise they would overwrite fields of a plan with lower precedence. */
function present(plan: { readonly [Key in keyof TimedAnswerPlan]: TimedAnswerPlan[Key] | undefined }): TimedAnswerPlan {
  const { answer, sizes, fault, at } = plan;
  return defined({ answer, sizes, fault, at });
}
