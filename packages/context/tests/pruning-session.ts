// Small sessions with old results that may be shortened, and the plan for their next request.

import type { Digest, EpochOpened, HistoryPruned, ImagePart, Usage } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import type { Capabilities, ResultPart, Span } from '@tidemark/model';
import { slice } from '../src/base/append-only.ts';
import type { RequestSpec } from '../src/epoch/epoch.ts';
import type { Need } from '../src/epoch/needed-change.ts';
import type { PruningInput } from '../src/pruning/pruning.ts';
import { planPruning } from '../src/pruning/pruning.ts';
import type { State } from '../src/state/state.ts';
import type { TestEvent } from './log-of.ts';
import { answer, call, created, fold, named, prompt, request, row, second, turn } from './log-of.ts';

export const OPUS: Capabilities = row('claude-opus-5-5');
export const SHOT: ImagePart<Digest> = {
  type: 'image',
  artifact: named('shot'),
  mediaType: 'image/png',
  bytes: 90_000,
};
const READER = { name: 'history_read', digest: named('history_read') };

export const wanted: RequestSpec = {
  provider: 'anthropic',
  model: OPUS.model,
  parameters: {},
  capabilities: named('row'),
  texts: { contract: 'tm1', layers: [], tools: [{ record: READER, definition: '{}' }] },
};

export function opened(number: number, more: Partial<EpochOpened> = {}): TestEvent {
  const data: EpochOpened = {
    number,
    cause: number === 0 ? 'initial' : 'pruning',
    provider: wanted.provider,
    model: wanted.model,
    parameters: {},
    capabilities: wanted.capabilities,
    contract: 'tm1',
    layers: [],
    tools: [READER],
    cacheKey: 'tm1',
    forecast: { rewrite: 0 },
    ...more,
  };
  return ['epoch.opened', data];
}

export function result(id: string, text: string, images: readonly ImagePart<Digest>[] = []): TestEvent {
  return ['tool.returned', { call: callId(id), parts: [{ type: 'text', text }, ...images] }];
}

/** Returns the events of one step: a request, an answer with calls, and the events that end the calls. */
export function step(
  number: number,
  closings: readonly (readonly [id: string, closing: TestEvent])[],
  usage: Usage = {},
): TestEvent[] {
  const marker = { block: number, ttl: '5m', prefix: named(`prefix ${number}`) } as const;
  return [
    request(number + 1, [marker], number),
    answer(
      closings.map(([id]) => call(id)),
      usage,
      number,
    ),
    ...closings.map(([, closing]) => closing),
  ];
}

export const USAGE: Usage = { fresh: 0, read: 1_000, writes: [{ ttl: '5m', tokens: 100 }] };

/** Two turns in which nothing uses the earlier results. */
export const LATER: readonly TestEvent[] = [turn, turn];

/**
 * Returns the state of a session with one step per length. Each step has one result of about that many characters. Two
 * more turns and one more request follow.
 */
export function session(lengths: readonly number[]): State {
  const steps = lengths.flatMap((length, index) =>
    step(index, [[`c${index}`, result(`c${index}`, `${index}: ${'word '.repeat(length / 5)}`)]], USAGE),
  );
  return fold([created, prompt('go'), opened(0), ...steps, ...LATER, ...step(lengths.length, [], USAGE)]);
}

/**
 * Lengths of results for `session`: six long results, then 24 short results. Shortening the long results frees many
 * tokens, and few tokens after them must be written to the cache again.
 */
export const EARLY: readonly number[] = [
  20_000,
  20_000,
  20_000,
  20_000,
  20_000,
  20_000,
  ...Array.from({ length: 24 }, () => 200),
];

export const NOTHING: Need = { do: 'nothing' };
export const HALF_FULL: PruningInput['gauge'] = { tier: 'calm', ratio: 0.6, bytes: 0 };
export const FULL: PruningInput['gauge'] = { tier: 'warning', ratio: 0.85, bytes: 0 };

export function plan(state: State, more: Partial<PruningInput> = {}): HistoryPruned | undefined {
  return planPruning({
    state,
    wanted,
    need: NOTHING,
    capabilities: OPUS,
    at: second(60),
    ttl: '5m',
    gauge: HALF_FULL,
    ...more,
  });
}

export function resultsOf(state: State): readonly ResultPart[] {
  return slice(state.history.packed).flatMap(({ parts }) => parts.filter((part) => part.type === 'result'));
}

/** Returns the span of the result with index `rank` among all results of the history. */
export function resultSpan(state: State, rank: number): Span {
  const found = slice(state.history.packed).filter(({ parts: [part] }) => part?.type === 'result')[rank];
  return found ?? never();
}

export function textOf(one: ResultPart | undefined): string {
  return (one?.content ?? []).map((part) => (part.type === 'text' ? part.text : part.type)).join('|');
}

/**
 * Records the plan, opens an epoch in which the plan takes effect, and returns the state. Throws if there is no plan.
 */
export function taken(state: State, pruned: HistoryPruned | undefined): State {
  return fold([['history.pruned', pruned ?? never()], opened(1, { prunings: [position(state.length)] })], state);
}

export function never(): never {
  throw new Error('no pruning was planned');
}
