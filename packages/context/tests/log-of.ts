// Small logs for tests: creates consecutive events with default values for all fields that a test does not need.

import type {
  AnswerPart,
  CallForecast,
  CallId,
  Digest,
  Event,
  EventData,
  Kind,
  MarkerRecord,
  Recorded,
  RequestPrepared,
  Usage,
} from '@tidemark/log';
import { callId, CHAIN_START, digest, position, sessionId, timestamp } from '@tidemark/log';
import type { Capabilities, Hash } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { createHash } from 'node:crypto';
import { evolve } from '../src/fold/evolve.ts';
import type { State } from '../src/state/state.ts';
import { emptyState } from '../src/state/state.ts';

/** Kind of an event, its data, and optionally its time in seconds after `2026-11-20T12:00:00.000Z`. */
export type TestEvent = { [K in Kind]: readonly [kind: K, data: EventData[K], second?: number | undefined] }[Kind];

export const SESSION = sessionId('s1');

/** Returns the time `count` seconds after `2026-11-20T12:00:00.000Z`, which is the start of every test log. */
export function second(count: number): ReturnType<typeof timestamp> {
  return timestamp(new Date(Date.UTC(2026, 10, 20, 12) + count * 1000).toISOString());
}

/** Returns the events as consecutive records. The first record is at position `from`. */
export function logOf(events: readonly TestEvent[], from = 0): readonly Recorded[] {
  return events.map(([kind, data, at], index) => {
    // Each pair has the correct type for its kind, but TypeScript cannot check this for a union.
    // eslint-disable-next-line typescript/no-unsafe-type-assertion
    const event = { kind, data, at: second(at ?? index) } as Event;
    return { ...event, v: 1, position: position(from + index), fence: 1, chain: CHAIN_START };
  });
}

/**
 * Folds a small log and returns the resulting state. With `state`, the log continues that state. Otherwise it starts
 * with an empty state.
 */
export function fold(events: readonly TestEvent[], state: State = emptyState()): State {
  return logOf(events, state.length).reduce(evolve, state);
}

export const created: TestEvent = ['session.created', { id: SESSION, root: SESSION, workspace: '/w' }];

export function prompt(words: string, at?: number): TestEvent {
  return ['prompt.given', { parts: [{ type: 'text', text: words }], presenter: 'test' }, at];
}

export const turn: TestEvent = ['turn.started', { trigger: 'user' }];

export function note(source: string, urgent = false): TestEvent {
  return [
    'context.noted',
    { source, revision: 'r1', cause: 'initial', body: `about ${source}`, ...(urgent ? { urgent } : {}) },
  ];
}

export function answer(parts: readonly AnswerPart<CallId>[], usage: Usage = {}, step = 0): TestEvent {
  const data = {
    step,
    stream: 'main',
    provider: 'anthropic',
    model: 'm',
    parts,
    stop: 'end',
    truncated: 'no',
    usage,
  } as const;
  return ['answer.received', data];
}

export function text(words: string): AnswerPart<CallId> {
  return { type: 'text', text: words };
}

export function call(id: string): AnswerPart<CallId> {
  return { type: 'call', call: callId(id), name: 'read', arguments: '{}' };
}

export function returned(id: string): TestEvent {
  return ['tool.returned', { call: callId(id), parts: [{ type: 'text', text: `result of ${id}` }] }];
}

const NO_FORECAST: CallForecast = { read: 0, write: 0, fresh: 0, unsent: 0 };

export function named(name: string): Digest {
  return digest(createHash('sha256').update(name).digest('hex'));
}

/**
 * Returns a request on the main stream with `blocks` blocks of history, without tools and system text. Its forecast is
 * 0 tokens.
 */
export function request(blocks: number, markers: readonly MarkerRecord[] = [], at?: number): TestEvent {
  const parameters = { tools: named('p'), system: named('p'), messages: named('p') };
  const data: RequestPrepared = {
    step: 0,
    attempt: 0,
    stream: 'main',
    purpose: 'turn',
    epoch: 0,
    encoder: 'scripted/1',
    digest: named('body'),
    bytes: 10,
    relation: 'extends',
    sequence: { parameters, blocks, digest: named(`prefix ${blocks}`) },
    markers,
    outputLimit: 100,
    envelope: {},
    counts: { tools: 0, system: 0, messages: blocks },
    forecast: NO_FORECAST,
  };
  return ['request.prepared', data, at];
}

/** Returns one line for each packed span, such as `assistant: call c1`. */
export function packed(state: State): readonly string[] {
  const { buffer, length } = state.history.packed;
  return buffer.slice(0, length).map((span) => `${span.role}: ${span.parts.map(shortly).join(' + ')}`);
}

function shortly(part: State['history']['packed']['buffer'][number]['parts'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'call':
      return `call ${part.call}`;
    case 'result':
      return `${part.error ? 'error ' : ''}result ${part.call}`;
    default:
      return part.type;
  }
}

/** Wraps the SHA-256 of Node.js in the interface `Hash`, because pure packages cannot import `node:crypto`. */
export function newHash(): Hash {
  const wrap = (hash: ReturnType<typeof createHash>): Hash => {
    const wrapped: Hash = {
      update: (data) => {
        hash.update(data);
        return wrapped;
      },
      copy: () => wrap(hash.copy()),
      hex: () => hash.digest('hex'),
    };
    return wrapped;
  };
  return wrap(createHash('sha256'));
}

/** Returns the catalog row of a Claude model. Throws if the catalog does not contain the model. */
export function row(model: string): Capabilities {
  const found = findModel(defaultCatalog(), model, 'anthropic');
  if (found === undefined) throw new Error(`the catalog has no ${model}`);
  return found;
}
