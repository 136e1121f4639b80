// Server-sent events as text, and texts in pieces.

/** One event. `data` is JSON text, and carries the event's name as `type` too. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** An event as bytes of the stream. */
export function encodeEvent({ event: name, data }: SseEvent): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

/** The data of an encoded event: what a WebSocket frame holds of it. */
export function dataOf(encoded: string): string {
  return encoded.slice(encoded.indexOf('\ndata: ') + '\ndata: '.length).trimEnd();
}

/** Pieces of a text of so many characters. One outside the basic plane is never cut in two. */
export function* chunks(text: string, size: number): Generator<string> {
  let at = 0;
  while (at < text.length) {
    const half = text.charCodeAt(at + size - 1);
    const end = at + size + (half >= 0xd800 && half <= 0xdbff ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}
