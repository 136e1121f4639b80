// Facts about sessions that only this process knows. They are kept while a session is closed, and lost when the process
// ends.

import type { Words } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import type { ErrorInWords } from '../errors.ts';
import type { ChosenModel } from '../ports.ts';

/** A prompt that waits for the end of the running turn. */
export interface QueuedPrompt {
  readonly id: string;
  readonly text: string;
}

/** A waiting prompt with all that is sent. */
export interface HeldPrompt extends QueuedPrompt {
  readonly words: Words;
  readonly skills: readonly string[];
}

/** Change of the waiting prompts, or the end of a turn whose error the log cannot contain. */
export type MemoryEvent =
  | { readonly type: 'draft.queued'; readonly draft: QueuedPrompt }
  | { readonly type: 'draft.closed'; readonly id: string; readonly sent: boolean }
  | { readonly type: 'turn.lost'; readonly error: ErrorInWords };

/** Facts about one session. */
export interface SessionMemory {
  /** Model of the next request, while the log does not contain it. */
  model?: ChosenModel | undefined;
  /** Oldest first. */
  drafts: readonly HeldPrompt[];
  /** Error that ended the last turn, if the log has no end of the turn. */
  failure?: ErrorInWords | undefined;
  /** Number of turns that run. */
  turns: number;
}

/** Facts about all sessions of a server. */
export type SessionMemories = Map<SessionId, SessionMemory>;

/** Returns the facts about a session, to read or to change them. */
export function memoryOf(memories: SessionMemories, id: SessionId): SessionMemory {
  const memory = memories.get(id) ?? { drafts: [], turns: 0 };
  memories.set(id, memory);
  return memory;
}

/** Removes the facts about a session if there are none. */
export function forgetEmpty(memories: SessionMemories, id: SessionId): void {
  const memory = memories.get(id);
  if (memory === undefined || memory.turns > 0) return;
  if (memory.model === undefined && memory.drafts.length === 0 && memory.failure === undefined) memories.delete(id);
}

/** Returns what readers see of the facts. Absent fields have nothing to show. */
export function shownMemory(memory: SessionMemory | undefined): {
  readonly drafts?: readonly QueuedPrompt[];
  readonly failure?: ErrorInWords;
} {
  const { drafts = [], failure } = memory ?? {};
  return {
    ...(drafts.length > 0 && { drafts: drafts.map(({ id, text }) => ({ id, text })) }),
    ...(failure !== undefined && { failure }),
  };
}
