// Text of a turn as it arrives, for `Turn.textStream`. The whole text of the turn is kept. Every reader therefore gets
// all of it, at its own pace and even after the end of the turn.

import type { Recorded } from '@tidemark/log';
import type { SessionEvent } from '../ports/session-event.ts';

/** Text of one turn. */
export interface TextFeed {
  tell(event: SessionEvent): void;
  /** Ends the text. With an error, readers receive the error after the last piece. */
  end(error?: Error): void;
  /** Returns the pieces from the first one on. */
  readonly pieces: AsyncIterable<string>;
}

/**
 * Separator between two answers of a turn. It also comes before the text of an attempt that differs from the text of
 * the failed attempt.
 */
const BREAK = '\n\n';

interface TurnText {
  readonly pieces: string[];
  /** Text of the current attempt so far. */
  attempt: string;
  /**
   * Text of the current step that an earlier attempt has already emitted. Empty if the attempt is not compared with it.
   */
  repeated: string;
  /** True if `BREAK` comes before the next piece. */
  broken: boolean;
  ended: boolean;
  error: Error | undefined;
  /** Settles when a piece or the end arrives. */
  more: PromiseWithResolvers<void>;
}

/** Creates the text of a turn. It is empty until the first event. */
export function createTextFeed(): TextFeed {
  const text: TurnText = {
    pieces: [],
    attempt: '',
    repeated: '',
    broken: false,
    ended: false,
    error: undefined,
    more: Promise.withResolvers(),
  };
  return {
    tell(event) {
      if (event.type === 'text.delta') grow(text, event.text);
      else if (event.type === 'recorded') follow(text, event.record);
    },
    end(error) {
      text.ended = true;
      text.error = error;
      text.more.resolve();
    },
    pieces: { [Symbol.asyncIterator]: () => read(text) },
  };
}

function follow(text: TurnText, record: Recorded): void {
  switch (record.kind) {
    case 'answer.received':
      if (record.data.stream === 'main') endAnswer(text, textOf(record.data.parts));
      return;
    case 'answer.interrupted':
    case 'answer.failed':
      if (record.data.stream === 'main') endAttempt(text);
      return;
    default:
  }
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join('');
}

/** Adds text to the current attempt. Text that an earlier attempt has emitted is not emitted again. */
function grow(text: TurnText, piece: string): void {
  const { repeated } = text;
  text.attempt += piece;
  if (repeated === '') return emit(text, piece);
  if (repeated.startsWith(text.attempt)) return;
  text.repeated = '';
  if (text.attempt.startsWith(repeated)) return emit(text, text.attempt.slice(repeated.length));
  text.broken = true;
  emit(text, text.attempt);
}

/** Ends a failed attempt. The next attempt of the step is compared with the text that has been emitted. */
function endAttempt(text: TurnText): void {
  if (text.repeated === '') text.repeated = text.attempt;
  text.attempt = '';
}

/** Ends an answer, and emits the part of its text that was not streamed. */
function endAnswer(text: TurnText, whole: string): void {
  if (whole.startsWith(text.attempt)) grow(text, whole.slice(text.attempt.length));
  if (text.repeated !== '' && text.repeated !== text.attempt && text.attempt !== '') {
    text.broken = true;
    emit(text, text.attempt);
  }
  text.attempt = '';
  text.repeated = '';
  text.broken = text.pieces.length > 0;
}

function emit(text: TurnText, piece: string): void {
  if (piece === '') return;
  if (text.broken && text.pieces.length > 0) text.pieces.push(BREAK);
  text.broken = false;
  text.pieces.push(piece);
  const { more } = text;
  text.more = Promise.withResolvers();
  more.resolve();
}

async function* read(text: TurnText): AsyncGenerator<string, void> {
  for (let next = 0; ;) {
    const { more } = text;
    for (; next < text.pieces.length; next += 1) yield text.pieces[next] ?? '';
    if (text.ended) break;
    await more.promise;
  }
  if (text.error !== undefined) throw text.error;
}
