// Decides the next move of a turn from the log alone. A process that opens the log later therefore makes the same
// decision.

import { defined } from '@tidemark/core';
import type { State } from '@tidemark/context';
import { itemAt } from '@tidemark/context';
import type {
  AnswerReceived,
  CallId,
  Event,
  Timestamp,
  ToolAbandoned,
  TurnBegan,
  TurnEnded,
  TurnId,
} from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { KnownTurnErrorCode, TurnError } from '../ports/turn-error.ts';
import type { MainRequest, Progress } from '../session/progress.ts';
import { stoppedAtLimit } from '../session/messages.ts';
import { totalsOf } from '../session/spent.ts';

/** End of a turn, in the form of its record. */
export interface TurnEnding extends Pick<TurnEnded, 'outcome'> {
  readonly error?: TurnError & { readonly code: KnownTurnErrorCode };
}

/**
 * Next move of a turn. With `say` the runtime sends a message to the model. The message is recorded like any other
 * event (L1).
 */
type NextMove =
  | { readonly do: 'run-calls' }
  | { readonly do: 'ask' }
  | { readonly do: 'say'; readonly words: string }
  /** The window was full before the answer ended. The history must be compacted before the next request. */
  | { readonly do: 'make-room' }
  | { readonly do: 'end'; readonly ending: TurnEnding };

/**
 * Maximum number of consecutive answers that may stop at the output limit. One more such answer ends the turn as
 * `failed`.
 */
const MAX_CUTS = 3;

const GO_ON = 'The last turn ended before its work was complete. Continue from where it stopped.';

/** Returns the next move of a turn. */
export function nextMove({ state, progress }: Folded): NextMove {
  if (state.history.batch !== undefined) return { do: 'run-calls' };
  const { lastRequest } = progress;
  const answer = lastRequest?.answer;
  if (lastRequest === undefined || answer === undefined)
    return endsWithAnswer(state) ? { do: 'say', words: GO_ON } : ASK;
  if (answer.stop === 'window' && (state.compacted?.position ?? -1) < lastRequest.answeredAt)
    return { do: 'make-room' };
  const words = continuation(lastRequest, answer, progress);
  if (words !== undefined) return progress.outputLimitStops > MAX_CUTS ? tooOftenCut() : { do: 'say', words };
  if (progress.lastInputPosition > lastRequest.position || answer.stop === 'pause' || makesCalls(answer)) return ASK;
  return { do: 'end', ending: endingOf(answer) };
}

const ASK: NextMove = { do: 'ask' };

/**
 * Returns true if the request would end with an answer of the model. Instead of writing a new answer, a provider may
 * then continue the last sentence of this answer.
 */
function endsWithAnswer({ history: { packed } }: Folded['state']): boolean {
  return itemAt(packed, -1)?.role === 'assistant';
}

function makesCalls({ parts }: AnswerReceived): boolean {
  return parts.some((part) => part.type === 'call');
}

/**
 * Returns the message to a model whose answer was cut off. Returns `undefined` in three cases. The answer is complete,
 * the message was already sent, or the answer ends with complete calls, whose results are sent.
 */
function continuation(
  { answeredAt }: MainRequest,
  answer: AnswerReceived,
  { lastRuntimeMessagePosition }: Progress,
): string | undefined {
  if (!stoppedAtLimit(answer) || lastRuntimeMessagePosition > answeredAt) return undefined;
  const cut = cutCall(answer);
  if (cut === undefined && makesCalls(answer)) return undefined;
  const what =
    cut === undefined ? '' : ' The last call was incomplete and did not run: make the call again, in smaller parts.';
  const why =
    answer.stop === 'window'
      ? 'because the context window was full; a checkpoint has freed space'
      : 'at the output limit';
  return `Your last answer was cut off ${why}.${what} Continue exactly where it stopped.`;
}

function tooOftenCut(): NextMove {
  const error = {
    code: 'turn/output-limit' as const,
    message: `the answer was cut at the output limit ${MAX_CUTS + 1} times in a row`,
    next: 'Raise the output limit, or ask for the work in smaller pieces; then resume.',
  };
  return { do: 'end', ending: { outcome: 'failed', error } };
}

function endingOf({ stop }: AnswerReceived): TurnEnding {
  if (stop !== 'refusal') return { outcome: 'completed' };
  const message = 'the model refused to answer';
  const next = 'Rephrase the prompt. The session is intact.';
  return { outcome: 'failed', error: { code: 'turn/refused', message, next } };
}

/**
 * Returns the call whose arguments were cut off, or `undefined` if no arguments were cut off. Only the last call of an
 * answer can be cut off.
 */
export function cutCall(answer: AnswerReceived): CallId | undefined {
  if (!stoppedAtLimit(answer)) return undefined;
  const last = answer.parts.findLast((part) => part.type === 'call');
  return last === undefined || isJson(last.arguments) ? undefined : last.call;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Command that recovers a session. `resume` continues the turn that was cut off. Any other command ends that turn. */
type RecoveryCommand = 'resume' | 'other';

/** Returns true if there is a turn to resume: a turn that was cut off, failed, was interrupted or reached a limit. */
export function isResumable({ state, progress }: Folded): boolean {
  return (
    state.turn !== undefined || (progress.turn?.ended !== undefined && progress.turn.ended.outcome !== 'completed')
  );
}

/** The two folded states of a session: `state` for the context, `progress` for turns and cost. */
interface Folded {
  readonly state: State;
  readonly progress: Progress;
}

/**
 * Returns the events that recover a session whose process ended during a turn. With `resume`, an open call is abandoned
 * if it had started and could have changed something, because its effect is unknown. The other open calls run. This is
 * safe for a call without a start record: the barrier before a tool proves that the tool has not run. With any other
 * command, all open calls are abandoned and the turn ends.
 */
export function recover(
  folded: Folded,
  command: RecoveryCommand,
  stamp: Stamp,
  began: TurnBegan = { trigger: 'user' },
): readonly Event[] {
  return command === 'resume' ? goOn(folded, stamp, began) : leave(folded, stamp);
}

function goOn({ state, progress }: Folded, stamp: Stamp, data: TurnBegan): readonly Event[] {
  const lost = openCalls(state).filter((call) => mayHaveActed(progress, call));
  return [
    { kind: 'turn.resumed', ...defined({ at: stamp.at, turn: stamp.turn }), data },
    ...lost.map((call) => abandon(call, 'crashed', stamp)),
  ];
}

function mayHaveActed({ startedCalls }: Progress, call: CallId): boolean {
  const effect = startedCalls.get(call);
  return effect !== undefined && effect !== 'none' && effect !== 'read';
}

function leave({ state, progress }: Folded, { at }: Stamp): readonly Event[] {
  const stamp: Stamp = { at, turn: progress.turn?.id };
  const closed = abandonAll({ state, progress }, 'crashed', stamp);
  return state.turn === undefined ? closed : [...closed, interruptedEvent(progress, stamp)];
}

/** Returns the events after the user interrupts a turn: open calls are closed, and the turn ends. */
export function interruption(folded: Folded, stamp: Stamp): readonly Event[] {
  return [...abandonAll(folded, 'interrupted', stamp), interruptedEvent(folded.progress, stamp)];
}

function interruptedEvent({ turn }: Progress, stamp: Stamp): Event {
  const totals = turn === undefined ? {} : { totals: totalsOf(turn.spent) };
  return {
    kind: 'turn.ended',
    ...defined({ at: stamp.at, turn: stamp.turn }),
    data: { outcome: 'interrupted', ...totals },
  };
}

/** Returns the calls without a closing event, in call order. */
export function openCalls({ history: { batch } }: State): readonly CallId[] {
  if (batch === undefined) return [];
  return batch.calls.filter(({ call }) => !batch.closed.has(call)).map(({ call }) => callId(call));
}

interface Stamp {
  readonly at: Timestamp;
  readonly turn: TurnId | undefined;
}

/**
 * Returns the events that close every open call of a turn. The reason is `begun` for calls that had started, and
 * `unstarted` for the others.
 */
export function abandonAll(
  { state, progress }: { readonly state: State; readonly progress: Progress },
  begun: 'interrupted' | 'crashed',
  stamp: Stamp,
): readonly Event[] {
  return openCalls(state).map((call) => abandon(call, progress.startedCalls.has(call) ? begun : 'unstarted', stamp));
}

/** Returns the event that closes a call whose result will never arrive. */
export function abandon(call: CallId, reason: ToolAbandoned['reason'], stamp: Stamp): Event {
  return { kind: 'tool.abandoned', ...defined({ at: stamp.at, turn: stamp.turn }), data: { call, reason } };
}
