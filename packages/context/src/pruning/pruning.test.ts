import { position } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { created, fold, prompt, second } from '../../tests/log-of.ts';
import {
  EARLY,
  FULL,
  HALF_FULL,
  LATER,
  SHOT,
  USAGE,
  never,
  opened,
  plan,
  result,
  resultSpan,
  resultsOf,
  session,
  step,
  taken,
  textOf,
  wanted,
} from '../../tests/pruning-session.ts';
import { slice } from '../base/append-only.ts';
import type { RequestSpec } from '../epoch/epoch.ts';
import { neededEpoch } from '../epoch/epoch.ts';
import { neededChange } from '../epoch/needed-change.ts';
import type { PruningInput } from './pruning.ts';
import type { State } from '../state/state.ts';

describe('shortened results', () => {
  test('stay whole until an epoch names the record, then show their beginning and how to read the rest', () => {
    const before = session([5_000, 200, 200, 200, 200, 200, 200]);
    const pruned = plan(before, { need: { do: 'epoch', cause: 'model' } });
    const inert = fold([['history.pruned', pruned ?? never()]], before);
    expect(textOf(resultsOf(inert)[0])).toBe(textOf(resultsOf(before)[0]));
    expect(neededEpoch(inert, wanted)).toBe('pruning');
    const after = taken(before, pruned);
    expect(neededEpoch(after, wanted)).toBeUndefined();
    const [short, ...others] = resultsOf(after).map(textOf);
    expect(short).toBe(
      `${textOf(resultsOf(before)[0]).slice(0, 500)}\n[Shortened here: the first 500 of 5003 characters are shown. The whole is at position 5: read it with history_read.]`,
    );
    expect(others).toEqual(resultsOf(before).slice(1).map(textOf));
    expect(after.epoch?.edited).toBe(after.length - 1);
  });

  test('omit their images and are cut between graphemes', () => {
    const family = '👨‍👩‍👧‍👦';
    const first = step(0, [['c0', result('c0', `${'x'.repeat(495)}${family}`, [SHOT, SHOT])]], USAGE);
    const rest = Array.from({ length: 6 }, (_, index) =>
      step(index + 1, [[`d${index}`, result(`d${index}`, 'ok')]], USAGE),
    );
    const state = fold([created, prompt('go'), opened(0), ...first, ...rest.flat(), ...LATER, ...step(7, [], USAGE)]);
    const after = taken(state, plan(state, { need: { do: 'epoch', cause: 'model' } }));
    expect(textOf(resultsOf(after)[0])).toBe(
      `${'x'.repeat(495)}\n[Shortened here: the first 495 of 506 characters are shown, and 2 images are left out. The whole is at position 5: read it with history_read.]`,
    );
  });

  test('count as never sent until a request with them was accepted, also after another epoch', () => {
    const before = session([5_000, 200, 200, 200, 200, 200, 200]);
    const after = taken(before, plan(before, { need: { do: 'epoch', cause: 'model' } }));
    const short = [resultSpan(after, 0)].flatMap(({ origin }) => (origin.from === 'event' ? [origin.position] : []));
    const prunings = after.epoch?.opened.prunings ?? [];
    const next = opened(2, { cause: 'reasoning', parameters: { effort: 'low' }, prunings });
    const unsent = (state: State): readonly number[] => [...(state.epoch?.shortened ?? [])];
    expect([short, unsent(after)]).toEqual([[5], [5]]);
    expect(unsent(fold([next], after))).toEqual([5]);
    expect(unsent(fold([...step(8, [], USAGE), next], after))).toEqual([]);
  });

  test('contain no notice if nothing is omitted', () => {
    const before = session([200, 200]);
    const [first] = before.history.packed.buffer.flatMap(({ origin, parts: [part] }) =>
      part?.type === 'result' && origin.from === 'event' ? [position(origin.position)] : [],
    );
    const kept = textOf(resultsOf(before)[0]).length;
    const results = [{ position: first ?? position(0), kept }];
    const after = taken(before, { calls: [], results, freed: 0, cause: 'test' });
    expect(resultsOf(after)).toEqual(resultsOf(before));
    const less = taken(before, {
      calls: [],
      results: [{ position: first ?? position(0), kept: kept - 1 }],
      freed: 0,
      cause: 'test',
    });
    expect(textOf(resultsOf(less)[0])).toContain('[Shortened here: ');
  });

  test('do not change the state from which they were computed', () => {
    const before = session([5_000, 200, 200, 200, 200, 200, 200]);
    const text = textOf(resultsOf(before)[0]);
    taken(before, plan(before, { need: { do: 'epoch', cause: 'model' } }));
    expect(textOf(resultsOf(fold([prompt('other')], before))[0])).toBe(text);
  });

  test('are not changed by an epoch that names an unknown record, which is reported as a problem', () => {
    const before = session([5_000]);
    const after = fold([opened(1, { prunings: [position(1)] })], before);
    expect(resultsOf(after)).toEqual(resultsOf(before));
    expect(slice(after.problems).map(({ code }) => code)).toEqual(['unknown-epoch-record']);
  });
});

describe('a result is shortened only if it', () => {
  const anew: Partial<PruningInput> = { need: { do: 'epoch', cause: 'tools' } };
  const calls = (state: State, more: Partial<PruningInput> = anew): readonly string[] => plan(state, more)?.calls ?? [];

  test('is old and long: the latest six results and short results stay whole', () => {
    expect(calls(session([5_000, 1_190, 5_000, 200, 5_000, 5_000, 5_000, 5_000, 5_000]))).toEqual(['c0', 'c2']);
    expect(calls(session([5_000, 5_000, 5_000, 5_000, 5_000, 5_000]))).toEqual([]);
  });

  test('was read by the model: a batch of ten unread results stays whole', () => {
    const ten = Array.from(
      { length: 10 },
      (_, index) => [`c${index}`, result(`c${index}`, 'word '.repeat(900))] as const,
    );
    const unread = fold([created, prompt('go'), opened(0), ...step(0, ten, USAGE), ...LATER]);
    expect(calls(unread)).toEqual([]);
    expect(calls(fold(step(1, [], USAGE), unread))).toEqual(['c0', 'c1', 'c2', 'c3']);
  });

  test('is not the body of a skill, under any id that is sent', () => {
    const loaded: TestEvent = [
      'skill.loaded',
      { name: 's', version: '1', reason: 'on_demand', tokens: 9, source: 'h', call: 'c0' },
    ];
    expect(calls(fold([loaded], session([5_000, 5_000, 1, 1, 1, 1, 1, 1])))).toEqual(['c1']);
  });

  test('can be read back: without the tool `history_read`, nothing is shortened', () => {
    const without: RequestSpec = { ...wanted, texts: { ...wanted.texts, tools: [] } };
    expect(plan(session([5_000, 1, 1, 1, 1, 1, 1]), { ...anew, wanted: without })).toBeUndefined();
  });

  test('was not shortened before, also if that pruning still waits for its epoch', () => {
    const before = session([5_000, 5_000, 1, 1, 1, 1, 1, 1]);
    const pruned = plan(before, anew) ?? never();
    expect(pruned.calls).toEqual(['c0', 'c1']);
    expect(calls(fold([['history.pruned', pruned]], before))).toEqual([]);
    expect(calls(taken(before, pruned))).toEqual([]);
  });
});

describe('`planPruning`', () => {
  const early = EARLY;
  // The same results, but read by fewer calls than in `early`.
  const young = early.slice(0, 12);
  // The opposite case of `early`: a short old result before large new results.
  const late = [2_000, 200, 200, 200, 200, 200, 40_000, 40_000, 40_000, 40_000, 40_000, 40_000];

  test('prunes when reading the freed tokens has cost more than the break will cost', () => {
    const pruned = plan(session(early));
    expect(pruned).toMatchObject({ cause: 'pays', calls: ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'] });
    expect(pruned?.breakEven).toBeLessThanOrEqual(pruned?.waits ?? 0);
    expect(Number(pruned?.cost)).toBeGreaterThan(0);
    expect(plan(session(late))).toBeUndefined();
  });

  test('begins at the result that saves most, even if an older prunable result is far before it', () => {
    const state = session([1_300, ...Array.from({ length: 12 }, () => 1_150), ...early.slice(0, 26)]);
    expect(plan(state)?.calls[0]).toBe('c13');
  });

  test('prunes at no cost in an epoch that sends the whole history again anyway', () => {
    expect(plan(session(early), { need: { do: 'epoch', cause: 'parameters' } })).toMatchObject({
      cause: 'together',
      cost: '0',
      breakEven: 0,
      waits: 0,
    });
    expect(plan(session(early), { need: { do: 'epoch', cause: 'quarantine' } })).toBeUndefined();
  });

  test('does not prune if fetching the results again would cost more than is saved, even in an epoch that opens anyway', () => {
    const small = session([1_300, 200, 200, 200, 200, 200, 40_000, 40_000, 40_000, 40_000, 40_000, 40_000]);
    expect(plan(small, { need: { do: 'epoch', cause: 'parameters' } })).toBeUndefined();
  });

  test('prunes in the epoch of a compaction only the results that remain after the checkpoint', () => {
    const before = session([5_000, 5_000, 5_000, 5_000, 200, 200, 200, 200, 200, 200]);
    const range = { from: position(0), to: position(resultSpan(before, 1).group) };
    const made = { strategy: 'deterministic', trigger: 'manual', limitations: [] } as const;
    const data = { range, checkpoint: 'done so far', ...made };
    const compacted = fold([['history.compacted', data]], before);
    const need = neededChange(compacted, wanted, []);
    expect(need).toEqual({ do: 'epoch', cause: 'compaction' });
    const pruned = plan(compacted, { need }) ?? never();
    expect(pruned).toMatchObject({ cause: 'together', calls: ['c2', 'c3'], cost: '0' });
    const takes = { checkpoint: position(before.length), prunings: [position(compacted.length)] };
    const after = fold([['history.pruned', pruned], opened(1, { cause: 'compaction', ...takes })], compacted);
    expect(neededEpoch(after, wanted)).toBeUndefined();
    expect(resultsOf(after).map((one) => [one.call, textOf(one).includes('[Shortened here')])).toEqual([
      ['c2', true],
      ['c3', true],
      ...['c4', 'c5', 'c6', 'c7', 'c8', 'c9'].map((id) => [id, false]),
    ]);
    expect(plan(after, { need: { do: 'epoch', cause: 'model' } })).toBeUndefined();
  });

  test('prunes when the cache has expired, if enough is freed', () => {
    const at = second(3_500);
    expect(plan(session(early), { at })).toMatchObject({ cause: 'expired', cost: '0' });
    expect(plan(session(late), { at })).toBeUndefined();
  });

  test('prunes at no cost if the next request cannot read the cached history, because its account or cache key changed', () => {
    const state = session(early);
    const entries = state.cache.entries.map((entry) => ({ ...entry, account: 'one', key: 'first' }));
    const cached: State = { ...state, cache: { ...state.cache, entries } };
    expect(plan(cached, { account: 'one', key: 'first' })).toMatchObject({ cause: 'pays' });
    expect(plan(cached, { key: 'first' })).toMatchObject({ cause: 'pays' });
    expect(plan(cached, { account: 'other', key: 'first' })).toMatchObject({ cause: 'expired', cost: '0' });
    expect(plan(cached, { account: 'one', key: 'second' })).toMatchObject({ cause: 'expired', cost: '0' });
  });

  test('computes the cost of a break from the entries that the next request can read', () => {
    const state = session([200, 200, 200, ...young]);
    const entries = state.cache.entries.map((entry, index, all) =>
      index === all.length - 1 ? entry : { ...entry, account: 'one' },
    );
    const cached: State = { ...state, cache: { ...state.cache, entries } };
    const cost = (account: string): number => Number(plan(cached, { account, gauge: FULL })?.cost);
    expect(cost('other')).toBeGreaterThan(cost('one'));
  });

  test('prunes early in a nearly full window if that pays within 40 calls, but not if little is freed', () => {
    const state = session(young);
    expect(plan(state)).toBeUndefined();
    expect(plan(state, { gauge: { ...FULL, tier: 'advisory' } })).toBeUndefined();
    expect(plan(state, { gauge: FULL })).toMatchObject({ cause: 'warning', waits: 40, tier: 'warning' });
    expect(plan(state, { gauge: { ...FULL, tier: 'critical' } })).toMatchObject({ cause: 'warning', tier: 'critical' });
    expect(plan(session(late), { gauge: FULL })).toBeUndefined();
  });

  test.each([
    ['pays', session(early), HALF_FULL],
    ['warning', session(young), FULL],
  ] as const)(
    'does not prune with cause `%s` if a compaction would come before the batch has paid for itself',
    (cause, state, gauge) => {
      const input = 100_000;
      expect(plan(state, { gauge: { ...gauge, input }, compactsAt: 1e9 })).toMatchObject({ cause });
      expect(plan(state, { gauge: { ...gauge, input }, compactsAt: input + 10 })).toBeUndefined();
      // Without `compactsAt`, the runtime never compacts automatically, so the number of remaining calls is not
      // limited.
      expect(plan(state, { gauge: { ...gauge, input } })).toMatchObject({ cause });
    },
  );

  test('opens no separate epoch if the front must change too', () => {
    const pruned = session(early);
    const other: RequestSpec = { ...wanted, parameters: { effort: 'low' } };
    expect(plan(pruned, { wanted: other })).toBeUndefined();
  });

  test('opens no separate epoch to save money after an appended change, because this epoch would move that change into the front', () => {
    const other: RequestSpec = { ...wanted, parameters: { effort: 'low' } };
    const change: TestEvent = [
      'reasoning.changed',
      { parameter: 'effort', setting: 'low', as: 'appended', scope: 'lasting' },
    ];
    const changed = fold([change], session(early));
    expect(plan(session(early))).toMatchObject({ cause: 'pays' });
    expect(neededEpoch(changed, other)).toBeUndefined();
    expect(plan(changed, { wanted: other })).toBeUndefined();
    expect(plan(changed, { wanted: other, gauge: FULL })).toMatchObject({ cause: 'warning' });
  });
});
