// Finds the positions where a fork can begin. For each other position of a session, finds the work that is open there.

import type { State } from '@tidemark/context';
import { emptyState, evolve } from '@tidemark/context';
import type { ContentPart, Log, Position, Recorded, SessionId, Timestamp } from '@tidemark/log';
import { AgentError } from '../errors.ts';
import { isImageNote } from '../session/keep-images.ts';

/**
 * Kind of work that is open after a record. A caller cannot fork after such a record. `request`: a request is pending.
 * `calls`: calls of an answer are open. `compaction`: a compaction is only partly recorded. `unknown-kind`: this build
 * does not know the kind of a record. `turn`: only the turn is open, between two of its steps.
 */
export type Open = 'request' | 'calls' | 'compaction' | 'unknown-kind' | 'turn';

/**
 * Kind of open work after each record of a session, by position. If it is `undefined`, a caller can fork at this
 * position.
 */
type CutPoints = readonly (Open | undefined)[];

/**
 * Returns the kind of open work after each record of a session, by position. Reads the whole log and takes no lock.
 *
 * @throws LogError as the store does.
 */
export async function readCutPoints(log: Log, session: SessionId): Promise<CutPoints> {
  const points: (Open | undefined)[] = [];
  let state = emptyState();
  for await (const record of log.read(session)) {
    if (goesOnCompacting(state, record)) points[points.length - 1] ??= 'compaction';
    state = evolve(state, record);
    points.push(openIn(state));
  }
  return points;
}

function openIn({ unknown, history, turn }: State): Open | undefined {
  if (unknown !== undefined) return 'unknown-kind';
  if (history.inFlight) return 'request';
  if (history.batch !== undefined) return 'calls';
  return turn === undefined ? undefined : 'turn';
}

/**
 * Returns true if the record still belongs to the last compaction: a note that is recorded again, or the epoch that
 * applies the compaction.
 */
function goesOnCompacting({ compacted, epoch }: State, { kind, data }: Recorded): boolean {
  if (compacted === undefined || compacted.position === epoch?.opened.checkpoint) return false;
  if (kind === 'context.noted') return data.cause === 'compacted-away';
  return kind === 'epoch.opened' && data.checkpoint === compacted.position;
}

/**
 * Returns the last position up to `position` at which no work is open, or only a turn. A fork at a position with an
 * open turn continues this turn. Returns `undefined` if there is no such position.
 */
export function closedUpTo(points: CutPoints, position: number): number | undefined {
  const found = points.slice(0, position + 1).findLastIndex((open) => open === undefined || open === 'turn');
  return found === -1 ? undefined : found;
}

/**
 * Checks that a caller may fork at the position, and returns the position. No turn may be open there. In the middle of
 * a turn the model has done only a part of the work, and the fork would have no instruction for the rest.
 *
 * @throws AgentError `agent/no-such-record`; `agent/not-closed` with the nearest closed positions before and after it.
 */
export function requireClosed(points: CutPoints, session: SessionId, at: number): number {
  if (!Object.hasOwn(points, at)) {
    const message = `session ${session} has no record ${at}: use a record from 0 to ${points.length - 1}`;
    throw new AgentError('agent/no-such-record', message, { session, at, records: points.length });
  }
  const open = points[at];
  if (open === undefined) return at;
  const last = points.lastIndexOf(undefined, at);
  const before = last === -1 ? undefined : last;
  const found = points.indexOf(undefined, at);
  const after = found === -1 ? undefined : found;
  const near = [
    ...(before === undefined ? [] : [`record ${before} before it`]),
    ...(after === undefined ? [] : [`record ${after} after it`]),
  ];
  const next =
    near.length === 0 ? 'the session has no record that can be forked at' : `fork at ${near.join(', or at ')}`;
  const message = `session ${session} cannot be forked at record ${at}, where ${IN_WORDS[open]}; ${next}`;
  throw new AgentError('agent/not-closed', message, { session, at, open, before, after });
}

/** Description of each open state for error messages. Each description must fit after the word "where". */
export const IN_WORDS: Readonly<Record<Open, string>> = {
  request: 'a request is waiting for its answer',
  calls: 'calls of an answer have no result yet',
  compaction: 'a compaction is only partly recorded',
  'unknown-kind': 'records have a kind that this version does not know',
  turn: 'a turn has not ended',
};

/** A prompt that started a turn. */
export interface NumberedPrompt {
  /** Number of the prompt, from 1 on. */
  readonly number: number;
  readonly position: Position;
  readonly at: Timestamp;
  /** Text parts of the prompt, joined by line breaks. */
  readonly words: string;
  /** Position of the `turn.started` record of the prompt, or of the prompt itself if there is no such record. */
  readonly begins: number;
}

/** Returns the prompts of a session, oldest first. Messages steered into a running turn are not included. */
export async function readPrompts(log: Log, session: SessionId): Promise<readonly NumberedPrompt[]> {
  const prompts: NumberedPrompt[] = [];
  let turn: number | undefined;
  for await (const { kind, data, position, at } of log.read(session)) {
    if (kind === 'turn.started') turn = position;
    if (kind !== 'prompt.given' || data.steer === true) continue;
    const words = data.parts.flatMap((part, index) => wordsIn(part, data.parts[index - 1])).join('\n');
    prompts.push({ number: prompts.length + 1, position, at, words, begins: turn ?? position });
    turn = undefined;
  }
  return prompts;
}

/** Returns the text of a part. The line that the runtime adds after an image is not a part of the words. */
function wordsIn(part: ContentPart, before: ContentPart | undefined): readonly string[] {
  if (part.type !== 'text') return [];
  return isImageNote(part, before) ? [] : [part.text];
}

/**
 * Returns the last closed position before a prompt. Prompts are counted from 1. Negative numbers count from the end.
 *
 * @throws AgentError `agent/no-such-record` if there is no such prompt, or no closed position before it.
 */
export async function cutBeforePrompt(
  log: Log,
  session: SessionId,
  points: CutPoints,
  prompt: number,
): Promise<number> {
  const prompts = await readPrompts(log, session);
  const found = prompts.at(prompt > 0 ? prompt - 1 : prompt);
  const cut = found === undefined || prompt === 0 ? undefined : closedUpTo(points, found.begins - 1);
  if (cut !== undefined) return cut;
  const there = prompts.length === 0 ? 'it has no prompts' : `its prompts have the numbers 1 to ${prompts.length}`;
  const message = `session ${session} has no prompt ${prompt} to go back to: ${there}`;
  throw new AgentError('agent/no-such-record', message, { session, prompt, prompts: prompts.length });
}
