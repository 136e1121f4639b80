// Turn loop: reads the next move from the log, makes this move, and records the result, until no move is left.

import { defined } from '@tidemark/core';
import type { Event, Recorded } from '@tidemark/log';
import { ProviderError } from '@tidemark/model';
import type { TurnEnding } from '../decide/next-move.ts';
import { timeEnding } from '../decide/limits.ts';
import { abandon, abandonAll, cutCall, interruption, nextMove, openCalls } from '../decide/next-move.ts';
import { unlessAborted } from '../concurrency.ts';
import { AgentError } from '../errors.ts';
import { hooksAfterTurn } from '../hooks/hooks-of-turns.ts';
import type { FinishedTurn } from '../ports/live-session.ts';
import { limitIn } from '../ports/turn-error.ts';
import { RUNTIME } from '../session/progress.ts';
import { commit, commitInside } from '../session/session.ts';
import { NOTHING_SPENT, totalsOf } from '../session/spent.ts';
import type { TurnContext } from '../session/turn-context.ts';
import { takenBy } from '../session/turn-context.ts';
import { askSources } from '../sources/ask-sources.ts';
import { runCalls } from '../tools/run-calls.ts';
import type { StepContext } from './prepare-step.ts';
import { makeRoom } from './recover-context.ts';
import { refreshTools } from './refresh-tools.ts';
import { askModel } from './step.ts';
import { isTimeOver } from './time-limit.ts';

/** Number of times that a model is asked to correct an answer that does not match its schema. */
const MAX_CORRECTIONS = 2;

/**
 * Runs an open turn to its end. Failures of the provider and refusals end the turn as `failed`.
 *
 * @throws LogError, and AgentError of sort `conflict` or `bug`. The session cannot continue in this process after these
 *   errors.
 */
export async function runTurn(working: StepContext): Promise<FinishedTurn> {
  for (;;) {
    const record = working.signal.aborted ? await interrupt(working) : await takeStep(working);
    if (record === undefined) continue;
    await working.watched?.end();
    await hooksAfter(working, record);
    return finishTurn(working, record);
  }
}

/**
 * Asks the hooks after the end of the turn. If the time limit of the turn aborted its signal, the hooks still run, and
 * only their own time limit ends them.
 */
async function hooksAfter(working: StepContext, { kind, data }: Recorded): Promise<void> {
  if (kind !== 'turn.ended') return;
  const { signal } = working.signal.aborted ? new AbortController() : working;
  await hooksAfterTurn({ ...working, signal }, data);
}

async function takeStep(working: StepContext): Promise<Recorded | undefined> {
  const move = nextMove(working.session);
  switch (move.do) {
    case 'run-calls':
      await closeCalls(working);
      return undefined;
    case 'say':
      await tellModel(working, move.words);
      return undefined;
    case 'make-room':
      return unlessEnded(working, makeRoom(working));
    case 'ask':
      return ask(working);
    case 'end':
      return endUnlessMore(working, move.ending);
  }
}

async function closeCalls(work: TurnContext): Promise<void> {
  const { session, runtime, turn } = work;
  const { batch } = session.state.history;
  const cut = batch === undefined ? undefined : cutCall(batch.answer);
  if (cut !== undefined && openCalls(session.state).includes(cut)) {
    await commit(session, [abandon(cut, 'cut', { at: runtime.surroundings.now(), turn })]);
  }
  if (session.state.history.batch === undefined) return;
  // The tool sources are asked first, so that the calls use the current tools. A tool keeps the definition that the
  // model was shown.
  await refreshTools(work);
  const effects = await runCalls(work);
  if (work.signal.aborted) return;
  requireClosed(work);
  await askSources(work, effects);
}

function requireClosed({ session }: TurnContext): void {
  const open = openCalls(session.state);
  if (open.length === 0) return;
  const message = `the calls ${open.join(', ')} were run but have no result: this is a bug of Tidemark, report it`;
  throw new AgentError('agent/unclosed-history', message, { open });
}

async function tellModel({ session, runtime, turn }: TurnContext, body: string): Promise<void> {
  await commit(session, [runtimeMessage({ runtime, turn }, body)]);
}

function runtimeMessage({ runtime, turn }: Pick<TurnContext, 'runtime' | 'turn'>, body: string): Event {
  const data = { source: RUNTIME, body, provenance: 'tidemark' };
  return { kind: 'notification.received', at: runtime.surroundings.now(), turn, data };
}

/**
 * Sends the next request. If the request cannot be sent, the turn ends. Any other error is a bug in this runtime and
 * ends the run of the session.
 */
async function ask(working: StepContext): Promise<Recorded | undefined> {
  let ending: TurnEnding | undefined;
  try {
    ending = await askModel(working);
  } catch (error) {
    ending = refusedBy(error);
    if (ending === undefined) throw error;
  }
  return ending === undefined ? undefined : endWith(working, ending);
}

async function unlessEnded(work: TurnContext, decided: Promise<TurnEnding | undefined>): Promise<Recorded | undefined> {
  const ending = await decided;
  return ending === undefined ? undefined : endWith(work, ending);
}

function refusedBy(error: unknown): TurnEnding | undefined {
  const known = error instanceof ProviderError || (error instanceof AgentError && error.sort === 'refused');
  if (!known) return undefined;
  const { code, message } = error;
  return { outcome: 'failed', error: { code, message, next: 'Fix the problem in the message, then resume.' } };
}

function endWith(work: TurnContext, ending: TurnEnding): Promise<Recorded | undefined> {
  return work.session.mutex.pass(() => commitOne(work, [endingEvent(work, ending)]));
}

/**
 * Ends the turn if nothing is left to do. The move is decided again inside the mutex. A prompt that arrived before the
 * end is therefore still answered. The answer is checked earlier, outside the mutex, because the schema runs code of
 * the author. This code may take any time, and may interrupt the session.
 */
async function endUnlessMore(work: TurnContext, { outcome }: TurnEnding): Promise<Recorded | undefined> {
  const checked = outcome === 'completed' ? await unlessAborted(checkAnswer(work), work.signal) : undefined;
  if (work.signal.aborted) return undefined;
  return work.session.mutex.pass(async () => {
    const move = nextMove(work.session);
    if (move.do !== 'end') return undefined;
    if (checked === undefined || move.ending.outcome !== 'completed')
      return commitOne(work, [endingEvent(work, move.ending)]);
    if ('outcome' in checked) return commitOne(work, [endingEvent(work, checked)]);
    await commitInside(work.session, [runtimeMessage(work, checked.correction)]);
    return undefined;
  });
}

/**
 * Checks the last answer if it must match a schema. If it does not match, returns a message that asks for a correction.
 * After too many corrections, returns the ending of the turn. Returns `undefined` if the answer matches or no schema is
 * set.
 */
async function checkAnswer({
  session,
  answerCheck,
}: TurnContext): Promise<{ readonly correction: string } | TurnEnding | undefined> {
  if (answerCheck === undefined) return undefined;
  const read = await answerCheck.schema.read(session.progress.turn?.text ?? '');
  if ('value' in read) return undefined;
  if ('thrown' in read) return outputUnchecked(read.thrown);
  if (answerCheck.corrections >= MAX_CORRECTIONS) return outputMismatch(read.problem);
  answerCheck.corrections += 1;
  return { correction: correctionText(read.problem) };
}

function correctionText(problem: string): string {
  return `Your answer does not match the JSON Schema: ${problem}. Answer again with only the whole JSON value.`;
}

function outputMismatch(problem: string): TurnEnding {
  const message = `the answer does not match the schema of \`output\`, after ${MAX_CORRECTIONS + 1} attempts: ${problem}`;
  const next = 'Simplify the schema, or explain its fields in the prompt.';
  return { outcome: 'failed', error: { code: 'turn/output-mismatch', message, next } };
}

function outputUnchecked(thrown: unknown): TurnEnding {
  const message = `the schema of \`output\` threw an error while it checked the answer: ${messageOf(thrown)}`;
  const next = 'Fix the refinement or the transform of the schema. The answer is in `text`.';
  return { outcome: 'failed', error: { code: 'turn/output-unchecked', message, next } };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function interrupt(work: TurnContext): Promise<Recorded | undefined> {
  const { session, runtime, turn, signal } = work;
  return session.mutex.pass(() => {
    const stamp = { at: runtime.surroundings.now(), turn };
    if (!isTimeOver(signal)) return commitOne(work, interruption(session, stamp));
    const ending = timeEnding(takenBy(work).ms, runtime.limits.ms);
    return commitOne(work, [...abandonAll(session, 'interrupted', stamp), endingEvent(work, ending)]);
  });
}

function endingEvent({ session, runtime, turn }: TurnContext, { outcome, error }: TurnEnding): Event {
  const totals = totalsOf(session.progress.turn?.spent ?? NOTHING_SPENT);
  const data = defined({ outcome, totals, error });
  return { kind: 'turn.ended', at: runtime.surroundings.now(), turn, data };
}

async function commitOne({ session }: TurnContext, events: readonly Event[]): Promise<Recorded | undefined> {
  return (await commitInside(session, events)).at(-1);
}

async function finishTurn({ session }: TurnContext, { position }: Recorded): Promise<FinishedTurn> {
  await session.writer.sync();
  const { spent = NOTHING_SPENT, text = '', ended: record } = session.progress.turn ?? {};
  // If a side call was answered after the `turn.ended` record, it is counted in `spent`, but not in the totals of this
  // record.
  const totals = record?.totals ?? totalsOf(spent);
  const { outcome = 'completed', error } = record ?? {};
  return { outcome, text, output: undefined, error, limit: limitIn(error), totals, position };
}
