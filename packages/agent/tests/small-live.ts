// Test helper: a live session with a memory store, a provider that the test controls, and a clock that only the test
// moves.

import type { AnswerPart, Log, Recorded } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { Provider, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider, scriptedEncoder } from '@tidemark/provider-scripted';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';
import type { LiveSessionOptions } from '../src/actor/open-live-session.ts';
import { openLiveSession } from '../src/actor/open-live-session.ts';
import type { AgentSession } from '../src/ports/live-session.ts';
import type { Runtime } from '../src/ports/runtime.ts';
import { ID, row } from './small-session.ts';
import { testClock } from './small-work.ts';

/** A live session, with functions to control and read it. */
export interface Live {
  readonly live: AgentSession;
  readonly log: Log;
  readonly shelf: MemoryBackend;
  readonly pass: (ms: number) => void;
  readonly records: () => Promise<readonly Recorded[]>;
  readonly kinds: () => Promise<readonly string[]>;
}

export interface Setting {
  readonly provider: Provider;
  readonly runtime?: Partial<Runtime>;
  readonly shelf?: MemoryBackend;
  readonly open?: Partial<LiveSessionOptions>;
}

/** Creates a session, or opens the existing one in the store `shelf`. */
export async function goLive({
  provider,
  runtime = {},
  shelf = createMemoryBackend(),
  open = {},
}: Setting): Promise<Live> {
  const log = open.log ?? createMemoryStore(shelf);
  const clock = testClock();
  const whole: Runtime = {
    provider,
    capabilities: row('claude-sonnet-4-5'),
    parameters: {},
    tools: [],
    sources: [],
    limits: {},
    retry: { attempts: 3, initialDelayMs: 1_000, maxDelayMs: 60_000 },
    outputLimit: 1_000,
    ttl: '5m',
    envelope: {},
    betas: [],
    allowUnsandboxed: true,
    surroundings: clock.surroundings,
    ...runtime,
  };
  const create = !shelf.sessions.has(ID);
  const live = await openLiveSession({ log, runtime: whole, id: ID, create, workspace: '/w', mode: 'auto', ...open });
  const records = async (): Promise<readonly Recorded[]> => {
    const found: Recorded[] = [];
    for await (const record of log.read(ID)) found.push(record);
    return found;
  };
  return { live, log, shelf, pass: clock.pass, records, kinds: async () => (await records()).map(({ kind }) => kind) };
}

/** Returns an answer that contains only text. */
export function says(text: string, more: Partial<ScriptedAnswer> = {}): ScriptedAnswer {
  return { parts: [{ type: 'text', text }], ...more };
}

/** Returns an answer with tool calls, each given by its id, tool name and arguments. */
export function calls(...made: readonly (readonly [id: string, name: string, args?: string])[]): ScriptedAnswer {
  return {
    parts: made.map(([id, name, args = '{}']): AnswerPart => ({
      type: 'call',
      call: callId(id),
      name,
      arguments: args,
    })),
  };
}

/** Creates a provider that returns these answers in order. */
export function answering(...answers: readonly ScriptedAnswer[]): ReturnType<typeof createScriptedProvider> {
  return createScriptedProvider({ answers });
}

/** Creates a provider error. By default it is retryable. */
export function failure(
  change: { code?: ProviderError['code']; class?: ProviderError['class']; afterMs?: number } = {},
): ProviderError {
  const { code = 'provider/overloaded', class: sort = 'retryable', afterMs } = change;
  const data = { provider: 'scripted', ...(afterMs !== undefined && { afterMs }) };
  return new ProviderError(sort, code, `it failed as ${code}`, data);
}

/**
 * Creates a provider that streams these parts and then sends nothing more. With `deaf` it also ignores its abort
 * signal.
 */
export function hanging(
  parts: readonly StreamPart[],
  { deaf = false } = {},
): Provider & { readonly reached: Promise<void> } {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  return {
    name: 'scripted',
    encoder: scriptedEncoder,
    reached,
    async *send({ signal }) {
      yield* parts;
      resolve();
      await new Promise<void>((end) => {
        if (!deaf) signal?.addEventListener('abort', () => end(), { once: true });
      });
      throw failure({ code: 'provider/aborted', class: 'stop' });
    },
  };
}

/**
 * Creates a provider that uses these providers in order, each for one call. The last one is used for all further calls.
 */
export function inTurn(...providers: readonly Provider[]): Provider {
  let next = 0;
  return {
    name: 'scripted',
    encoder: scriptedEncoder,
    send: (outgoing) => {
      const provider = providers[Math.min(next, providers.length - 1)];
      next += 1;
      if (provider === undefined) throw new Error('no provider');
      return provider.send(outgoing);
    },
  };
}

/** Returns the texts and call ids in a request body of the scripted encoder, in order. */
export function heldBy(body: Uint8Array): readonly string[] {
  return new TextDecoder()
    .decode(body)
    .split('\n')
    .flatMap((line) => [...line.matchAll(/"(?:text|call)":"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text));
}

/**
 * Returns a copy of the store in which the log of the test's session ends after `records` records, as after a crash.
 */
export function cutShelf(shelf: MemoryBackend, records: number): MemoryBackend {
  const room = shelf.sessions.get(ID);
  if (room === undefined) throw new Error('nothing is on the shelf');
  let end = 0;
  for (let line = 0; line < records; line += 1) end = room.bytes.indexOf(0x0a, end) + 1;
  const bytes = room.bytes.slice(0, end);
  const cut = { ...room, bytes, length: end, held: false, snapshot: undefined, listeners: new Set<() => void>() };
  return { ...shelf, sessions: new Map([[ID, cut]]) };
}
