// Tests of every provider over HTTP against a broken or hostile server. A provider reads only a limited amount of data,
// never sends the conversation to another host, and does not retry a failure that a retry cannot fix.

import type { Outgoing, Provider, ProviderError } from '@tidemark/model';
import { afterEach, describe, expect, it } from 'vitest';
import type { Written } from './hostile-replies.ts';
import {
  BOMB_BYTES,
  dripping,
  gzipBomb,
  manyHeaders,
  pageTitled,
  redirectTo,
  sending,
  serveSelfSigned,
} from './hostile-replies.ts';
import type { Reply, Served, SocketOptions, SocketSubject } from './socket-contract.ts';
import { failureOf, partsOf, serve, streaming } from './socket-contract.ts';

const KEY = 'sk-ant-a-secret-key';
const MIB = 1024 * 1024;
/**
 * Upper bound, in bytes, for the data that a test server writes before the client stops reading. The limits of a small
 * answer plus the buffers between server and client are below this bound.
 */
const MAX_WRITTEN = 64 * MIB;
const OVERSIZED = { class: 'refused', code: 'provider/oversized' };
const WRONG_ADDRESS = { class: 'stop', code: 'provider/address' };

/** Defines the tests that every provider over HTTP must pass against a hostile server. */
export function describeHostileContract(name: string, subject: SocketSubject): void {
  const served: Pick<Served, 'close'>[] = [];
  afterEach(async () => {
    await Promise.all(served.splice(0).map((one) => one.close()));
  });
  const open = async (reply: Reply): Promise<Served> => {
    const server = await serve(reply);
    served.push(server);
    return server;
  };
  const make = (baseURL: string, more: Partial<SocketOptions> = {}): Provider =>
    subject.make({ apiKey: KEY, baseURL, ...more });
  const outgoing = (more: Partial<Outgoing> = {}): Outgoing => ({
    body: Buffer.from(subject.body),
    betas: [],
    outputLimit: 1,
    ...more,
  });
  const failing = async (reply: Reply, more: Partial<SocketOptions> = {}): Promise<ProviderError> =>
    failureOf(make((await open(reply)).baseURL, more), outgoing());
  /** Expects that the answer is refused as oversized and that the client closes the connection. */
  const expectDisconnected = async (reply: Reply): Promise<void> => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const error = await failing((response) => {
      response.socket?.once('close', () => resolve());
      reply(response);
    });
    expect(error).toMatchObject(OVERSIZED);
    await closed;
  };
  const begun = subject.begun.join('');

  describe(`a hostile server called by ${name}`, () => {
    it.each([100 * MIB, Infinity])(
      'sends an error body of %d bytes, and the client stops reading it after a limited part',
      async (bytes) => {
        const written: Written = { bytes: 0 };
        const json = '{"type":"error","error":{"type":"api_error","message":"';
        const error = await failing(sending({ status: 500, before: json, bytes, after: '"}}', written }));
        expect(error).toMatchObject({ class: 'retryable', code: 'provider/server', data: { status: 500 } });
        expect(error.message.length).toBeLessThan(3_000);
        expect(written.bytes).toBeLessThan(MAX_WRITTEN);
      },
    );

    it('cannot delay a failure with an error body that never ends', async () => {
      const error = await failing(dripping(500), { idleMs: 400 });
      expect(error).toMatchObject({ code: 'provider/server', data: { status: 500 } });
    });

    it.each([
      ['an endless line of a stream', { before: `${begun}data: ` }],
      ['an event of 50 MB', { before: `${begun}data: {"x":"`, bytes: 50 * MIB, after: '"}\n\n' }],
      [
        'an endless answer that is not a stream',
        { before: '{"id":"', headers: { 'content-type': 'application/json' } },
      ],
      ['endless comments', { before: begun, piece: Buffer.from(': nothing\n\n'.repeat(5_000)) }],
      ['endless small deltas', { before: begun, piece: Buffer.from((subject.begun.at(-1) ?? '').repeat(500)) }],
    ])('is disconnected at a limit when it sends %s', async (_title, body) => {
      const written: Written = { bytes: 0 };
      expect(await failing(sending({ ...body, written }))).toMatchObject(OVERSIZED);
      expect(written.bytes).toBeLessThan(MAX_WRITTEN);
    });

    it.each(['application/json', 'text/event-stream'])(
      'is disconnected inside a gzip bomb of type %s',
      async (type) => {
        const written: Written = { bytes: 0 };
        await expectDisconnected(gzipBomb(type, written));
        expect(written.bytes).toBeLessThan(BOMB_BYTES);
      },
    );

    it('is disconnected when it sends 100,000 headers', async () => {
      await expectDisconnected(manyHeaders());
    });

    it('may send a longer answer for a larger output limit', async () => {
      const text = sending({ before: `${begun}data: {"x":"`, bytes: 5 * MIB, after: '"}\n\n' });
      const provider = make((await open(text)).baseURL);
      expect(await failureOf(provider, outgoing())).toMatchObject(OVERSIZED);
      const large = await failureOf(provider, outgoing({ outputLimit: 64_000 }));
      expect(large).toMatchObject({ code: expect.not.stringContaining('oversized') });
    });

    it.each([301, 302, 303, 307, 308])('cannot redirect a request to another port with status %d', async (status) => {
      const other = await open(streaming(subject.begun));
      const error = await failing(redirectTo(`${other.baseURL}/v1/messages?to=elsewhere`, status));
      expect(error).toMatchObject(WRONG_ADDRESS);
      expect(error.message).toContain(other.baseURL);
      expect(error.message).not.toContain('elsewhere');
      expect(other.arrivals).toEqual([]);
    });

    it.each(['text/html', 'text/plain', 'text/event-stream', 'application/json'])(
      'is reported as an HTML page if it sends one with status 200 and type %s',
      async (type) => {
        const error = await failing(pageTitled('Welcome to nginx!', type));
        expect(error).toMatchObject(WRONG_ADDRESS);
        expect(error.message).toContain('an HTML page titled "Welcome to nginx!"');
      },
    );

    it('is named in an error only by the title of its HTML page', async () => {
      const page = '<html><head><title>502 Bad Gateway</title></head><body>so sorry</body></html>';
      const error = await failing(sending({ status: 502, before: page, bytes: 0 }));
      expect(error.message).toContain('an HTML page titled "502 Bad Gateway"');
      expect(error.message).not.toContain('sorry');
    });

    it('cannot cause a wait above one week with `retry-after: 1e308`', async () => {
      const headers = { 'retry-after': '1e308' };
      const error = await failing(sending({ status: 429, headers, before: '{}', bytes: 0 }));
      expect(error).toMatchObject({ code: 'provider/rate-limited', data: { afterMs: 7 * 24 * 3_600_000 } });
    });

    it('cannot delay an abort by sending data', async () => {
      for (const reply of [
        sending({ status: 500 }),
        sending({ before: begun, piece: Buffer.from(': nothing\n\n') }),
        dripping(500),
      ]) {
        const controller = new AbortController();
        const { baseURL } = await open((response) => {
          reply(response);
          controller.abort();
        });
        const error = await failureOf(make(baseURL), outgoing({ signal: controller.signal, outputLimit: 1_000_000 }));
        expect(error).toMatchObject({ class: 'stop', code: 'provider/aborted' });
      }
    });
  });

  describe(`the address of ${name}`, () => {
    it('is not retried if the certificate of its server is self-signed', async () => {
      const server = await serveSelfSigned();
      served.push(server);
      expect(await failureOf(make(server.baseURL), outgoing())).toMatchObject(WRONG_ADDRESS);
    });

    it('is not retried if the server does not speak TLS', async () => {
      const { baseURL, arrivals } = await open(streaming(subject.begun));
      const error = await failureOf(make(baseURL.replace('http:', 'https:')), outgoing());
      expect(error).toMatchObject(WRONG_ADDRESS);
      expect(arrivals).toEqual([]);
    });

    it('is not retried if its host name does not exist', async () => {
      expect(await failureOf(make('http://nowhere.invalid'), outgoing())).toMatchObject(WRONG_ADDRESS);
    });

    it('is refused if it contains a password, and no error contains the password', () => {
      for (const baseURL of ['http://joe:hunter2word@127.0.0.1', 'https://hunter2word@127.0.0.1', 'hunter2word:x']) {
        expect(() => make(baseURL)).toThrow(
          expect.objectContaining({ ...WRONG_ADDRESS, message: expect.not.stringContaining('hunter2word') }),
        );
      }
    });

    it('is retried if a connection to it is refused after an earlier answer', async () => {
      const server = await open((response) => response.end('{}'));
      const provider = make(server.baseURL);
      await partsOf(provider, outgoing()).catch(() => undefined);
      await server.close();
      const error = await failureOf(provider, outgoing());
      expect(error).toMatchObject({ class: 'retryable', code: 'provider/connection' });
    });
  });
}
