// Clients that follow the events of a session over HTTP, at different speeds.

import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:http';

import type { SessionId } from '@tidemark/log';

import type { BusyPlace } from './busy-server.ts';

/** Speed of a client: it reads at once, one kilobyte in a second, nothing, or it leaves and comes back again and again. */
export type ReaderPace = 'fast' | 'slow' | 'stalled' | 'returning';

/** A client that follows a session. */
export interface StreamReader {
  /** Arrival time of each record, in milliseconds since 1970, by position. */
  readonly arrived: ReadonlyMap<number, number>;
  /** Records that came twice, or not after the record before them. */
  readonly wrong: () => number;
  /** Resolves when the client has the record at this position. */
  until(position: number): Promise<void>;
  close(): void;
}

const SLICE_MS = 100;

/** Opens a client. Resolves when its stream has begun, or was refused. */
export async function openReader(
  { url, token }: BusyPlace,
  session: SessionId,
  pace: ReaderPace,
  from = 0,
): Promise<StreamReader> {
  const arrived = new Map<number, number>();
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  let [wrong, next, closed, connections] = [0, from, false, 0];
  let current: IncomingMessage | undefined;
  const waiting = new Map<number, () => void>();
  const take = (id: number): void => {
    if (id !== next) wrong += 1;
    next = id + 1;
    arrived.set(id, performance.timeOrigin + performance.now());
    waiting.get(id)?.();
  };
  const open = (): Promise<void> =>
    new Promise((resolve) => {
      const mine = (connections += 1);
      const request = get(`${url}/sessions/${session}/events?from=${next}`, {
        agent,
        headers: { authorization: `Bearer ${token}` },
      });
      request.on('error', () => resolve());
      request.on('response', (answer) => {
        // A later connection has replaced this one before it was answered.
        if (mine !== connections || closed) return void answer.destroy();
        current = answer;
        receive(answer, take, pace);
        resolve();
      });
    });
  await open();
  const returning =
    pace === 'returning'
      ? setInterval(() => {
          current?.destroy();
          if (!closed) void open();
        }, 500)
      : undefined;
  return {
    arrived,
    wrong: () => wrong,
    until: (position) =>
      next > position ? Promise.resolve() : new Promise((resolve) => waiting.set(position, resolve)),
    close() {
      closed = true;
      clearInterval(returning);
      current?.destroy();
      agent.destroy();
    },
  };
}

function receive(answer: IncomingMessage, take: (id: number) => void, pace: ReaderPace): void {
  answer.on('error', () => undefined);
  if (pace === 'stalled') return void answer.pause();
  let rest = '';
  const read = (piece: string): void => {
    const text = rest + piece;
    const last = text.lastIndexOf('\n\n');
    const end = last === -1 ? 0 : last + 2;
    rest = text.slice(end);
    // The id is the first line of the frame of a record.
    for (const [, id] of text.slice(0, end).matchAll(/^id: (\d+)\nevent: record$/gm)) take(Number(id));
  };
  answer.setEncoding('latin1');
  if (pace !== 'slow') return void answer.on('data', read);
  answer.pause();
  const timer = setInterval(() => {
    const piece: unknown = answer.read(Math.min(SLICE_MS, answer.readableLength));
    if (typeof piece === 'string') read(piece);
  }, SLICE_MS);
  answer.on('close', () => clearInterval(timer));
}
