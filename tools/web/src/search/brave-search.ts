// Web search with the Brave Search API: https://api-dashboard.search.brave.com/api-reference/web/search/get
// The key is sent only to the address of the service. No message contains it.

import { setTimeout as delay } from 'node:timers/promises';

import { money } from '@tidemark/log';
import { z } from 'zod';

import { WebError } from '../web-error.ts';
import type { WebSearch, WebSearchRequest, WebSearchResult } from './web-search.ts';

/** Options of Brave Search. */
export interface BraveSearchOptions {
  /** Key of the API (`X-Subscription-Token`). Without it, each search is refused with the next step. */
  readonly apiKey?: string | undefined;
  /** Base URL of the API. Default: the public address. */
  readonly baseURL?: string;
  /** Price of one search in US dollars, such as `0.005`. Without it, the cost of a search is unknown. */
  readonly price?: string;
  /** Waits before a search is repeated. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Variable with the key, in the command and in the documentation of the service. */
export const BRAVE_VARIABLE = 'BRAVE_API_KEY';

const ADDRESS = 'https://api.search.brave.com/res/v1';
const NAME = 'Brave Search';
/** Maximum time of one request in milliseconds, and maximum size of an answer in bytes. */
const TIME = 20_000;
const BYTES = 2 * 1024 * 1024;
/** Number of requests for one search, and the longest wait between two of them in milliseconds. */
const ATTEMPTS = 3;
const LONGEST_WAIT = 10_000;

const ANSWER = z.object({
  web: z.object({ results: z.array(z.unknown()).max(1_000) }).nullish(),
});
const RESULT = z.object({
  title: z.string(),
  url: z.string(),
  description: z.string().optional(),
  age: z.string().optional(),
});

/** Creates a web search with the Brave Search API. */
export function createBraveSearch(options: BraveSearchOptions = {}): WebSearch {
  const { apiKey, baseURL = ADDRESS, price, wait = waitFor } = options;
  const charge = { service: NAME, requests: 1, ...(price !== undefined && { cost: money(price) }) };
  const base = new URL(`${baseURL.replace(/\/+$/, '')}/web/search`);
  return {
    name: NAME,
    host: base.hostname,
    ...(apiKey !== undefined && { secrets: [apiKey] }),
    async search(request) {
      if (apiKey === undefined) throw noKey();
      const url = addressOf(base, request);
      for (let attempt = 1; ; attempt += 1) {
        const answer = await ask(url, apiKey, request.signal);
        if (answer.status === 200) return { results: resultsOf(answer.text), charge };
        const pause = attempt < ATTEMPTS ? pauseAfter(answer) : undefined;
        if (pause === undefined) throw refusal(answer);
        await wait(pause, request.signal);
        request.signal.throwIfAborted();
      }
    },
  };
}

function addressOf(base: URL, { query, count }: WebSearchRequest): URL {
  const url = new URL(base);
  url.search = new URLSearchParams({
    q: query,
    count: String(count),
    result_filter: 'web',
    text_decorations: 'false',
  }).toString();
  return url;
}

interface SearchAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(url: URL, apiKey: string, signal: AbortSignal): Promise<SearchAnswer> {
  const timeout = AbortSignal.timeout(TIME);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'x-subscription-token': apiKey },
      redirect: 'error',
      signal: AbortSignal.any([signal, timeout]),
    });
    return { status: response.status, headers: response.headers, text: await textOf(response) };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof WebError) throw cause;
    if (timeout.aborted) throw failure(`did not answer within ${TIME / 1000} seconds`, 'web/timeout');
    throw failure('could not be reached', 'web/search-failed', cause);
  }
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let room = BYTES;
  for await (const part of body ?? []) {
    room -= part.length;
    // Leaving the loop cancels the rest of the answer.
    if (room < 0) throw failure(`sent an answer of more than ${BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Returns the results of an answer. A result of another form is left out. */
function resultsOf(text: string): readonly WebSearchResult[] {
  const read = ANSWER.safeParse(valueOf(text));
  if (!read.success) throw failure('sent an answer that is not in the documented form');
  return (read.data.web?.results ?? []).flatMap((entry) => {
    const { data } = RESULT.safeParse(entry);
    if (data === undefined) return [];
    const { title, url, description: snippet = '', age } = data;
    return [{ title, url, snippet, ...(age !== undefined && { date: age }) }];
  });
}

/** Returns the JSON value of a text, or `undefined` if it is not JSON. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the pause before the next attempt, in milliseconds. `undefined` if another attempt is useless. */
function pauseAfter({ status, headers }: SearchAnswer): number | undefined {
  if (status >= 500) return 1_000;
  if (status !== 429) return undefined;
  const pause = secondsUntilReset(headers) * 1_000;
  return pause <= LONGEST_WAIT ? pause : undefined;
}

/**
 * Returns the seconds until the exhausted limits start again. The service has one limit for each second and one for each
 * month. Its headers list both: `X-RateLimit-Remaining: 0, 1500` and `X-RateLimit-Reset: 1, 1419704`.
 */
function secondsUntilReset(headers: Headers): number {
  const after = headers.get('retry-after');
  if (after !== null && /^\d{1,9}$/.test(after)) return Number(after);
  const numbers = (name: string): readonly number[] =>
    (headers.get(name) ?? '').split(',').flatMap((text) => (/^\s*\d{1,9}\s*$/.test(text) ? [Number(text)] : []));
  const remaining = numbers('x-ratelimit-remaining');
  const resets = numbers('x-ratelimit-reset').filter((_, index) => (remaining[index] ?? 0) === 0);
  const exhausted = remaining.length > 0 ? resets : resets.slice(0, 1);
  return Math.max(1, ...exhausted);
}

function refusal({ status, headers }: SearchAnswer): WebError {
  if (status === 401 || status === 403 || status === 422)
    return new WebError(
      'web/search-refused',
      `${NAME} refused the request with status ${status}: the key is not valid, or it does not allow this search. Tell the user.`,
      { status },
    );
  if (status === 429)
    return new WebError(
      'web/search-refused',
      `The limit of ${NAME} is used up, and it starts again in ${secondsUntilReset(headers)} seconds. Continue without a search, or tell the user.`,
      { status },
    );
  return failure(`answered with status ${status}`);
}

function failure(
  what: string,
  code: 'web/search-failed' | 'web/timeout' = 'web/search-failed',
  cause?: unknown,
): WebError {
  return new WebError(code, `${NAME} ${what}. Search again later, or continue without a search.`, {}, cause);
}

function noKey(): WebError {
  return new WebError(
    'web/no-key',
    `There is no key for ${NAME}, so nothing was searched. Tell the user to set ${BRAVE_VARIABLE}, or to store a key with \`tidemark keys set brave\`.`,
  );
}

/** Waits, at most until the signal aborts. The caller checks the signal. */
async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
