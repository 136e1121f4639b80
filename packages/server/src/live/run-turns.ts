// Starts turns, and sends the prompts that wait for their end.

import { randomUUID } from 'node:crypto';
import type { AgentSession, Turn, Words } from '@tidemark/agent';
import type { Position, SessionId } from '@tidemark/log';
import { describeError, ServerError } from '../errors.ts';
import type { HeldPrompt, MemoryEvent, QueuedPrompt, SessionMemories } from './session-memory.ts';
import { forgetEmpty, memoryOf } from './session-memory.ts';

/** Most prompts that wait in one session. */
const MOST_WAITING = 20;

/** Parts of the sessions that the turns use. */
export interface SessionTurnsOptions {
  readonly memories: SessionMemories;
  tell(id: SessionId, event: MemoryEvent): void;
  /** Opens a session if needed, and passes it to a function. */
  use<Result>(id: SessionId, work: (session: AgentSession) => Promise<Result>): Promise<Result>;
  /** Called when the error of a storage ended a turn. The session takes no more commands. */
  failed(id: SessionId, error: unknown): void;
}

/** Starts turns. */
export interface SessionTurns {
  /**
   * Waits until the log has the beginning of a turn, and returns its position. The turn then runs on. If its error is
   * not in the log, readers get it as `turn.lost`.
   *
   * @throws the error of a prompt that cannot be sent.
   */
  start(id: SessionId, turn: Turn): Promise<Position>;
  /**
   * Keeps a prompt for the time after the running turn. Returns `undefined` if no turn runs.
   *
   * @throws ServerError `server/too-many-drafts`
   */
  queue(id: SessionId, words: Words, prompt: Pick<HeldPrompt, 'text' | 'skills'>): QueuedPrompt | undefined;
  /** @throws ServerError `server/no-such-draft` for a prompt that was sent or removed. */
  remove(id: SessionId, draft: string): void;
}

/** Creates the turns of a server. */
export function createTurns(place: SessionTurnsOptions): SessionTurns {
  return {
    start: (id, turn) => start(place, id, turn),
    queue(id, words, { text, skills }) {
      const memory = place.memories.get(id);
      if (memory === undefined || memory.turns === 0) return undefined;
      if (memory.drafts.length >= MOST_WAITING)
        throw new ServerError(
          'server/too-many-drafts',
          `${MOST_WAITING} prompts wait in session ${id}`,
          'remove one, or wait until they are sent',
        );
      const draft = { id: randomUUID(), text };
      memory.drafts = [...memory.drafts, { ...draft, words, skills }];
      place.tell(id, { type: 'draft.queued', draft });
      return draft;
    },
    remove(id, draft) {
      if (take(place, id, draft) === undefined)
        throw new ServerError('server/no-such-draft', `no prompt ${draft} waits in session ${id}`, 'read the session');
      place.tell(id, { type: 'draft.closed', id: draft, sent: false });
    },
  };
}

function take({ memories }: SessionTurnsOptions, id: SessionId, draft: string): HeldPrompt | undefined {
  const memory = memories.get(id);
  const found = memory?.drafts.find((one) => one.id === draft);
  if (memory === undefined || found === undefined) return undefined;
  memory.drafts = memory.drafts.filter((one) => one !== found);
  forgetEmpty(memories, id);
  return found;
}

async function start(place: SessionTurnsOptions, id: SessionId, turn: Turn): Promise<Position> {
  const memory = memoryOf(place.memories, id);
  memory.turns += 1;
  let hasBegun = false;
  const end = (completed: boolean): void => {
    memory.turns -= 1;
    // After the first turn the log contains the model.
    if (hasBegun) memory.model = undefined;
    forgetEmpty(place.memories, id);
    if (completed) sendNext(place, id);
  };
  turn.then(
    ({ outcome }) => end(outcome === 'completed'),
    (error: unknown) => {
      if (hasBegun) lose(place, id, error);
      end(false);
    },
  );
  const begins = await beginningOf(turn);
  hasBegun = true;
  memory.failure = undefined;
  return begins;
}

async function beginningOf(turn: Turn): Promise<Position> {
  for await (const event of turn) {
    if (event.type !== 'recorded') continue;
    const { kind, position } = event.record;
    if (kind === 'prompt.given' || kind === 'turn.resumed') return position;
  }
  return (await turn).position;
}

function lose(place: SessionTurnsOptions, id: SessionId, cause: unknown): void {
  const error = describeError(cause);
  memoryOf(place.memories, id).failure = error;
  place.tell(id, { type: 'turn.lost', error });
  place.failed(id, cause);
}

/** Sends the oldest waiting prompt. If it cannot be sent, it waits for the end of the next turn. */
function sendNext(place: SessionTurnsOptions, id: SessionId): void {
  const memory = place.memories.get(id);
  const [next] = memory?.drafts ?? [];
  if (memory === undefined || memory.turns > 0 || next === undefined) return;
  const send = async (): Promise<void> => {
    await place.use(id, async (session) => {
      // A prompt of a client was faster, or the client has removed the draft.
      if (session.running || take(place, id, next.id) === undefined) return;
      try {
        await start(place, id, session.prompt(next.words, { skills: next.skills }));
      } catch (error) {
        const held = memoryOf(place.memories, id);
        held.drafts = [next, ...held.drafts];
        throw error;
      }
      place.tell(id, { type: 'draft.closed', id: next.id, sent: true });
    });
  };
  send().catch((error: unknown) => lose(place, id, error));
}
