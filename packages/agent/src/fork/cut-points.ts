// Where a fork can leave a session: behind each record either nothing is open, or what is.

import type { State } from '@tidemark/context';
import { emptyState, evolve } from '@tidemark/context';
import type { Log, Position, Recorded, SessionId, Timestamp } from '@tidemark/log';
import { AgentError } from '../errors.ts';

/**
 * What is open after a record: a request on its way, calls of its answer, a compaction, more than this build knows, or only the
 * turn, between two of its steps.
 */
export type Open = 'request' | 'calls' | 'compaction' | 'unknown-kind' | 'turn';

/** The records of a session, each with what is open after it; `undefined` is a position that a fork can be asked to leave at. */
type CutPoints = readonly (Open | undefined)[];

/** Reads a whole log. Takes no lock. @throws LogError as the store does. */
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

/** Whether a record is a further one of a compaction: a note said anew, or the epoch that takes it up. */
function goesOnCompacting({ compacted, epoch }: State, { kind, data }: Recorded): boolean {
  if (compacted === undefined || compacted.position === epoch?.opened.checkpoint) return false;
  if (kind === 'context.noted') return data.cause === 'compacted-away';
  return kind === 'epoch.opened' && data.checkpoint === compacted.position;
}

/** Returns the last position up to this one with nothing open but its turn: a fork there goes on with the turn. */
export function closedUpTo(points: CutPoints, position: number): number | undefined {
  const found = points.slice(0, position + 1).findLastIndex((open) => open === undefined || open === 'turn');
  return found === -1 ? undefined : found;
}

/**
 * Returns a position that a fork was asked for by its number. There no turn may be open either: in the middle of a turn the
 * model has seen a part of the work, and no one has said how it goes on.
 *
 * @throws AgentError `agent/no-such-record`; `agent/not-closed` with the nearest closed positions before and after it.
 */
export function requireClosed(points: CutPoints, session: SessionId, at: number): number {
  if (!Object.hasOwn(points, at)) {
    const message = `session ${session} has no record ${at}: name one from 0 to ${points.length - 1}`;
    throw new AgentError('agent/no-such-record', message, { session, at, records: points.length });
  }
  const open = points[at];
  if (open === undefined) return at;
  const last = points.lastIndexOf(undefined, at);
  const before = last === -1 ? undefined : last;
  const found = points.indexOf(undefined, at);
  const after = found === -1 ? undefined : found;
  const near = [
    ...(before === undefined ? [] : [`${before} before it`]),
    ...(after === undefined ? [] : [`${after} behind it`]),
  ];
  const next = near.length === 0 ? 'it has no closed position' : `fork at ${near.join(', or at ')}`;
  const message = `nothing can go on from record ${at} of session ${session}: ${IN_WORDS[open]} there; ${next}`;
  throw new AgentError('agent/not-closed', message, { session, at, open, before, after });
}

/** What is open, in words that go on with "there" or "behind it". */
export const IN_WORDS: Readonly<Record<Open, string>> = {
  request: 'a request is on its way',
  calls: 'calls of an answer are open',
  compaction: 'a compaction is half recorded',
  'unknown-kind': 'records of a kind that this version does not know stand',
  turn: 'a turn is open',
};

/** A prompt that began a turn. */
export interface NumberedPrompt {
  /** From 1 on. */
  readonly number: number;
  readonly position: Position;
  readonly at: Timestamp;
  /** Its text parts. */
  readonly words: string;
  /** Where its turn began: all before that is before the prompt. */
  readonly begins: number;
}

/** The prompts of a session, oldest first; what was steered into a running turn is none of them. */
export async function readPrompts(log: Log, session: SessionId): Promise<readonly NumberedPrompt[]> {
  const prompts: NumberedPrompt[] = [];
  let turn: number | undefined;
  for await (const { kind, data, position, at } of log.read(session)) {
    if (kind === 'turn.started') turn = position;
    if (kind !== 'prompt.given' || data.steer === true) continue;
    const words = data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    prompts.push({ number: prompts.length + 1, position, at, words, begins: turn ?? position });
    turn = undefined;
  }
  return prompts;
}

/**
 * The last closed position before a prompt. It is counted from 1 on, or with a number below 0 from the end.
 *
 * @throws AgentError `agent/no-such-record`.
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
  const there = prompts.length === 0 ? 'it holds none' : `it holds ${prompts.length}, from 1 to ${prompts.length}`;
  const message = `session ${session} has no prompt ${prompt} to go back to: ${there}`;
  throw new AgentError('agent/no-such-record', message, { session, prompt, prompts: prompts.length });
}
