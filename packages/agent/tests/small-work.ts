// Test helper: a turn whose last answer has just made calls, with test tools, a test clock, and the events that were
// sent.

import type { ToolSpec } from '@tidemark/context';
import type { AnswerPart, CallId, Event, Log, LogWriter, Recorded, Usage } from '@tidemark/log';
import { callId, turnId } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import type { Mode } from '../src/ports/permissions.ts';
import type { Runtime } from '../src/ports/runtime.ts';
import { RETRY } from '../src/ports/runtime.ts';
import type { Secrets } from '../src/ports/secrets.ts';
import type { SessionEvent } from '../src/ports/session-event.ts';
import type { Surroundings } from '../src/ports/surroundings.ts';
import type { Tool, ToolContext, ToolOutput } from '../src/ports/tool.ts';
import type { Session } from '../src/session/session.ts';
import { commit } from '../src/session/session.ts';
import type { TurnContext } from '../src/session/turn-context.ts';
import { ID, begin, prepare, prompt, row, second } from './small-session.ts';

/** A call in an answer of a model. */
export interface Made {
  readonly id: string;
  readonly name: string;
  readonly arguments?: string;
}

export interface Setting {
  readonly calls: readonly Made[];
  readonly tools: readonly Tool[];
  /** Tools that the epoch lists. If present, an epoch is opened by preparing a request. */
  readonly listed?: readonly ToolSpec[];
  /** Usage in the record of the answer that made the calls. */
  readonly usage?: Usage;
  readonly mode?: Mode;
  readonly secrets?: Secrets;
  readonly log?: Log;
  readonly runtime?: Partial<Runtime>;
}

/** A turn whose calls are still open, with functions to control and read it. */
export interface SmallWork {
  readonly work: TurnContext;
  readonly session: Session;
  readonly told: readonly SessionEvent[];
  readonly interrupt: () => void;
  /** Moves the clock by `ms` milliseconds and ends the waits whose time is then over. */
  readonly pass: (ms: number) => void;
  /** Returns the records after the answer with the calls. */
  readonly records: () => Promise<readonly Recorded[]>;
}

/** Creates a session whose last answer made these calls. */
export async function beginWork(setting: Setting): Promise<SmallWork> {
  const { calls, tools, mode = 'auto', secrets, log = createMemoryStore(), runtime } = setting;
  const small = await begin(log);
  const session: Session = secrets === undefined ? small.session : { ...small.session, secrets };
  await commit(session, [{ kind: 'mode.changed', at: second(0), data: { mode, by: 'settings' } }, prompt('go')]);
  if (setting.listed !== undefined) await prepare({ ...small, session }, 0, { tools: setting.listed });
  await commit(session, [answered(calls, setting.usage)]);
  const from = session.state.length;
  const clock = testClock();
  const told: SessionEvent[] = [];
  const interruption = new AbortController();
  const work: TurnContext = {
    session,
    begunAt: 0,
    runtime: { ...testRuntime(tools, clock.surroundings), ...runtime },
    turn: turnId('t1'),
    signal: interruption.signal,
    tell: (event) => void told.push(event),
  };
  const records = async (): Promise<readonly Recorded[]> => {
    const found: Recorded[] = [];
    for await (const record of log.read(ID, from)) found.push(record);
    return found;
  };
  return { work, session, told, interrupt: () => interruption.abort(), pass: clock.pass, records };
}

function answered(calls: readonly Made[], usage: Usage = {}): Event {
  const parts = calls.map(({ id, name, arguments: text = '{}' }): AnswerPart<CallId> => ({
    type: 'call',
    call: callId(id),
    name,
    arguments: text,
  }));
  return {
    kind: 'answer.received',
    at: second(1),
    data: {
      step: 0,
      stream: 'main',
      provider: 'scripted',
      model: 'm',
      parts,
      stop: 'calls',
      truncated: 'no',
      usage,
    },
  };
}

function testRuntime(tools: readonly Tool[], surroundings: Surroundings): Runtime {
  return {
    provider: createScriptedProvider({ answers: [] }),
    capabilities: row('claude-sonnet-4-5'),
    parameters: {},
    tools,
    sources: [],
    limits: {},
    retry: RETRY,
    outputLimit: 1000,
    ttl: '5m',
    envelope: {},
    betas: [],
    allowUnsandboxed: true,
    surroundings,
  };
}

/** Creates a clock that only the test moves. */
export function testClock(): { readonly surroundings: Surroundings; readonly pass: (ms: number) => void } {
  let now = 0;
  let names = 0;
  const waiting = new Set<{ readonly until: number; readonly end: () => void }>();
  return {
    surroundings: {
      now: () => second(Math.floor(now / 1000) + 2),
      elapsed: () => now,
      wait: (ms, signal) =>
        new Promise((resolve) => {
          const entry = { until: now + ms, end: resolve };
          if (signal?.aborted === true) resolve();
          else waiting.add(entry);
          signal?.addEventListener('abort', () => resolve(), { once: true });
        }),
      random: () => 0.5,
      newName: () => `name-${(names += 1)}`,
    },
    pass: (ms) => {
      now += ms;
      for (const entry of waiting) if (entry.until <= now && waiting.delete(entry)) entry.end();
    },
  };
}

/**
 * Creates a tool of effect `read` that accepts any arguments and runs the given function. `change` replaces fields of
 * the tool.
 */
export function made(
  name: string,
  run: (context: ToolContext, input: unknown) => ToolOutput | Promise<ToolOutput>,
  change: Partial<Tool> & { readonly confined?: boolean } = {},
): Tool {
  const { confined, ...rest } = change;
  return {
    name,
    description: `Does ${name}.`,
    schema: { type: 'object' },
    effect: 'read',
    read: (input) => ({
      title: `${name} it`,
      ...(confined !== undefined && { confined }),
      run: async (context) => run(context, input),
    }),
    ...rest,
  };
}

/** A promise that the test resolves. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** Creates a gate. Its promise `opened` resolves when the test calls `open`. */
export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

/** Wraps a store and calls `seen` before each append and flush. */
export function watched(log: Log, seen: (what: 'append' | 'sync', kinds: readonly string[]) => void): Log {
  const watch = (writer: LogWriter): LogWriter => ({
    session: writer.session,
    fence: writer.fence,
    get length() {
      return writer.length;
    },
    get chain() {
      return writer.chain;
    },
    append: (events, expected) => {
      seen(
        'append',
        events.map(({ kind }) => kind),
      );
      return writer.append(events, expected);
    },
    sync: () => {
      seen('sync', []);
      return writer.sync();
    },
    close: () => writer.close(),
  });
  return {
    ...log,
    create: async (id, parent) => watch(await log.create(id, parent)),
    open: async (id) => watch(await log.open(id)),
  };
}
