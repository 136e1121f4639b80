// Adds the caller's headers and bearer token to each request, and hides secrets in the text of errors. A token from a
// function can expire. So after a 401, the function is called one more time.

import { ProviderError } from '@tidemark/model';
import type { Service } from './service.ts';
import { refuse } from './service.ts';

/**
 * Bearer token, or a function that returns one. The function is called before the first request, and again after a
 * status 401.
 */
export type BearerToken = string | (() => string | Promise<string>);

/** Returns a text without the secrets of a client. */
export type Hide = (text: string) => string;

interface CredentialOptions {
  readonly service: Service;
  /** API key. Sent by the SDK, except if `bearerToken` is set. */
  readonly key: string;
  /** Additional headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly bearerToken?: BearerToken | undefined;
}

/** Credentials of a client. */
export interface Credentials {
  /** Returns a fetch that adds the headers and the token to each request. */
  through(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
  /** Headers for a WebSocket, without the credential of the SDK. */
  readonly headers: Readonly<Record<string, string>>;
  readonly hide: Hide;
}

/** Creates the credentials of a client. A token from a function is kept until the server refuses it with a 401. */
export function createCredentials({ service, key, headers = {}, bearerToken }: CredentialOptions): Credentials {
  const hidden = new Map(Object.entries(headers).map(([name, value]): [string, string] => [value, name]));
  const token = bearerToken === undefined ? undefined : keepToken(service, bearerToken, hidden);
  return {
    headers,
    hide: (text) => hideAll(text, key, hidden),
    through: (fetch) => async (input, init) => {
      const send = async (used: string | undefined): Promise<Response> =>
        asResponse(service, await fetch(input, { ...init, headers: requestHeaders(init?.headers, headers, used) }));
      const used = await token?.get();
      const response = await send(used);
      const fresh = response.status === 401 && used !== undefined ? await token?.renew(used) : undefined;
      if (fresh === undefined) return response;
      await response.body?.cancel().catch(() => undefined);
      return send(fresh);
    },
  };
}

/**
 * Returns the answer of a `fetch`. The caller's `fetch` can have its own `Response` class, so only the members that are
 * used are checked.
 *
 * @throws ProviderError `provider/unsupported` for a value that is not a `Response`. A retry would return the same
 * value.
 */
function asResponse(service: Service, value: Response): Response {
  if (isResponse(value)) return value;
  const found = value === null ? 'null' : typeof value;
  const message = `the function \`fetch\` of the connection to ${service.title} returned a value that is no Response (${found}): fix the function`;
  throw refuse(service, 'provider/unsupported', message);
}

function isResponse(value: Partial<Response> | null | undefined): boolean {
  if (typeof value?.status !== 'number' || typeof value.headers?.get !== 'function') return false;
  return value.body === null || typeof value.body?.getReader === 'function';
}

/**
 * Names of the headers that the SDKs send. The SDKs also add headers from environment variables
 * (`OPENAI_CUSTOM_HEADERS`, `ANTHROPIC_CUSTOM_HEADERS`). Those are dropped, because they may be meant for another
 * address.
 */
const OF_SDK =
  /^(?:accept|authorization|content-type|user-agent|x-api-key|anthropic-(?:version|beta|dangerous-direct-browser-access)|openai-beta|idempotency-key|x-stainless-[\w-]+)$/;

function requestHeaders(
  ofSdk: ConstructorParameters<typeof Headers>[0],
  own: Readonly<Record<string, string>>,
  token: string | undefined,
): Headers {
  const headers = new Headers([...new Headers(ofSdk)].filter(([name]) => OF_SDK.test(name)));
  if (token !== undefined) {
    headers.delete('x-api-key');
    headers.set('authorization', `Bearer ${token}`);
  }
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

interface TokenSource {
  get(): Promise<string>;
  /**
   * Requests another token after `refused` was refused. Returns `undefined` if there is no other token. Parallel calls
   * share one request.
   */
  renew(refused: string): Promise<string | undefined>;
}

function keepToken(service: Service, given: BearerToken, hidden: Map<string, string>): TokenSource {
  let current: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const token = headerToken(service, typeof given === 'string' ? given : await callFunction(service, given));
    hidden.set(token, 'token');
    return token;
  };
  const get = (): Promise<string> => {
    const asked = (current ??= ask());
    // A failed request for a token is not kept, so the next call asks again.
    asked.catch(() => {
      if (current === asked) current = undefined;
    });
    return asked;
  };
  return {
    get,
    async renew(refused) {
      if (typeof given === 'string') return undefined;
      if ((await get()) === refused) current = undefined;
      const fresh = await get();
      return fresh === refused ? undefined : fresh;
    },
  };
}

async function callFunction(service: Service, given: () => string | Promise<string>): Promise<string> {
  try {
    return await given();
  } catch (error) {
    // The message of the error may contain a secret, so only its name is reported.
    const name = error instanceof Error ? error.name : typeof error;
    throw credentialError(service, `the function \`bearerToken\` for ${service.title} threw ${name}: fix the function`);
  }
}

const PRINTABLE = /^[\x21-\x7e]+$/;

function headerToken(service: Service, token: unknown): string {
  const trimmed = typeof token === 'string' ? token.trim() : '';
  if (PRINTABLE.test(trimmed)) return trimmed;
  const message = `the bearer token for ${service.title} is empty or contains characters that a header cannot contain: set it again`;
  throw credentialError(service, message);
}

/**
 * Returns the API key without white space around it.
 *
 * @throws ProviderError `provider/authentication` for a key that is not valid in a header.
 */
export function headerKey(service: Service, apiKey: string): string {
  const key = apiKey.trim();
  if (PRINTABLE.test(key)) return key;
  const message = `the API key for ${service.title} is empty or contains characters that a header cannot contain: set it again`;
  throw credentialError(service, message);
}

function credentialError({ name }: Service, message: string): ProviderError {
  return new ProviderError('stop', 'provider/authentication', message, { provider: name });
}

/** Length from which a value is hidden anywhere in a text. A shorter value is hidden only as a whole word. */
const LONG = 8;
/** Length below which a value of a header is not hidden. Such a value is no secret and occurs in any text. */
const SHORT = 4;

/** Placeholder key for a server that needs no key. */
export const NO_KEY = 'none';

/** Hides longer values first, because a value may contain another value. */
function hideAll(text: string, key: string, hidden: ReadonlyMap<string, string>): string {
  const values = [...hidden].filter(([value]) => value.length >= SHORT && value !== key);
  const sorted = values.toSorted(([a], [b]) => b.length - a.length);
  const without = key === NO_KEY ? text : hideValue(text, key, '[key]');
  return sorted.reduce((rest, [value, name]) => hideValue(rest, value, `[${name}]`), without);
}

/** Hides a value, also in the form in which JSON contains it. */
function hideValue(text: string, value: string, by: string): string {
  const inJson = JSON.stringify(value).slice(1, -1);
  const hidden = inJson === value ? text : hideText(text, inJson, by);
  return hideText(hidden, value, by);
}

function hideText(text: string, value: string, by: string): string {
  if (value.length >= LONG) return text.replaceAll(value, by);
  const escaped = value.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, 'g'), () => by);
}
