// The prompts of a session as people count them, and where a fork goes on that takes one of them back.

import type { Log, Position, SessionId, Timestamp } from '@tidemark/log';
import { AgentError } from '../errors.ts';
import type { CutPoints } from './cut-points.ts';
import { closedUpTo } from './cut-points.ts';

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
