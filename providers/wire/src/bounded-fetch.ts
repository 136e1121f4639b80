// Limits the answers of a server. The `fetch` for SDK clients follows no redirect, reads a limited part of an error
// response, and reports failures that a retry cannot fix. The body of an answer is counted while it arrives. At the
// first byte above a limit, reading throws. So no larger body is ever in memory. If the answer is an HTML page, this is
// reported.

import type { AddressReach } from './address.ts';
import { connectionError, pageInstead, redirected } from './address.ts';
import type { AnswerLimits } from './answer-limits.ts';
import { ERROR_BYTES, oversized } from './answer-limits.ts';
import { malformed, pageName } from './call-errors.ts';
import type { Service } from './service.ts';

interface FetchOptions {
  readonly service: Service;
  readonly reach: AddressReach;
  /**
   * Maximum time in a call without received data, in milliseconds. The wait for the body of an error response is at
   * most half of this time, and at most 5 seconds.
   */
  readonly idleMs: number;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Maximum wait for the body of an error response, in milliseconds. The part that has arrived by then is used. */
const ERROR_BODY_MS = 5_000;

/**
 * Returns a fetch with limits. Any error that `connectionError` does not recognize is thrown unchanged.
 *
 * @throws ProviderError `provider/address` for a redirect, and for an address or a certificate that a retry cannot fix;
 *   `provider/oversized` for headers that are too large; `provider/malformed` for a status that HTTP does not define.
 */
export function boundFetch({ service, reach, idleMs, fetch }: FetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await ask(fetch ?? globalThis.fetch, input, init).catch((error: unknown) => {
      throw connectionError(service, error, reach) ?? error;
    });
    reach.answered = true;
    // A fetch of the caller may follow redirects although it was asked not to.
    if (response.redirected) {
      await discard(response);
      throw redirected(service, response.url, addressOf(input));
    }
    if (response.ok) return response;
    if (isRedirect(response)) {
      await discard(response);
      throw redirected(service, response.headers.get('location'), addressOf(input));
    }
    if (response.status < 400 || response.status > 599) {
      await discard(response);
      throw malformed(service, `the status ${response.status}`);
    }
    const body = await beginningOf(response, Math.min(ERROR_BODY_MS, idleMs / 2));
    return new Response(body, { status: response.status, headers: boundedHeaders(response) });
  };
}

/**
 * Calls a `fetch`. The abort signal ends the wait, even if the caller's `fetch` or `bearerToken` function ignores the
 * signal.
 */
async function ask(
  fetch: typeof globalThis.fetch,
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): Promise<Response> {
  const { promise: abort, reject } = Promise.withResolvers<never>();
  const signal = init?.signal;
  const end = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([fetch(input, { ...init, redirect: 'manual' }), abort]);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/**
 * True if the response is a redirect. In a browser, a redirect that was not followed has no status, so its type is
 * checked too.
 */
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function addressOf(input: Parameters<typeof globalThis.fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

/**
 * Returns the first bytes of a body: at most `ERROR_BYTES`, and only the bytes that arrive within `ms` milliseconds. If
 * reading fails, for example by an abort, returns the bytes that arrived before the failure.
 */
async function beginningOf(response: Response, ms: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), ms);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < ERROR_BYTES) {
      const next = await Promise.race([reader.read(), late]);
      if (next === 'late' || next.done) break;
      chunks.push(next.value.subarray(0, ERROR_BYTES - bytes));
      bytes += next.value.length;
    }
  } catch {
    // The status is enough to report the failure, even if reading the body failed.
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => undefined);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Number of bytes of an HTML page that are read to find its title. */
const PAGE_BYTES = 16 * 1024;
const WHITE = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const LESS_THAN = 0x3c;
/**
 * A blank line in each of the three line-ending styles. In a stream of server-sent events, a blank line ends an event.
 */
const BLANK_LINES = ['\n\n', '\r\n\r\n', '\r\r'].map((text) => Buffer.from(text));
const LONGEST_BLANK = 4;

/**
 * Returns a response with the same status and content, and counts its body while it is read.
 *
 * @throws ProviderError while reading: `provider/oversized` above a limit, `provider/address` if the body is an HTML
 * page instead of an answer.
 */
export function boundAnswer(service: Service, response: Response, limits: AnswerLimits): Response {
  if (response.body === null) return response;
  const { body } = response;
  const reader = body.getReader();
  const meter = createMeter(service, limits);
  const bounded = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const next = await reader.read();
          if (next.done) {
            meter.end();
            controller.close();
          } else controller.enqueue(meter.take(next.value));
        } catch (error) {
          controller.error(error);
          reader.cancel().catch(() => undefined);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(bounded, { status: response.status, headers: boundedHeaders(response) });
}

/**
 * Returns the headers without those that describe the encoded body. The reader receives decoded bytes, to which these
 * headers do not apply.
 */
function boundedHeaders({ headers: all }: Response): Headers {
  const headers = new Headers(all);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  return headers;
}

type Bytes = Uint8Array<ArrayBuffer>;

interface BodyMeter {
  /**
   * Counts a chunk and returns it. If the body is an HTML page, stores the chunk to find the title, and returns an
   * empty chunk.
   *
   * @throws ProviderError above a limit, or when enough bytes of an HTML page have arrived.
   */
  take(chunk: Bytes): Bytes;
  /**
   * Ends the body.
   *
   * @throws ProviderError when the body is an HTML page shorter than `PAGE_BYTES`. A longer page has already made
   *   `take` throw.
   */
  end(): void;
}

function createMeter(service: Service, { answerBytes, eventBytes, events }: AnswerLimits): BodyMeter {
  const blank = new Uint8Array();
  const page: Bytes[] = [];
  let begun = false;
  let all = 0;
  let event = 0;
  let ended = 0;
  let before = Buffer.alloc(0);
  const count = (chunk: Bytes): void => {
    all += chunk.length;
    if (all > answerBytes) throw oversized(service, `an answer of more than ${answerBytes} bytes`);
    const seam = Buffer.concat([before, chunk]);
    const added = seam.length - chunk.length;
    const { first, last } = blankLines(seam);
    ended += countBlankLines(seam, added);
    if (ended > events) throw oversized(service, `an answer of more than ${events} events`);
    const longest = event + (first ?? seam.length) - added;
    if (longest > eventBytes) throw oversized(service, `an event of more than ${eventBytes} bytes`);
    event = last === undefined ? event + chunk.length : seam.length - last;
    before = Buffer.from(seam.subarray(-(LONGEST_BLANK - 1)));
  };
  const named = (): Error => pageInstead(service, pageName(Buffer.concat(page).toString('utf8')));
  return {
    take(chunk) {
      count(chunk);
      if (page.length === 0) {
        const first = begun ? undefined : chunk.find((byte) => !WHITE.has(byte));
        if (first === undefined || first !== LESS_THAN) {
          begun ||= first !== undefined;
          return chunk;
        }
      }
      page.push(chunk);
      if (all >= PAGE_BYTES) throw named();
      return blank;
    },
    end() {
      if (page.length > 0) throw named();
    },
  };
}

/**
 * Returns the offsets at which the first and the last blank line end. An offset is `undefined` if the bytes contain no
 * blank line.
 */
function blankLines(bytes: Buffer): { readonly first: number | undefined; readonly last: number | undefined } {
  const firsts = BLANK_LINES.map((line) => [bytes.indexOf(line), line.length] as const).filter(([at]) => at !== -1);
  if (firsts.length === 0) return { first: undefined, last: undefined };
  const lasts = BLANK_LINES.map((line) => [bytes.lastIndexOf(line), line.length] as const).filter(([at]) => at !== -1);
  return {
    first: Math.min(...firsts.map(([at, length]) => at + length)),
    last: Math.max(...lasts.map(([at, length]) => at + length)),
  };
}

/**
 * Returns the number of blank lines. An earlier call has already counted the lines within the first `counted` bytes, so
 * these are not included.
 */
function countBlankLines(bytes: Buffer, counted: number): number {
  return BLANK_LINES.reduce((sum, line) => {
    let count = 0;
    for (let at = bytes.indexOf(line); at !== -1; at = bytes.indexOf(line, at + line.length))
      if (at + line.length > counted) count += 1;
    return sum + count;
  }, 0);
}
