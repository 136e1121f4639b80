// Reads the beginning of an answer to find its form. Some servers send a whole JSON answer although the request asked
// for a stream. Other servers send a wrong content type. So the first byte decides.

/** An answer with its form. The body of `response` is complete, with the bytes that were read to find the form. */
export interface PeekedAnswer {
  readonly form: 'json' | 'events';
  readonly response: Response;
}

const WHITE = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const OPENING_BRACE = 0x7b;

/**
 * Reads an answer up to its first byte that is not white space. An opening brace begins a JSON answer; any other byte
 * begins server-sent events. An abort of the signal ends the wait.
 */
export async function peekAnswer(response: Response, signal: AbortSignal): Promise<PeekedAnswer> {
  if (response.body === null) return { form: 'events', response };
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> = response.body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  const read: Uint8Array<ArrayBuffer>[] = [];
  let first: number | undefined;
  try {
    while (first === undefined) {
      const next = await reader.read();
      if (next.done) break;
      const value: Uint8Array<ArrayBuffer> = next.value;
      read.push(value);
      first = value.find((byte) => !WHITE.has(byte));
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  const { status, headers } = response;
  const form = first === OPENING_BRACE ? 'json' : 'events';
  return { form, response: new Response(continued(reader, read), { status, headers }) };
}

function continued(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  read: Uint8Array<ArrayBuffer>[],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const known = read.shift();
        if (known !== undefined) return controller.enqueue(known);
        const next = await reader.read();
        return next.done ? controller.close() : controller.enqueue(next.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
