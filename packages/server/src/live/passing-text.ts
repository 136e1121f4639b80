// Text of an answer that is arriving. A provider sends it in pieces of a few characters, many in a second. The first
// piece after a pause is published at once, and later ones are joined for a moment, so each reader gets few frames.

import type { PassingEvent } from './frames.ts';

/** Time for which pieces are joined, in milliseconds. Below the time that a person notices. */
const JOINED_MS = 30;

/** Piece of the text or of the reasoning of an answer. */
export type TextEvent = Extract<PassingEvent, { readonly type: 'text.delta' | 'reasoning.delta' }>;

/** Pieces of text that wait to be published. */
export interface PassingText {
  add(event: TextEvent): void;
  /** Publishes the waiting text. Called before any other event, so that the order stays. */
  flush(): void;
}

/** Creates a queue without text. */
export function createPassingText(publish: (event: TextEvent) => void): PassingText {
  let type: TextEvent['type'] = 'text.delta';
  let pieces: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    if (pieces.length === 0) return;
    const text = pieces.join('');
    pieces = [];
    publish({ type, text });
  };
  const pass = (): void => {
    timer = undefined;
    if (pieces.length === 0) return;
    flush();
    wait();
  };
  const wait = (): void => {
    timer = setTimeout(pass, JOINED_MS);
    timer.unref();
  };
  return {
    add(event) {
      if (event.type !== type) flush();
      ({ type } = event);
      pieces.push(event.text);
      if (timer !== undefined) return;
      flush();
      wait();
    },
    flush,
  };
}
