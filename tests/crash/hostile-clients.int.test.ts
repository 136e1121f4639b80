// Hostile clients of the simulator: hundreds of slow connections, endless bodies and messages, malformed bytes, and
// aborts. Afterwards no connection is left open, and a normal call succeeds. By default only a few clients of each kind
// are tried, and `npm run torture` tries all.

import { dial, post, requestText, sendEndlessly, statusOf, upgrade } from '@tidemark/http-server/contract';
import type { RawClient } from '@tidemark/http-server/contract';
import { createSimulator } from '@tidemark/simulator';
import type { ListeningSimulator } from '@tidemark/simulator';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { PATIENCE, WHOLE, tally } from './tally.ts';

const MIB = 1024 * 1024;
const CLIENTS = WHOLE ? 600 : 40;
/**
 * Maximum growth of the process's memory in bytes. It covers data held for the clients, the clients' own data, and
 * garbage.
 */
const MAX_GROWTH = 512 * MIB;
const LIMITS = { headersMs: 1_000, requestMs: 2_000, checkMs: 50, lingerMs: 100, heldBytes: 64 * MIB, pingMs: 200 };
const REQUEST = {
  path: '/v1/messages',
  headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
  body: '{"model":"claude-opus-4-8","max_tokens":100,"messages":[{"role":"user","content":"hello"}]}',
};
const CHUNK = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
/** Text frame of 64 KiB that is not the last of its message, masked with zeros. */
const FRAGMENT = Buffer.concat([
  Uint8Array.of(0x01, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0),
  Buffer.alloc(0x10000, 'a'),
]);
const CONTINUATION = Buffer.concat([Uint8Array.of(0x00), FRAGMENT.subarray(1)]);

interface Attack {
  readonly name: string;
  /**
   * Starts one client of the attack. Depending on the attack, the server closes the connection later, or the client
   * closes it at once.
   */
  begin(port: number): Promise<RawClient>;
}

const headOf = (port: number, own: Readonly<Record<string, string>>): string =>
  requestText({ ...REQUEST, body: '' }, { host: `127.0.0.1:${port}`, ...own });

async function sending(port: number, text: string): Promise<RawClient> {
  const client = await dial(port);
  client.send(text);
  return client;
}

const ATTACKS: readonly Attack[] = [
  { name: 'silent connections', begin: dial },
  { name: 'headers that do not end', begin: (port) => sending(port, headOf(port, {}).slice(0, -2)) },
  { name: 'bodies that do not come', begin: (port) => sending(port, headOf(port, { 'content-length': '1000000' })) },
  {
    name: 'bodies declared as 10 GB',
    begin: (port) => sending(port, headOf(port, { 'content-length': '10000000000' })),
  },
  {
    name: 'endless bodies in chunks',
    async begin(port) {
      const client = await sending(port, headOf(port, { 'transfer-encoding': 'chunked' }));
      sendEndlessly(client, CHUNK);
      return client;
    },
  },
  {
    name: 'endless headers',
    async begin(port) {
      const client = await sending(port, `POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`);
      sendEndlessly(client, `x: ${'y'.repeat(1_000)}\r\n`);
      return client;
    },
  },
  {
    name: 'endless WebSocket messages',
    async begin(port) {
      const client = await upgrade(port, { path: '/v1/responses', headers: { authorization: 'Bearer k' } });
      await client.until(/\r\n\r\n/);
      client.send(FRAGMENT);
      sendEndlessly(client, CONTINUATION);
      return client;
    },
  },
  {
    name: 'WebSockets that answer no ping',
    begin: (port) => upgrade(port, { path: '/v1/responses', headers: { authorization: 'Bearer k' } }),
  },
  { name: 'malformed bytes', begin: (port) => sending(port, '\u0000\u0001\u0002\r\n\r\n') },
  {
    name: 'resets in mid-body',
    async begin(port) {
      const client = await sending(port, headOf(port, { 'content-length': '1000000' }) + 'a'.repeat(1_000));
      client.socket.resetAndDestroy();
      return client;
    },
  },
  {
    name: 'resets in an upgrade',
    async begin(port) {
      const client = await upgrade(port, { path: '/nowhere', headers: {} });
      client.socket.resetAndDestroy();
      return client;
    },
  },
];

const counted = { clients: 0, left: 0, refused: 0, megabytes: 0 };

afterAll(() => {
  tally('hostile clients of the simulator', {
    'kinds of attack': ATTACKS.length,
    clients: counted.clients,
    'answered with an error': counted.refused,
    'connections left open': counted.left,
    'MiB of memory at most': counted.megabytes,
  });
});

async function attack(listening: ListeningSimulator, { begin }: Attack): Promise<void> {
  const before = process.memoryUsage().rss;
  const clients: RawClient[] = [];
  for (let count = 0; count < CLIENTS; count += 1) clients.push(await begin(listening.port));
  for (const client of clients) {
    const received = await client.ended;
    if ((statusOf(received) ?? 0) >= 400) counted.refused += 1;
  }
  counted.clients += clients.length;
  const grown = process.memoryUsage().rss - before;
  counted.megabytes = Math.max(counted.megabytes, Math.round(grown / MIB));
  expect(grown).toBeLessThan(MAX_GROWTH);
  await vi.waitFor(() => expect(listening.connections()).toBe(0), { timeout: 60_000 });
  counted.left += listening.connections();
}

describe('hostile clients of the simulator', () => {
  it.each(ATTACKS.map((each) => [each.name, each] as const))(
    'with %s leave no connection open, and a normal call then succeeds',
    PATIENCE,
    async (_name, each) => {
      const listening = await createSimulator().listen({ limits: LIMITS });
      try {
        await attack(listening, each);
        expect(await post(listening.port, REQUEST)).toBe(200);
      } finally {
        await listening.close();
      }
    },
  );

  it('do not prevent a normal call from succeeding while they are active', PATIENCE, async () => {
    const listening = await createSimulator().listen({
      limits: { ...LIMITS, connections: 2 * CLIENTS * ATTACKS.length },
    });
    try {
      const clients = await Promise.all(
        ATTACKS.flatMap((each) =>
          Array.from({ length: Math.ceil(CLIENTS / ATTACKS.length) }, () => each.begin(listening.port)),
        ),
      );
      await vi.waitFor(async () => expect(await post(listening.port, REQUEST)).toBe(200), { timeout: 60_000 });
      await Promise.all(clients.map(({ ended }) => ended));
      counted.clients += clients.length;
    } finally {
      await listening.close();
    }
  });

  it('are disconnected when the simulator is closed', PATIENCE, async () => {
    const listening = await createSimulator().listen();
    const slow = ATTACKS.filter(
      ({ name }) => name.includes('do not') || name.includes('silent') || name.includes('ping'),
    );
    const clients = await Promise.all(slow.map(({ begin }) => begin(listening.port)));
    await vi.waitFor(() => expect(listening.connections()).toBe(clients.length), { timeout: 60_000 });
    await listening.close();
    await Promise.all(clients.map(({ ended }) => ended));
    expect(listening.connections()).toBe(0);
  });
});
