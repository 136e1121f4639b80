// The prompt that is on its way. It is kept in the tab until its record arrives, so a reload and a crash do not lose it.
// Each request contains the number of records that the page knows. The server refuses it if the session has more, so a
// repeated request never sends a prompt twice.

import type { FollowedEvent } from '@tidemark/client';
import { RequestError } from '@tidemark/client';

/** The prompt that is on its way. */
export interface Outbox {
  /** Adds a prompt for a session. It is sent when all records of the session are known. */
  add(session: string, text: string): void;
  /** Receives each event of the session. */
  take(event: FollowedEvent): void;
}

/** Functions that the outbox calls. */
export interface OutboxOptions {
  post(session: string, text: string, expected: number): Promise<void>;
  /** Receives the prompt that is on its way, or `undefined`. */
  changed(text: string | undefined): void;
  /** Receives a prompt that was not sent, so that the person can send it again. */
  returned(text: string, reason: string): void;
}

interface Kept {
  readonly session: string;
  readonly text: string;
  /** Number of records at the first request. The record of the prompt cannot be before. Absent before the first request. */
  readonly from?: number;
}

const KEY = 'outbox';
/** Pause before a request is repeated, in milliseconds. */
const RETRY_MS = 500;

/** Creates the outbox. It contains the prompt that was on its way before a reload. */
export function createOutbox({ post, changed, returned }: OutboxOptions): Outbox {
  let kept: Kept | undefined = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? undefined;
  const progress = { length: 0, complete: false, running: false, posting: false };
  const keep = (next: Kept | undefined): void => {
    kept = next;
    if (next === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(next));
    changed(next?.text);
  };
  const flush = async (): Promise<void> => {
    const { length, complete, running, posting } = progress;
    if (kept === undefined || !complete || running || posting) return;
    const { session, text } = kept;
    if (kept.from === undefined) keep({ session, text, from: length });
    progress.posting = true;
    try {
      await post(session, text, length);
      keep(undefined);
    } catch (error) {
      // After a lost answer it is not known if the prompt arrived. The records decide. A conflict passes.
      if (error instanceof RequestError && error.status < 500 && error.status !== 409) {
        keep(undefined);
        returned(text, error.message);
      } else setTimeout(() => void flush(), RETRY_MS);
    } finally {
      progress.posting = false;
    }
  };
  /** A prompt in a new record is the kept one, or the prompt of another page, which was faster. */
  const takePrompt = (text: string, position: number): void => {
    if (kept?.from === undefined || position < kept.from) return;
    const { text: own } = kept;
    keep(undefined);
    if (text !== own) returned(own, 'Another message was faster.');
  };
  changed(kept?.text);
  return {
    add(session, text) {
      keep({ session, text });
      void flush();
    },
    take(event) {
      if (event.type === 'lost') progress.complete = false;
      if (event.type === 'state') progress.complete = true;
      if (event.type === 'record') {
        const { kind, data, position } = event.record;
        progress.length = position + 1;
        if (kind === 'turn.started' || kind === 'turn.resumed') progress.running = true;
        if (kind === 'turn.ended') progress.running = false;
        if (kind === 'prompt.given')
          takePrompt(data.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''), position);
      }
      void flush();
    },
  };
}
