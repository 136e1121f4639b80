// Test helper: a turn that asks its context sources, with a clock that the test moves. A wait ends when the test ends
// it or when it is aborted.

import type { Timestamp } from '@tidemark/log';
import { turnId } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import type { ContextSource, SourceView } from '../src/ports/context-source.ts';
import { RETRY } from '../src/ports/runtime.ts';
import type { Notice } from '../src/ports/session-event.ts';
import type { Surroundings } from '../src/ports/surroundings.ts';
import type { TurnContext } from '../src/session/turn-context.ts';
import type { Small } from './small-session.ts';
import { row, second } from './small-session.ts';

/** Context of a turn, with functions to control it. */
export interface Asked {
  readonly work: TurnContext;
  readonly notices: Notice[];
  /** Durations of all waits so far, in milliseconds. */
  readonly waiting: number[];
  /** Ends each wait of at most `within` milliseconds. */
  expire(within: number): void;
  interrupt(): void;
}

/** Returns a turn of the session that asks these sources. Its time is always `now`. */
export function asked({ session }: Small, sources: readonly ContextSource[], now: Timestamp = second(0)): Asked {
  const notices: Notice[] = [];
  const waits = new Map<() => void, number>();
  const waiting: number[] = [];
  const interruption = new AbortController();
  const surroundings: Surroundings = {
    now: () => now,
    elapsed: () => 0,
    random: () => 0,
    newName: () => 'name',
    wait: (ms, signal) =>
      new Promise((done) => {
        waiting.push(ms);
        waits.set(done, ms);
        if (signal?.aborted === true) done();
        signal?.addEventListener('abort', () => done());
      }),
  };
  const work: TurnContext = {
    session,
    begunAt: 0,
    turn: turnId('t1'),
    signal: interruption.signal,
    tell: (event) => {
      if (event.type === 'notice.raised') notices.push(event.notice);
    },
    runtime: {
      provider: createScriptedProvider({ answers: [] }),
      capabilities: row('claude-sonnet-4-5'),
      parameters: {},
      tools: [],
      sources,
      limits: {},
      retry: RETRY,
      outputLimit: 1000,
      ttl: '5m',
      envelope: {},
      betas: [],
      allowUnsandboxed: false,
      surroundings,
    },
  };
  return {
    work,
    notices,
    waiting,
    expire: (within) => waits.forEach((ms, done) => (ms <= within ? done() : undefined)),
    interrupt: () => interruption.abort(),
  };
}

/** A context source whose state the test changes. */
export interface MadeSource extends ContextSource {
  state: string | undefined;
  readonly seen: SourceView[];
}

/** Creates a source whose text is its state. `change` replaces fields of the source. */
export function source(name: string, state: string | undefined, change: Partial<ContextSource> = {}): MadeSource {
  const made: MadeSource = {
    name,
    state,
    seen: [],
    revision: (view) => {
      made.seen.push(view);
      return made.state;
    },
    render: (_, cause) => `${name} is ${made.state} (${cause})`,
    affectedBy: ({ touches }) => touches.includes(name),
    ...change,
  };
  return made;
}
