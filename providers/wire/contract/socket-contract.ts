// Tests of every provider over HTTP, for any service. Checks the errors of a call whose answer stops early, stays
// silent, is aborted or is malformed. Also checks that no error contains the API key.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Outgoing, Provider, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { afterEach, describe, expect, it } from 'vitest';

/** Options for creating a provider for an address. */
export interface SocketOptions {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly idleMs?: number;
}

/** The provider under test, with examples of its API's texts that the tests need. */
export interface SocketSubject {
  readonly make: (options: SocketOptions) => Provider;
  readonly body: string;
  /** Server-sent events that begin an answer and contain part of its text, but do not end it. */
  readonly begun: readonly string[];
  /** Returns an event that reports the failure of the call with this message. */
  readonly failing: (message: string) => string;
  /** Returns the body of a 401 response that refuses the API key with this message. */
  readonly refusing: (message: string) => object;
}

/** A request that the server received. */
export interface Arrival {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Reply = (response: ServerResponse) => void;

/** A running test server: its address, the requests that it has received, and a function that stops it. */
export interface Served {
  readonly baseURL: string;
  readonly arrivals: readonly Arrival[];
  close(): Promise<void>;
}

/** Starts a local server that answers every request with the same reply. */
export async function serve(reply: Reply): Promise<Served> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      arrivals.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks) });
      reply(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { baseURL: `http://127.0.0.1:${port}`, arrivals, close };
}

/** Returns a reply that streams these server-sent events. */
export function streaming(events: readonly string[], after: Reply = (response) => response.end()): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(events.join(''), () => after(response));
  };
}

/** Returns the error that a call throws. Throws if the call succeeds. */
export async function failureOf(provider: Provider, outgoing: Outgoing): Promise<ProviderError> {
  try {
    await partsOf(provider, outgoing);
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

/** Returns all stream parts of a call. */
export async function partsOf(provider: Provider, outgoing: Outgoing): Promise<readonly StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of provider.send(outgoing)) parts.push(part);
  return parts;
}

const KEY = 'sk-ant-a-secret-key';

/** Defines the tests that every provider over HTTP must pass against a normal or broken server. */
export function describeSocketContract(name: string, subject: SocketSubject): void {
  const served: Served[] = [];
  afterEach(async () => {
    await Promise.all(served.splice(0).map((one) => one.close()));
  });
  const over = async (reply: Reply, more: Partial<SocketOptions> = {}): Promise<Provider> => {
    const server = await serve(reply);
    served.push(server);
    return subject.make({ apiKey: KEY, baseURL: server.baseURL, ...more });
  };
  const outgoing = (more: Partial<Outgoing> = {}): Outgoing => ({
    body: Buffer.from(subject.body),
    betas: [],
    ...more,
  });

  describe(`a call of ${name}`, () => {
    it('throws `provider/cut` when its stream ends early or breaks', async () => {
      for (const after of [undefined, (response: ServerResponse): void => void response.destroy()]) {
        const error = await failureOf(await over(streaming(subject.begun, after)), outgoing());
        expect(error).toMatchObject({ class: 'retryable', code: 'provider/cut' });
      }
    });

    it('throws the retryable `provider/malformed` for an event that is not JSON', async () => {
      const half = (subject.begun[0] ?? '').trimEnd().slice(0, -5);
      const error = await failureOf(await over(streaming([`${half}\n\n`])), outgoing());
      expect(error).toMatchObject({ class: 'retryable', code: 'provider/malformed' });
    });

    it('throws `provider/timeout` on silence before the answer and `provider/silent` on silence inside it', async () => {
      const mute = await over(() => undefined, { idleMs: 50 });
      expect(await failureOf(mute, outgoing())).toMatchObject({ class: 'retryable', code: 'provider/timeout' });
      const stuck = await over(
        streaming(subject.begun, () => undefined),
        { idleMs: 1_000 },
      );
      expect(await failureOf(stuck, outgoing())).toMatchObject({ class: 'retryable', code: 'provider/silent' });
    });

    it('throws `provider/address` if its first connection is refused', async () => {
      const nobody = await over(() => undefined);
      await Promise.all(served.splice(0).map((one) => one.close()));
      const error = await failureOf(nobody, outgoing());
      expect(error).toMatchObject({ class: 'stop', code: 'provider/address' });
      expect(error.message).toContain('ECONNREFUSED');
    });

    it('throws `provider/aborted` if the caller aborts, before the answer or inside it', async () => {
      const provider = await over(streaming(subject.begun, () => undefined));
      const never = AbortSignal.abort();
      expect(await failureOf(provider, outgoing({ signal: never }))).toMatchObject({ code: 'provider/aborted' });
      expect(served[0]?.arrivals).toHaveLength(0);
      const controller = new AbortController();
      const call = async (): Promise<void> => {
        for await (const part of provider.send(outgoing({ signal: controller.signal })))
          if (part.type === 'text.delta') controller.abort();
      };
      await expect(call()).rejects.toMatchObject({ class: 'stop', code: 'provider/aborted' });
    });

    it("closes the connection and stops listening to the caller's signal when the caller stops reading", async () => {
      const ours: (AbortSignal | null | undefined)[] = [];
      const fetch: typeof globalThis.fetch = (url, init) => {
        ours.push(init?.signal);
        return globalThis.fetch(url, init);
      };
      const listeners = new Set<() => void>();
      const signal: NonNullable<Outgoing['signal']> = {
        aborted: false,
        addEventListener: (_type, listener) => listeners.add(listener),
        removeEventListener: (_type, listener) => listeners.delete(listener),
      };
      const provider = await over(
        streaming(subject.begun, () => undefined),
        { fetch },
      );
      for await (const part of provider.send(outgoing({ signal }))) if (part.type === 'began') break;
      expect(ours.map((one) => one?.aborted)).toEqual([true]);
      expect(listeners.size).toBe(0);
    });
  });

  describe(`the key of ${name}`, () => {
    it('is in no error, even if the server or the socket repeats it', async () => {
      const refused = await failureOf(await over(refusal(subject.refusing(`invalid key ${KEY}`))), outgoing());
      expect(refused).toMatchObject({ class: 'stop', code: 'provider/authentication' });
      expect(everythingOf(refused)).not.toContain(KEY);
      const bad = await over(() => undefined, { fetch: () => Promise.reject(new TypeError(`bad header "${KEY}"`)) });
      expect(everythingOf(await failureOf(bad, outgoing()))).not.toContain(KEY);
      const loud = await over(streaming([subject.failing(KEY)]));
      expect(everythingOf(await failureOf(loud, outgoing()))).not.toContain(KEY);
    });

    it('is not quoted, not even in part, if the server sends it in place of JSON', async () => {
      const beforeData = (subject.begun[0] ?? '').split('data: ')[0] ?? '';
      const error = await failureOf(await over(streaming([`${beforeData}data: ${KEY}\n\n`])), outgoing());
      expect(error).toMatchObject({ class: 'retryable', code: 'provider/malformed' });
      expect(everythingOf(error)).not.toContain(KEY.slice(0, 8));
    });

    it('is refused when the provider is created if it is not valid in a header, and the error does not quote it', () => {
      for (const apiKey of ['', '  ', 'sk-ant\nx', 'schlüssel']) {
        expect(() => subject.make({ apiKey, baseURL: 'http://127.0.0.1' })).toThrow(
          expect.objectContaining({ code: 'provider/authentication', message: expect.not.stringContaining('sk-ant') }),
        );
      }
    });
  });
}

function refusal(body: object): Reply {
  return (response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

function everythingOf(error: ProviderError): string {
  const { cause } = error;
  const inner = cause instanceof Error ? cause.stack : '';
  return [error.message, error.stack, String(cause), inner, JSON.stringify(error)].join('\n');
}
