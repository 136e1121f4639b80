// Small sessions whose old results may be shortened, and the plan for their next request.

import type { Digest, EpochOpened, HistoryPruned, ImagePart, Usage } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import type { Capabilities, ResultPart, Span } from '@tidemark/model';
import { slice } from '../src/base/append-only.ts';
import type { RequestSpec } from '../src/epoch/epoch.ts';
import type { Need } from '../src/epoch/needed-change.ts';
import type { PruningInput } from '../src/pruning/pruning.ts';
import { planPruning } from '../src/pruning/pruning.ts';
import type { State } from '../src/state/state.ts';
import type { Told } from './log-of.ts';
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

export function opened(number: number, more: Partial<EpochOpened> = {}): Told {
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

export function result(id: string, said: string, images: readonly ImagePart<Digest>[] = []): Told {
  return ['tool.returned', { call: callId(id), parts: [{ type: 'text', text: said }, ...images] }];
}

/** A step as it goes: asked, answered with calls, and these closed. */
export function step(
  number: number,
  closings: readonly (readonly [id: string, closing: Told])[],
  usage: Usage = {},
): Told[] {
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

/** Two turns later nothing has used what was written before them. */
export const LATER: readonly Told[] = [turn, turn];

/** A session of so many steps, each with one result of so many characters; two more turns, and one more request. */
export function session(lengths: readonly number[]): State {
  const steps = lengths.flatMap((length, index) =>
    step(index, [[`c${index}`, result(`c${index}`, `${index}: ${'word '.repeat(length / 5)}`)]], USAGE),
  );
  return fold([created, prompt('go'), opened(0), ...steps, ...LATER, ...step(lengths.length, [], USAGE)]);
}

/** Long results far from the end: much is freed, little stands behind it. */
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
/** A window that is more than half full, and not yet nearly full. */
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

/** The span of the result that stands at this place among the results. */
export function resultSpan(state: State, rank: number): Span {
  const found = slice(state.history.packed).filter(({ parts: [part] }) => part?.type === 'result')[rank];
  return found ?? never();
}

export function textOf(one: ResultPart | undefined): string {
  return (one?.content ?? []).map((part) => (part.type === 'text' ? part.text : part.type)).join('|');
}

/** Takes a plan up. */
export function taken(state: State, pruned: HistoryPruned | undefined): State {
  return fold([['history.pruned', pruned ?? never()], opened(1, { prunings: [position(state.length)] })], state);
}

export function never(): never {
  throw new Error('nothing was planned');
}
