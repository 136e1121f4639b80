// Small logs for tests: events placed one behind the other, with everything filled in that a test does not care about.

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

/** A kind and its data, and perhaps the second of the test's hour it happened at. */
export type Told = { [K in Kind]: readonly [kind: K, data: EventData[K], second?: number | undefined] }[Kind];

export const SESSION = sessionId('s1');

/** The test's hour: `2026-11-20T12:MM:SS.000Z`. */
export function second(count: number): ReturnType<typeof timestamp> {
  return timestamp(new Date(Date.UTC(2026, 10, 20, 12) + count * 1000).toISOString());
}

/** Places events behind `from` records. */
export function logOf(told: readonly Told[], from = 0): readonly Recorded[] {
  return told.map(([kind, data, at], index) => {
    // A pair of the table fits by its own type; TypeScript does not follow that through a union.
    // eslint-disable-next-line typescript/no-unsafe-type-assertion
    const event = { kind, data, at: second(at ?? index) } as Event;
    return { ...event, v: 1, position: position(from + index), fence: 1, chain: CHAIN_START };
  });
}

/** The fold of a small log. */
export function fold(told: readonly Told[], state: State = emptyState()): State {
  return logOf(told, state.length).reduce(evolve, state);
}

export const created: Told = ['session.created', { id: SESSION, root: SESSION, workspace: '/w' }];

export function prompt(said: string, at?: number): Told {
  return ['prompt.given', { parts: [{ type: 'text', text: said }], presenter: 'test' }, at];
}

export const turn: Told = ['turn.started', { trigger: 'user' }];

export function note(source: string, urgent = false): Told {
  return [
    'context.noted',
    { source, revision: 'r1', cause: 'initial', body: `about ${source}`, ...(urgent ? { urgent } : {}) },
  ];
}

export function answer(parts: readonly AnswerPart<CallId>[], usage: Usage = {}, step = 0): Told {
  const said = {
    step,
    stream: 'main',
    provider: 'anthropic',
    model: 'm',
    parts,
    stop: 'end',
    truncated: 'no',
    usage,
  } as const;
  return ['answer.received', said];
}

export function text(said: string): AnswerPart<CallId> {
  return { type: 'text', text: said };
}

export function call(id: string): AnswerPart<CallId> {
  return { type: 'call', call: callId(id), name: 'read', arguments: '{}' };
}

export function returned(id: string): Told {
  return ['tool.returned', { call: callId(id), parts: [{ type: 'text', text: `result of ${id}` }] }];
}

const NO_FORECAST: CallForecast = { read: 0, write: 0, fresh: 0, unsent: 0 };

/** A digest that names itself. */
export function named(name: string): Digest {
  return digest(createHash('sha256').update(name).digest('hex'));
}

/** A request on the main stream, of so many blocks. */
export function request(blocks: number, markers: readonly MarkerRecord[] = [], at?: number): Told {
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

/** What is packed, in short: role, and the first text of each span. */
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

/** SHA-256 as the pure package takes it. */
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

/** The catalog row of a model that a test names. */
export function row(model: string): Capabilities {
  const found = findModel(defaultCatalog(), model, 'anthropic');
  if (found === undefined) throw new Error(`the catalog has no ${model}`);
  return found;
}
