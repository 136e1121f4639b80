// Encodes server-sent events and splits texts into pieces.

/** Server-sent event. `data` is JSON text that also contains the name of the event as `type`. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** Returns the text with which an event is written to the stream. */
export function encodeEvent({ event: name, data }: SseEvent): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

/** Returns the data of an encoded event. A WebSocket frame contains only this data. */
export function dataOf(encoded: string): string {
  return encoded.slice(encoded.indexOf('\ndata: ') + '\ndata: '.length).trimEnd();
}

/**
 * Yields the parts of a text, each with `size` UTF-16 units. If a part would end inside a surrogate pair, it is one
 * unit longer.
 */
export function* chunks(text: string, size: number): Generator<string> {
  let at = 0;
  while (at < text.length) {
    const half = text.charCodeAt(at + size - 1);
    const end = at + size + (half >= 0xd800 && half <= 0xdbff ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}
