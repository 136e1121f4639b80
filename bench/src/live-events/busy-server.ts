// Server of sessions in a process of its own, so that its memory and processor time do not include its clients. It has
// one session with a provider that streams quickly. The parent process sends commands and gets one answer to each.

import { setTimeout as pause } from 'node:timers/promises';

import { openSessionProjection } from '@tidemark/analytics';
import { createAgent, defineTool } from '@tidemark/kit';
import type { Log, LogWriter, SessionId } from '@tidemark/log';
import { callId, sessionId, timestamp } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { newToken, openSessionServer } from '@tidemark/server';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { z } from 'zod';

/** Command of the parent process. */
export type BusyCommand =
  | { readonly do: 'usage' }
  | { readonly do: 'turn'; readonly steps: number }
  | { readonly do: 'grow'; readonly records: number };

/** Use of memory and processor by the server. Times are in milliseconds. */
export interface BusyUsage {
  readonly rss: number;
  readonly processorMs: number;
}

/** Answer to a command: the times of the appends of a turn, by position, or the use of memory and processor. */
export interface BusyAnswer {
  readonly usage: BusyUsage;
  /** Times at which records could be read, in milliseconds since 1970, by position. */
  readonly appended: readonly (readonly [number, number])[];
  /** Number of pieces of text that the provider sent. */
  readonly deltas: number;
}

/** First message of the server: its address, its token, and its sessions. */
export interface BusyPlace {
  readonly url: string;
  readonly token: string;
  readonly session: SessionId;
  readonly long: SessionId;
}

const [, , home = ''] = process.argv;
/** Pieces of text in each answer, and the pause between two of them in milliseconds. */
const [DELTAS, PAUSE_MS] = [20, 4];
const NOTHING = new Uint8Array(0);
const LONG = sessionId('long');
const appended: [number, number][] = [];
let deltas = 0;
let steps = 0;

const log = timedLog(openNdjsonStore({ home }));
const work = defineTool({
  name: 'work',
  description: 'Works for a moment.',
  effect: 'read',
  input: z.object({}),
  run: () => 'a line of output\n'.repeat(60),
});
const agent = createAgent({ model: 'claude-sonnet-5-5', provider: busyProvider(), store: log, tools: [work] });
const session = await agent.open();
const token = newToken();
const refuse = (): never => {
  throw new Error('this server has only its two sessions');
};
const server = await openSessionServer({
  log,
  projection: await openSessionProjection({ path: undefined, log, rowOf: () => undefined, rules: 'bench' }),
  opener: {
    create: async () => refuse(),
    fork: async () => refuse(),
    open: async () => ({ session, close: () => agent.close() }),
  },
  token,
  version: 'bench',
  port: 0,
  idleMs: 2 ** 30,
});
const place: BusyPlace = { url: server.url, token, session: session.id, long: LONG };
process.send?.(place);
process.on('message', (command: BusyCommand) => void answer(command));
process.on('disconnect', () => process.exit());

async function answer(command: BusyCommand): Promise<void> {
  appended.length = 0;
  deltas = 0;
  if (command.do === 'turn') {
    ({ steps } = command);
    await session.prompt('Work.');
  } else if (command.do === 'grow') await growLong(command.records);
  const { user, system } = process.cpuUsage();
  const usage = { rss: process.memoryUsage.rss(), processorMs: (user + system) / 1_000 };
  process.send?.({ usage, appended, deltas } satisfies BusyAnswer);
}

function busyProvider(): ReturnType<typeof createScriptedProvider> {
  const scripted = createScriptedProvider({
    respond: ({ index }) => {
      steps -= 1;
      const call = { type: 'call' as const, call: callId(`c${index}`), name: 'work', arguments: '{}' };
      const text = { type: 'text' as const, text: 'An answer of some words. '.repeat(8) };
      return { parts: steps > 0 ? [text, call] : [text] };
    },
  });
  return {
    ...scripted,
    async *send(outgoing) {
      // The scripted provider keeps all that it gets, which would count as memory of the server.
      for await (const part of scripted.send({ ...outgoing, body: NOTHING })) {
        if (part.type !== 'text.delta') {
          yield part;
          continue;
        }
        for (let piece = 0; piece < DELTAS; piece += 1) {
          await pause(PAUSE_MS);
          deltas += 1;
          yield {
            ...part,
            text: part.text.slice((piece * part.text.length) / DELTAS, ((piece + 1) * part.text.length) / DELTAS),
          };
        }
      }
    },
  };
}

/** Returns the log with the time at which each record could be read. */
function timedLog(inner: Log): Log {
  const timed = (writer: LogWriter): LogWriter => ({
    session: writer.session,
    fence: writer.fence,
    get length() {
      return writer.length;
    },
    get chain() {
      return writer.chain;
    },
    async append(events, expected) {
      const result = await writer.append(events, expected);
      const at = performance.timeOrigin + performance.now();
      if (result.ok) for (const record of result.records) appended.push([record.position, at]);
      return result;
    },
    sync: () => writer.sync(),
    close: () => writer.close(),
  });
  return {
    ...inner,
    create: async (id, parent) => timed(await inner.create(id, parent)),
    open: async (id) => timed(await inner.open(id)),
  };
}

async function growLong(records: number): Promise<void> {
  const writer = await openNdjsonStore({ home }).create(LONG);
  const at = timestamp('2026-11-20T12:00:00.000Z');
  await writer.append([{ kind: 'session.created', at, data: { id: LONG, root: LONG, workspace: '/work' } }], 0);
  const parts = [{ type: 'text' as const, text: 'a line of a long session\n'.repeat(20) }];
  while (writer.length < records) {
    const more = Array.from({ length: Math.min(500, records - writer.length) }, () => ({
      kind: 'prompt.given' as const,
      at,
      data: { parts, presenter: 'bench' },
    }));
    await writer.append(more, writer.length);
  }
  await writer.close();
}
