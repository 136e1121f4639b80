// Scenario: a list of answers, each with conditions on the request. A request that does not meet the conditions of the
// next step is refused, so a test detects a wrong tool result. `ReceivedRequest` is the view of a request that
// scenarios and hooks receive. It is the same for the APIs of all providers.

import type { PlannedAnswer } from './answer.ts';
import type { Fault } from './faults.ts';
import type { WireObject } from './wire.ts';

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
 * One step of a scenario. A fault that refuses the request uses up the step. A retry with the same bytes gets the
 * answer of this step, if the step has one. Any other retry gets the next step.
 */
export interface ScenarioStep {
  readonly expect?: Expectation;
  readonly answer?: PlannedAnswer;
  readonly fault?: Fault;
}

/**
 * Scripted answers in order. After the last step, each call gets `otherwise`. Without `otherwise`, the call is refused.
 * A request with the same bytes as the request of the last used step gets the answer of that step again, without the
 * fault. This happens when the client was cut off or killed, and sends the request again.
 */
export interface Scenario {
  readonly steps: readonly ScenarioStep[];
  readonly otherwise?: PlannedAnswer;
  /**
   * Answer to a request for a checkpoint, if the `lastUserText` of the next step does not expect this request. Without
   * `checkpoint`, the request is refused. The answer does not use up a step.
   */
  readonly checkpoint?: PlannedAnswer;
}

/** Scenario in progress. Its steps are used in order. */
export interface Play {
  /**
   * Returns the step that answers this request, or the reason why no step does. `digest` identifies the bytes of the
   * request. A step that does not match is not used up.
   */
  take(sent: ReceivedRequest, digest: string): ScenarioStep | { readonly mismatch: string };
  /** Number of steps that are not used yet. */
  readonly left: number;
}

/** Starts a scenario at its first step. */
export function playScenario(scenario: Scenario): Play {
  let next = 0;
  let last: { readonly digest: string; readonly answer: PlannedAnswer } | undefined;
  return {
    take(sent, digest) {
      if (last?.digest === digest) return { answer: last.answer };
      const step = scenario.steps[next];
      const question = checkpointQuestion(sent);
      if (question !== undefined && !expects(step, question)) return asCheckpoint(scenario);
      if (step === undefined) return atEnd(scenario, sent);
      const complaint = complain(step.expect, sent);
      if (complaint !== undefined)
        return { mismatch: `scenario step ${next + 1} of ${scenario.steps.length} ${complaint}` };
      next += 1;
      last = step.answer === undefined ? undefined : { digest, answer: step.answer };
      return step;
    },
    get left() {
      return scenario.steps.length - next;
    },
  };
}

function expects(step: ScenarioStep | undefined, question: string): boolean {
  const { lastUserText } = step?.expect ?? {};
  return lastUserText !== undefined && question.includes(lastUserText);
}

function asCheckpoint({ checkpoint }: Scenario): ScenarioStep | { readonly mismatch: string } {
  return checkpoint === undefined ? { mismatch: NO_CHECKPOINT } : { answer: checkpoint };
}

/** Text of the refusal when a request asks for a checkpoint and the scenario has no answer to such a request. */
export const NO_CHECKPOINT =
  'no answer is scripted for the question for a checkpoint: add `checkpoint` to the scenario';

function atEnd(scenario: Scenario, sent: ReceivedRequest): ScenarioStep | { readonly mismatch: string } {
  if (scenario.otherwise !== undefined) return { answer: scenario.otherwise };
  const steps = `all ${scenario.steps.length} steps of the scenario are used`;
  return { mismatch: `${steps}, but another request came, with the user text ${quote(sent.lastUserText)}` };
}

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

function quote(text: string): string {
  return JSON.stringify(text.length > 400 ? `${text.slice(0, 400)}…` : text);
}

/** Tool result that the client sent after the last answer. */
export interface SentResult {
  readonly id: string;
  /** Name of the tool that was called. */
  readonly name: string;
  readonly text: string;
  readonly error: boolean;
}

/** View of a request that scenarios and hooks receive. */
export interface ReceivedRequest {
  readonly model: string;
  /** Texts of the system prompt, with a blank line between them. */
  readonly system: string;
  /** Names of the tools that are offered after all blocks that add or remove tools. */
  readonly tools: readonly string[];
  /** Text of the last user message that contains text. */
  readonly lastUserText: string;
  /** Tool results after the last answer, in the order of the request. */
  readonly toolResults: readonly SentResult[];
  /** Whole request body. */
  readonly body: WireObject;
}

// Detects the question with which Tidemark asks a model for a checkpoint. A scenario written for the conversation has
// no answer to this question, so the question must not use up a step.

/**
 * First sentence of the checkpoint question, copied word for word from `compaction-contract.ts` of `@tidemark/context`.
 * The first entry is the current sentence, and the second is the sentence of earlier versions.
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
