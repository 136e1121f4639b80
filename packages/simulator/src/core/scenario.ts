// Scenario: a list of answers, each with conditions on the request. If a request does not meet the conditions of the
// next step, it is refused. So a test detects a wrong tool result. A scenario can have routes instead of one list (see
// `routes.ts`).

import { defined } from '@tidemark/core';
import type { PlannedAnswer } from './answer.ts';
import type { Fault } from './faults.ts';
import type { ArrivalFacts, ReceivedRequest } from './received.ts';
import type { RouteMatch } from './route-match.ts';

/** Conditions on the request. The request must meet every condition that is present. */
export interface Expectation {
  /** Text that the last user text must contain. */
  readonly lastUserText?: string;
  /** Text that one of the tool results after the last answer must contain. */
  readonly toolResult?: string;
  /**
   * Custom check. Returns the problem, or `undefined` if the request is accepted. Not available in scenarios from a
   * file.
   */
  readonly check?: (sent: ReceivedRequest) => string | undefined;
}

/**
 * One step of a scenario. If its fault refuses the request, the step is still used up. If a retry has the same bytes,
 * it gets the answer of this step, if the step has one. Any other retry gets the next step.
 */
export interface ScenarioStep {
  readonly expect?: Expectation;
  readonly answer?: PlannedAnswer;
  readonly fault?: Fault;
}

/** Parts that both forms of a scenario have. */
interface ScenarioDefaults {
  /** Answer to each call for which the scenario has no step. Without `otherwise`, such a call is refused. */
  readonly otherwise?: PlannedAnswer;
  /**
   * Answer to a request for a checkpoint, if the scenario does not expect this request. The scenario expects it if the
   * `lastUserText` of the next step or the `prompt` of its route names it. Without `checkpoint`, the request is
   * refused. The answer does not use up a step.
   */
  readonly checkpoint?: PlannedAnswer;
}

/**
 * Scripted answers in order. After the last step, each call gets `otherwise`. Without `otherwise`, the call is refused.
 *
 * A client that was cut off or killed sends its request again. If a request has the same bytes as the request of the
 * last used step, it gets the answer of that step again, without the fault.
 */
export interface StepScenario extends ScenarioDefaults {
  readonly steps: readonly ScenarioStep[];
}

/** Conditions on a call, and steps. The steps answer the calls that meet all conditions. */
export interface ScenarioRoute {
  /** Name of the route in the log, in refusals and in reports. Default: `route <number>`, counted from 1. */
  readonly name?: string;
  /** Conditions. Default: none, so that every call matches. */
  readonly match?: RouteMatch;
  /** Answers in order. They follow the rules of the steps of a `StepScenario`. */
  readonly steps: readonly ScenarioStep[];
  /** If true, the first step follows the last step again. Default: false. */
  readonly repeat?: boolean;
}

/**
 * Routes, each with its own steps. The first route that matches a call answers it. If the steps of this route are used
 * up, the call gets `otherwise`. If no route matches, the call gets `otherwise` too. Without `otherwise`, these calls
 * are refused with a 400.
 */
export interface RouteScenario extends ScenarioDefaults {
  readonly routes: readonly ScenarioRoute[];
}

/** Script of the answers: one list of steps, or routes. */
export type Scenario = StepScenario | RouteScenario;

/** Place of a step in a scenario. */
export interface StepPlace {
  /** Name of the route. Absent in a scenario without routes. */
  readonly route?: string;
  /** Number of the step in its route or scenario, counted from 1. */
  readonly step?: number;
}

/** Answer and fault that a scenario has for a call, with the place of the step. The answer `otherwise` has no place. */
export interface PlayedStep extends Pick<ScenarioStep, 'answer' | 'fault'>, StepPlace {}

/** Reason why a scenario has no answer for a call. `route` is the route that matched, if any. */
export interface Unplayed {
  readonly mismatch: string;
  readonly route?: string;
}

/** Scenario in progress. Its steps are used in order. */
export interface Play {
  /**
   * Returns the step that answers this request, or the reason why no step does. If a step does not match, it is not
   * used up.
   */
  take(sent: ReceivedRequest, facts: ArrivalFacts): PlayedStep | Unplayed;
  /** Steps that were never used, in the order of the scenario. */
  readonly unplayed: readonly StepPlace[];
}

/** Starts a scenario without routes at its first step. */
export function playSteps(scenario: StepScenario): Play {
  const queue = playQueue(scenario.steps, 'scenario');
  return {
    take(sent, facts) {
      const digest = facts.digest();
      const again = queue.again(digest);
      if (again !== undefined) return again;
      if (isUnexpectedQuestion(sent, queue.next)) return answerCheckpoint(scenario);
      if (queue.next !== undefined) return queue.take(sent, digest);
      if (scenario.otherwise !== undefined) return { answer: scenario.otherwise };
      const steps = `all ${scenario.steps.length} steps of the scenario are used`;
      return { mismatch: `${steps}, but another request came, with the user text ${quote(sent.lastUserText)}` };
    },
    get unplayed() {
      return queue.unplayed;
    },
  };
}

/** Steps of a scenario or of a route in progress. */
export interface Queue {
  /** Next step, or `undefined` after the last one. */
  readonly next: ScenarioStep | undefined;
  /** Returns the answer of the last used step if its request had the same bytes. */
  again(digest: string): PlayedStep | undefined;
  /** Uses up the next step, if the request meets its conditions. */
  take(sent: ReceivedRequest, digest: string): PlayedStep | Unplayed;
  readonly unplayed: readonly StepPlace[];
}

/** Starts a list of steps. Refusals name the list by `owner`. With `repeat`, the list has no end. */
export function playQueue(steps: readonly ScenarioStep[], owner: string, repeat = false): Queue {
  let used = 0;
  let last: { readonly digest: string; readonly played: PlayedStep } | undefined;
  const index = (): number => (repeat ? used % steps.length : used);
  return {
    get next() {
      return steps[index()];
    },
    again: (digest) => (last?.digest === digest ? last.played : undefined),
    take(sent, digest) {
      const step = steps[index()] ?? {};
      const place = { step: index() + 1 };
      const complaint = complain(step.expect, sent);
      if (complaint !== undefined) return { mismatch: `${owner} step ${place.step} of ${steps.length} ${complaint}` };
      used += 1;
      const { answer, fault } = step;
      last = answer === undefined ? undefined : { digest, played: { answer, ...place } };
      return defined({ answer, fault, ...place });
    },
    get unplayed() {
      return steps.slice(used).map((_, i) => ({ step: used + i + 1 }));
    },
  };
}

/** True if a request asks for a checkpoint and the next step does not expect it. */
export function isUnexpectedQuestion(sent: ReceivedRequest, step: ScenarioStep | undefined): boolean {
  const question = checkpointQuestion(sent);
  return question !== undefined && !expects(step, question);
}

function expects(step: ScenarioStep | undefined, question: string): boolean {
  const { lastUserText } = step?.expect ?? {};
  return lastUserText !== undefined && question.includes(lastUserText);
}

/** Returns the scenario's answer to a request for a checkpoint. */
export function answerCheckpoint({ checkpoint }: Scenario): PlayedStep | Unplayed {
  return checkpoint === undefined ? { mismatch: NO_CHECKPOINT } : { answer: checkpoint };
}

/** Text of the refusal when a request asks for a checkpoint and the scenario has no answer to such a request. */
export const NO_CHECKPOINT =
  'no answer is scripted for the question for a checkpoint: add `checkpoint` to the scenario';

function complain(expect: Expectation | undefined, sent: ReceivedRequest): string | undefined {
  const { lastUserText, toolResult, check } = expect ?? {};
  if (lastUserText !== undefined && !sent.lastUserText.includes(lastUserText)) {
    return `expected a user text with ${quote(lastUserText)}, but got ${quote(sent.lastUserText)}`;
  }
  if (toolResult !== undefined && !sent.toolResults.some((result) => result.text.includes(toolResult))) {
    return `expected a tool result with ${quote(toolResult)}, but got ${sent.toolResults.map(resultText).join(', ') || 'none'}`;
  }
  const complaint = check?.(sent);
  return complaint === undefined ? undefined : `did not accept the request: ${complaint}`;
}

function resultText(result: { readonly name: string; readonly text: string }): string {
  return `${result.name}: ${quote(result.text)}`;
}

/** Quotes a text for a refusal, with at most 400 characters of it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 400 ? `${text.slice(0, 400)}…` : text);
}

// Finds the question that Tidemark sends to a model for a checkpoint. A scenario for the conversation has no answer to
// this question. So the question must not use up a step.

/**
 * First sentence of the checkpoint question, copied without changes from `compaction-contract.ts` of
 * `@tidemark/context`. The first entry is the current sentence, and the second is the sentence of earlier versions.
 */
const BEGINNINGS = [
  'Older history of this session will be replaced by a checkpoint.',
  'Older history of this session is about to be replaced by a checkpoint.',
];

/**
 * Returns the part of the last user text that starts with the checkpoint question, or `undefined` if the text does not
 * contain the question.
 */
export function checkpointQuestion({ lastUserText }: Pick<ReceivedRequest, 'lastUserText'>): string | undefined {
  const at = BEGINNINGS.map((words) => lastUserText.indexOf(words)).find((found) => found !== -1);
  return at === undefined ? undefined : lastUserText.slice(at);
}
