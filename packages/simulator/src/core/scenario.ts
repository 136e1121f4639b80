// A scenario: answers in order, each with what must have been sent before it is given. A wrong tool result is noticed
// because the next step does not match it. What a script can see of a request is here too, whatever its wire.

import type { PlannedAnswer } from './answer.ts';
import type { Fault } from './faults.ts';
import type { WireObject } from './wire.ts';

/** What must have been sent. All that is given must hold. */
export interface Expectation {
  /** Part of the last text of the user. */
  readonly lastUserText?: string;
  /** Part of one of the results after the last answer. */
  readonly toolResult?: string;
  /** Anything else: the complaint, or nothing when all is well. Not for scenarios from a file. */
  readonly check?: (sent: ReceivedRequest) => string | undefined;
}

/** One answer of a scenario. A fault that is a refusal takes the step alone; the retry gets the next. */
export interface ScenarioStep {
  readonly expect?: Expectation;
  readonly answer?: PlannedAnswer;
  readonly fault?: Fault;
}

/**
 * Answers in order. After the last, `otherwise` is given, or the call is refused. A request that comes again byte for byte,
 * behind one that was answered, gets the same answer again, without its fault: its client was cut, or killed.
 */
export interface Scenario {
  readonly steps: readonly ScenarioStep[];
  readonly otherwise?: PlannedAnswer;
  /**
   * Given to each question for a checkpoint that the next step does not expect in words. Without it such a question is refused. It
   * takes no step.
   */
  readonly checkpoint?: PlannedAnswer;
}

/** A scenario being played. */
export interface Play {
  /** The step that answers this request, or why none does. A step that does not match is not used up. */
  take(sent: ReceivedRequest, digest: string): ScenarioStep | { readonly mismatch: string };
  /** Steps not used yet. */
  readonly left: number;
}

/** Begins a scenario. */
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

/** Why the question for a checkpoint is refused. */
export const NO_CHECKPOINT =
  'nobody said what to answer to the question for a checkpoint: give the scenario a `checkpoint`';

function atEnd(scenario: Scenario, sent: ReceivedRequest): ScenarioStep | { readonly mismatch: string } {
  if (scenario.otherwise !== undefined) return { answer: scenario.otherwise };
  const steps = `all ${scenario.steps.length} steps of the scenario are used`;
  return { mismatch: `${steps}, and another request came, with the user text ${quote(sent.lastUserText)}` };
}

function complain(expect: Expectation | undefined, sent: ReceivedRequest): string | undefined {
  const { lastUserText, toolResult, check } = expect ?? {};
  if (lastUserText !== undefined && !sent.lastUserText.includes(lastUserText)) {
    return `expected a user text with ${quote(lastUserText)}, and got ${quote(sent.lastUserText)}`;
  }
  if (toolResult !== undefined && !sent.toolResults.some((result) => result.text.includes(toolResult))) {
    return `expected a tool result with ${quote(toolResult)}, and got ${sent.toolResults.map(resultText).join(', ') || 'none'}`;
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

/** One tool result of the last turn. */
export interface SentResult {
  readonly id: string;
  /** Name of the tool that was called. */
  readonly name: string;
  readonly text: string;
  readonly error: boolean;
}

/** A request, as a scenario or a hook looks at it. */
export interface ReceivedRequest {
  readonly model: string;
  /** All system texts, joined by a blank line. */
  readonly system: string;
  /** Names of those on offer at its end. */
  readonly tools: readonly string[];
  /** Text of the last user message that has some. */
  readonly lastUserText: string;
  /** Results after the last answer, in wire order. */
  readonly toolResults: readonly SentResult[];
  /** The whole body. */
  readonly body: WireObject;
}

// The question with which Tidemark asks a model for a checkpoint. A script that is written for the conversation has no answer
// to it, and must not use one up.

/** How the question begins, word for word, in `compaction-contract.ts` of `@tidemark/context`. */
const BEGINNING = 'Older history of this session is about to be replaced by a checkpoint.';

/** The question in the last words of the user, from its beginning; `undefined` where they ask for no checkpoint. */
export function checkpointQuestion({ lastUserText }: Pick<ReceivedRequest, 'lastUserText'>): string | undefined {
  const at = lastUserText.indexOf(BEGINNING);
  return at === -1 ? undefined : lastUserText.slice(at);
}
