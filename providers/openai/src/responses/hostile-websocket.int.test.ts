// Tests WebSocket mode against a hostile server: endless frames, frames without a pause, and a redirect instead of an
// upgrade. The test server writes its frames by hand, because no library would write such frames.

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Outgoing, ProviderError } from '@tidemark/model';
import { failureOf } from '@tidemark/provider-wire/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { createOpenAIProvider } from '../provider.ts';

const MIB = 1024 * 1024;
/**
 * Upper bound for the bytes that a client with limits reads. The limits of a small answer and the buffers between
 * server and client are together below this number.
 */
const MAX_WRITTEN = 64 * MIB;
const TEXT_FRAME = 0x81;
const BEGUN = [
  { type: 'response.created', response: { id: 'resp_1', model: 'm' } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } },
];
const DELTA = { type: 'response.output_text.delta', output_index: 0, delta: 'word ' };

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

type Upgrade = (wire: Duplex, request: IncomingMessage) => void;

/** Starts a server that accepts only upgrades. Returns its address and the paths of all other requests. */
async function serve(upgrade: Upgrade): Promise<{ readonly baseURL: string; readonly others: string[] }> {
  const others: string[] = [];
  const wires = new Set<Duplex>();
  const server = createServer((request, response) => {
    others.push(request.url ?? '');
    response.writeHead(404).end();
  });
  server.on('upgrade', (request, wire: Duplex) => {
    wires.add(wire);
    wire.on('error', () => undefined);
    upgrade(wire, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    for (const wire of wires) wire.destroy();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  return { baseURL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`, others };
}

function answering(answer: (wire: Duplex) => void): Upgrade {
  return (wire, { headers }) => {
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    wire.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    wire.once('data', () => {
      for (const event of BEGUN) wire.write(frameOf(JSON.stringify(event)));
      answer(wire);
    });
  };
}

function frameOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([headOf(bytes.length), bytes]);
}

function headOf(length: number): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt8(TEXT_FRAME, 0);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** Writes the same piece again and again, as fast as the client reads. Counts the bytes in `written`. */
function pump(wire: Duplex, piece: Buffer, written: { bytes: number }): void {
  const more = (): void => {
    while (!wire.destroyed) {
      written.bytes += piece.length;
      if (!wire.write(piece)) {
        wire.once('drain', more);
        return;
      }
    }
  };
  more();
}

const outgoing: Outgoing = { body: Buffer.from('{"model":"m","input":[]}'), betas: [], lane: 's1', outputLimit: 1 };

function failing(baseURL: string, transport: 'auto' | 'websocket', sent = outgoing): Promise<ProviderError> {
  return failureOf(createOpenAIProvider({ apiKey: 'a-key', api: 'responses', baseURL, transport }), sent);
}

describe.each(['auto', 'websocket'] as const)('a hostile WebSocket server, with transport %s', (transport) => {
  it('is disconnected at a frame of 50 MB', async () => {
    const written = { bytes: 0 };
    const upgrade = answering((wire) => {
      wire.write(headOf(50 * MIB));
      pump(wire, Buffer.alloc(64 * 1024, 'a'), written);
    });
    const { baseURL, others } = await serve(upgrade);
    expect(await failing(baseURL, transport)).toMatchObject({ class: 'refused', code: 'provider/oversized' });
    expect(written.bytes).toBeLessThan(MAX_WRITTEN);
    expect(others).toEqual([]);
  });

  it.each([
    ['deltas', DELTA],
    ['unknown events', { type: 'response.unknown', filler: 'a'.repeat(1_000) }],
    ['items', { ...BEGUN[1], output_index: 1 }],
  ])('is disconnected when it sends endless %s', async (_title, event) => {
    const written = { bytes: 0 };
    const upgrade = answering((wire) => pump(wire, frameOf(JSON.stringify(event)), written));
    const { baseURL } = await serve(upgrade);
    expect(await failing(baseURL, transport)).toMatchObject({ class: 'refused', code: 'provider/oversized' });
    expect(written.bytes).toBeLessThan(MAX_WRITTEN);
  });

  it('cannot redirect the upgrade to another port', async () => {
    const other = await serve((wire) => wire.destroy());
    const { baseURL } = await serve((wire) =>
      wire.end(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${other.baseURL}/responses\r\ncontent-length: 0\r\n\r\n`),
    );
    const error = await failing(baseURL, transport);
    expect(error).toMatchObject({ class: 'stop', code: 'provider/address' });
    expect(error.message).toContain(new URL(other.baseURL).origin);
    expect(other.others).toEqual([]);
  });

  it('cannot delay an abort by sending frames', async () => {
    const controller = new AbortController();
    const upgrade = answering((wire) => {
      pump(wire, frameOf(JSON.stringify(DELTA)), { bytes: 0 });
      controller.abort();
    });
    const { baseURL } = await serve(upgrade);
    const sent = { ...outgoing, outputLimit: 1_000_000, signal: controller.signal };
    expect(await failing(baseURL, transport, sent)).toMatchObject({ class: 'stop', code: 'provider/aborted' });
  });
});
