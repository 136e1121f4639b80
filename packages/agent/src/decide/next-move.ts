// What a turn does next, by the log alone: a process that opens the log later decides the same.

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
import type { MainRequest, Progress } from '../session/progress.ts';
import { totalsOf } from '../session/spent.ts';

/** How a turn ends, as its record says it. */
export type TurnEnding = Pick<TurnEnded, 'outcome' | 'error'>;

/** The next move. `say`: the runtime tells the model something, in the log like anything else (L1). */
type NextMove =
  | { readonly do: 'run-calls' }
  | { readonly do: 'ask' }
  | { readonly do: 'say'; readonly words: string }
  /** The window was full before the answer was: the history is to be compacted before anything is asked. */
  | { readonly do: 'make-room' }
  | { readonly do: 'end'; readonly ending: TurnEnding };

/** How often in a row an answer may stop at the output limit. */
const MOST_CUTS = 3;

const GO_ON = 'The last turn ended before its work was done. Go on from where it stopped.';

/** Decides. */
export function nextMove({ state, progress }: Folded): NextMove {
  if (state.history.batch !== undefined) return { do: 'run-calls' };
  const { lastRequest } = progress;
  const answer = lastRequest?.answer;
  if (lastRequest === undefined || answer === undefined)
    return endsWithAnswer(state) ? { do: 'say', words: GO_ON } : ASK;
  if (answer.stop === 'window' && (state.compacted?.position ?? -1) < lastRequest.answeredAt)
    return { do: 'make-room' };
  const words = continuation(lastRequest, answer, progress);
  if (words !== undefined) return progress.outputLimitStops > MOST_CUTS ? tooOftenCut() : { do: 'say', words };
  if (progress.lastInputPosition > lastRequest.position || answer.stop === 'pause' || makesCalls(answer)) return ASK;
  return { do: 'end', ending: endingOf(answer) };
}

const ASK: NextMove = { do: 'ask' };

/** A provider may take a request that ends with an answer for one to be continued in mid-sentence. */
function endsWithAnswer({ history: { packed } }: Folded['state']): boolean {
  return itemAt(packed, -1)?.role === 'assistant';
}

function makesCalls({ parts }: AnswerReceived): boolean {
  return parts.some((part) => part.type === 'call');
}

/** What is said to a model whose answer was cut, once; nothing when its last call was whole: that one has its result. */
function continuation(
  { answeredAt }: MainRequest,
  answer: AnswerReceived,
  { lastRuntimeMessagePosition }: Progress,
): string | undefined {
  if (!stoppedAtLimit(answer) || lastRuntimeMessagePosition > answeredAt) return undefined;
  const cut = cutCall(answer);
  if (cut === undefined && makesCalls(answer)) return undefined;
  const what =
    cut === undefined ? '' : ' The last call was incomplete and did not run: make it again, in smaller pieces.';
  const why =
    answer.stop === 'window' ? 'as the window was full; there is room now, behind a checkpoint' : 'at the output limit';
  return `Your last answer was cut ${why}.${what} Go on from exactly where it stopped.`;
}

function tooOftenCut(): NextMove {
  const error = {
    code: 'turn/output-limit',
    message: `the answer was cut at the output limit ${MOST_CUTS + 1} times in a row`,
    next: 'Raise the output limit, or ask for the work in smaller pieces; resume goes on.',
  };
  return { do: 'end', ending: { outcome: 'failed', error } };
}

function endingOf({ stop }: AnswerReceived): TurnEnding {
  if (stop !== 'refusal') return { outcome: 'completed' };
  const message = 'the model refused to answer';
  const next = 'Say it in other words: the session is intact.';
  return { outcome: 'failed', error: { code: 'turn/refused', message, next } };
}

/** Whether the answer stopped where its author did not want to. */
function stoppedAtLimit({ stop, truncated }: AnswerReceived): boolean {
  return stop === 'length' || stop === 'window' || truncated === 'yes';
}

/** The call whose arguments were cut: only the last one of an answer can be. */
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

/** What the command is: `resume` goes on, any other ends the turn that was cut. */
type RecoveryCommand = 'resume' | 'other';

/** Whether there is a turn to go on with: one that was cut, failed, was interrupted or limited. */
export function isResumable({ state, progress }: Folded): boolean {
  return (
    state.turn !== undefined || (progress.turn?.ended !== undefined && progress.turn.ended.outcome !== 'completed')
  );
}

/** The two folds of a session. */
interface Folded {
  readonly state: State;
  readonly progress: Progress;
}

/**
 * The events that recover. On `resume` a call that began and could have changed something is abandoned, since nobody knows
 * whether it did; one that never began runs, whatever it is: the barrier before a tool proves that it did not.
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

/** The user ends the running turn: what is still open is closed, and the turn with it. */
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

/** The calls that wait for their closing event, in call order. */
export function openCalls({ history: { batch } }: State): readonly CallId[] {
  if (batch === undefined) return [];
  return batch.calls.filter(({ call }) => !batch.closed.has(call)).map(({ call }) => callId(call));
}

/** When a decision is written, and for which turn. */
interface Stamp {
  readonly at: Timestamp;
  readonly turn: TurnId | undefined;
}

/** Closes every open call of a turn that ends: what had begun for this reason, the others as never begun. */
export function abandonAll(
  { state, progress }: { readonly state: State; readonly progress: Progress },
  begun: 'interrupted' | 'crashed',
  stamp: Stamp,
): readonly Event[] {
  return openCalls(state).map((call) => abandon(call, progress.startedCalls.has(call) ? begun : 'unstarted', stamp));
}

/** Closes a call that will never return. */
export function abandon(call: CallId, reason: ToolAbandoned['reason'], stamp: Stamp): Event {
  return { kind: 'tool.abandoned', ...defined({ at: stamp.at, turn: stamp.turn }), data: { call, reason } };
}
