import type { AnswerPart, EpochOpened, HistoryPruned, ImagePart, Usage } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import type { ResultPart, Span } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import type { Told } from '../tests/log-of.ts';
import { answer, call, created, fold, named, prompt, request, row, second, turn } from '../tests/log-of.ts';
import { slice } from './append-only.ts';
import type { Wanted } from './epoch.ts';
import { neededEpoch } from './epoch.ts';
import type { Need } from './needed-change.ts';
import { neededChange } from './needed-change.ts';
import type { PruningInput } from './pruning.ts';
import { planPruning } from './pruning.ts';
import type { State } from './state.ts';

const OPUS = row('claude-opus-5-5');
const SHOT: ImagePart = { type: 'image', artifact: named('shot'), mediaType: 'image/png', bytes: 90_000 };
const READER = { name: 'history_read', digest: named('history_read') };

const wanted: Wanted = {
  provider: 'anthropic',
  model: OPUS.model,
  parameters: {},
  capabilities: named('row'),
  texts: { contract: 'tm1', layers: [], tools: [{ record: READER, definition: '{}' }] },
};

function opened(number: number, more: Partial<EpochOpened> = {}): Told {
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

function result(id: string, said: string, images: readonly ImagePart[] = []): Told {
  return ['tool.returned', { call: callId(id), parts: [{ type: 'text', text: said }, ...images] }];
}

/** A step as it goes: asked, answered with calls, and these closed. */
function step(number: number, closings: readonly (readonly [id: string, closing: Told])[], usage: Usage = {}): Told[] {
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

const USAGE: Usage = { fresh: 0, read: 1_000, writes: [{ ttl: '5m', tokens: 100 }] };

/** Two turns later nothing has used what was written before them. */
const LATER = [turn, turn];

/** A session of so many steps, each with one result of so many characters; two more turns, and one more request. */
function session(lengths: readonly number[]): State {
  const steps = lengths.flatMap((length, index) =>
    step(index, [[`c${index}`, result(`c${index}`, `${index}: ${'word '.repeat(length / 5)}`)]], USAGE),
  );
  return fold([created, prompt('go'), opened(0), ...steps, ...LATER, ...step(lengths.length, [], USAGE)]);
}

/** Long results far from the end: much is freed, little stands behind it. */
const EARLY = [20_000, 20_000, 20_000, 20_000, 20_000, 20_000, ...Array.from({ length: 24 }, () => 200)];

const NOTHING: Need = { do: 'nothing' };
/** A window that is more than half full, and not yet nearly full. */
const HALF_FULL = { tier: 'calm', ratio: 0.6, bytes: 0 } as const;
const FULL = { tier: 'warning', ratio: 0.85, bytes: 0 } as const;

function plan(state: State, more: Partial<PruningInput> = {}): HistoryPruned | undefined {
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

function resultsOf(state: State): readonly ResultPart[] {
  return slice(state.history.packed).flatMap(({ parts }) => parts.filter((part) => part.type === 'result'));
}

/** The span of the result that stands at this place among the results. */
function resultSpan(state: State, rank: number): Span {
  const found = slice(state.history.packed).filter(({ parts: [part] }) => part?.type === 'result')[rank];
  return found ?? never();
}

function textOf(one: ResultPart | undefined): string {
  return (one?.content ?? []).map((part) => (part.type === 'text' ? part.text : part.type)).join('|');
}

/** Takes a plan up. */
function taken(state: State, pruned: HistoryPruned | undefined): State {
  if (pruned === undefined) throw new Error('nothing was planned');
  return fold([['history.pruned', pruned], opened(1, { prunings: [position(state.length)] })], state);
}

describe('results that are shortened', () => {
  test('stay as they are until an epoch names the record, then show their beginning and how to read on', () => {
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

  test('keep images no longer, and whole graphemes alone', () => {
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

  test('count as never sent until a request was accepted that shows them so, also behind another epoch', () => {
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

  test('show no notice where nothing of them would be left out', () => {
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

  test('leave the state that they grew from as it was', () => {
    const before = session([5_000, 200, 200, 200, 200, 200, 200]);
    const text = textOf(resultsOf(before)[0]);
    taken(before, plan(before, { need: { do: 'epoch', cause: 'model' } }));
    expect(textOf(resultsOf(fold([prompt('other')], before))[0])).toBe(text);
  });

  test('are named by an epoch that names no such record: reported, and nothing changes', () => {
    const before = session([5_000]);
    const after = fold([opened(1, { prunings: [position(1)] })], before);
    expect(resultsOf(after)).toEqual(resultsOf(before));
    expect(slice(after.problems).map(({ code }) => code)).toEqual(['unknown-epoch-record']);
  });
});

function never(): never {
  throw new Error('nothing was planned');
}

describe('what is shortened', () => {
  const anew: Partial<PruningInput> = { need: { do: 'epoch', cause: 'tools' } };
  const calls = (state: State, more: Partial<PruningInput> = anew): readonly string[] => plan(state, more)?.calls ?? [];

  test('is old and long: the latest six stay whole, and so does what is short', () => {
    expect(calls(session([5_000, 1_190, 5_000, 200, 5_000, 5_000, 5_000, 5_000, 5_000]))).toEqual(['c0', 'c2']);
    expect(calls(session([5_000, 5_000, 5_000, 5_000, 5_000, 5_000]))).toEqual([]);
  });

  test('was read by the model: a batch of ten that it has not seen yet stays whole', () => {
    const ten = Array.from(
      { length: 10 },
      (_, index) => [`c${index}`, result(`c${index}`, 'word '.repeat(900))] as const,
    );
    const unread = fold([created, prompt('go'), opened(0), ...step(0, ten, USAGE), ...LATER]);
    expect(calls(unread)).toEqual([]);
    expect(calls(fold(step(1, [], USAGE), unread))).toEqual(['c0', 'c1', 'c2', 'c3']);
  });

  test('is no body of a skill, under whatever id that is sent', () => {
    const loaded: Told = [
      'skill.loaded',
      { name: 's', version: '1', reason: 'on_demand', tokens: 9, source: 'h', call: 'c0' },
    ];
    expect(calls(fold([loaded], session([5_000, 5_000, 1, 1, 1, 1, 1, 1])))).toEqual(['c1']);
  });

  test('can be read back: without the tool for it nothing is shortened', () => {
    const without: Wanted = { ...wanted, texts: { ...wanted.texts, tools: [] } };
    expect(plan(session([5_000, 1, 1, 1, 1, 1, 1]), { ...anew, wanted: without })).toBeUndefined();
  });

  test('is shortened once: neither what waits for its epoch nor what is short already', () => {
    const before = session([5_000, 5_000, 1, 1, 1, 1, 1, 1]);
    const pruned = plan(before, anew) ?? never();
    expect(pruned.calls).toEqual(['c0', 'c1']);
    expect(calls(fold([['history.pruned', pruned]], before))).toEqual([]);
    expect(calls(taken(before, pruned))).toEqual([]);
  });
});

describe('when it is shortened', () => {
  const early = EARLY;
  // The same, read in few calls.
  const young = early.slice(0, 12);
  // The other way round.
  const late = [2_000, 200, 200, 200, 200, 200, 40_000, 40_000, 40_000, 40_000, 40_000, 40_000];

  test('when what is freed costs more to read from now on than the break costs once', () => {
    const pruned = plan(session(early));
    expect(pruned).toMatchObject({ cause: 'pays', calls: ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'] });
    expect(pruned?.breakEven).toBeLessThanOrEqual(pruned?.waits ?? 0);
    expect(Number(pruned?.cost)).toBeGreaterThan(0);
    expect(plan(session(late))).toBeUndefined();
  });

  test('from the result on that saves most: an old one far before the others does not move the break to itself', () => {
    const state = session([1_300, ...Array.from({ length: 12 }, () => 1_150), ...early.slice(0, 26)]);
    expect(plan(state)?.calls[0]).toBe('c13');
  });

  test('with an epoch that sends the history anew anyway, and then for nothing', () => {
    expect(plan(session(early), { need: { do: 'epoch', cause: 'parameters' } })).toMatchObject({
      cause: 'together',
      cost: '0',
      breakEven: 0,
      waits: 0,
    });
    expect(plan(session(early), { need: { do: 'epoch', cause: 'quarantine' } })).toBeUndefined();
  });

  test('not where fetching it again is expected to cost more than what is freed, even with an epoch that opens anyway', () => {
    const small = session([1_300, 200, 200, 200, 200, 200, 40_000, 40_000, 40_000, 40_000, 40_000, 40_000]);
    expect(plan(small, { need: { do: 'epoch', cause: 'parameters' } })).toBeUndefined();
  });

  test('in the epoch that takes up a compaction: what the checkpoint leaves is shortened with it, and nothing else', () => {
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

  test('when the cache has expired, if it frees something to speak of', () => {
    const at = second(3_500);
    expect(plan(session(early), { at })).toMatchObject({ cause: 'expired', cost: '0' });
    expect(plan(session(late), { at })).toBeUndefined();
  });

  test('when the window grows full, before it was paid for, where it pays within 40 calls; and not where it frees little', () => {
    const state = session(young);
    expect(plan(state)).toBeUndefined();
    expect(plan(state, { gauge: { ...FULL, tier: 'advisory' } })).toBeUndefined();
    expect(plan(state, { gauge: FULL })).toMatchObject({ cause: 'warning', waits: 40, tier: 'warning' });
    expect(plan(state, { gauge: { ...FULL, tier: 'critical' } })).toMatchObject({ cause: 'warning', tier: 'critical' });
    expect(plan(session(late), { gauge: FULL })).toBeUndefined();
  });

  test('not on its own where the front would change too: then that is paid first', () => {
    const pruned = session(early);
    const other: Wanted = { ...wanted, parameters: { effort: 'low' } };
    expect(plan(pruned, { wanted: other })).toBeUndefined();
  });

  test('not on its own behind a change that was appended: its epoch would take that into the front, and break that too', () => {
    const other: Wanted = { ...wanted, parameters: { effort: 'low' } };
    const said: Told = ['reasoning.changed', { parameter: 'effort', setting: 'low', as: 'appended', scope: 'lasting' }];
    const changed = fold([said], session(early));
    expect(plan(session(early))).toMatchObject({ cause: 'pays' });
    expect(neededEpoch(changed, other)).toBeUndefined();
    expect(plan(changed, { wanted: other })).toBeUndefined();
    expect(plan(changed, { wanted: other, gauge: FULL })).toMatchObject({ cause: 'warning' });
  });
});

/** Steps that each read a file of this many characters, and one more request. */
function reading(files: readonly string[], length: number): State {
  const steps = files.flatMap((path, index) => {
    const id = `c${index}`;
    const read: AnswerPart = { type: 'call', call: callId(id), name: 'read', arguments: JSON.stringify({ path }) };
    const marker = { block: index, ttl: '5m', prefix: named(`prefix ${index}`) } as const;
    return [
      request(index + 1, [marker], index),
      answer([read], USAGE, index),
      result(id, `${index}: ${'word '.repeat(length / 5)}`),
    ];
  });
  return fold([created, turn, prompt('go'), opened(0), ...steps, ...step(files.length, [], USAGE)]);
}

test('a pruning that an older version recorded shows the beginning of a command, and uses up no tier that is known', () => {
  const run: AnswerPart = { type: 'call', call: callId('c'), name: 'bash', arguments: '{"command":"npm test"}' };
  const state = fold([
    created,
    prompt('go'),
    opened(0),
    request(1),
    answer([run], USAGE),
    result('c', `first${'x'.repeat(2_000)}last`),
  ]);
  const old = taken(state, { calls: ['c'], results: [{ position: position(5), kept: 500 }], freed: 9, cause: 'pays' });
  expect(textOf(resultsOf(old)[0])).toMatch(
    /^firstx{495}\n\[Shortened here: the first 500 of 2009 characters are shown/,
  );
  expect(old.prunings.map(({ tier, cause }) => [tier, cause])).toEqual([[undefined, 'pays']]);
});

describe('the measured cases of issue 14', () => {
  const anew: Need = { do: 'epoch', cause: 'tools' };
  const nine = Array.from({ length: 10 }, (_, index) => `src/${index}.ts`);

  test('on a 1M window after 9 steps (2% full) nothing is cut, not even with an epoch that opens anyway', () => {
    const state = reading(nine, 8_000);
    const gauge = { tier: 'calm', ratio: 0.02, bytes: 0 } as const;
    for (const need of [NOTHING, anew]) {
      expect(plan(state, { gauge, need })).toBeUndefined();
      expect(plan(fold(LATER, state), { gauge, need })).toBeUndefined();
    }
    expect(plan(fold(LATER, state), { need: anew })).toMatchObject({ calls: ['c0', 'c1', 'c2', 'c3'] });
  });

  test('below half of the window only what was superseded is cut', () => {
    const state = fold(LATER, reading([...nine.slice(0, 3), 'src/1.ts', ...nine.slice(3)], 8_000));
    const gauge = { tier: 'calm', ratio: 0.49, bytes: 0 } as const;
    expect(plan(state, { gauge, need: anew })).toMatchObject({ calls: ['c1'] });
    expect(plan(state, { gauge: { ...gauge, ratio: 0.5 }, need: anew })).toMatchObject({
      calls: ['c0', 'c1', 'c2', 'c3', 'c4'],
    });
    expect(plan(state, { gauge: { tier: 'unknown', bytes: 0 }, need: anew })).toMatchObject({ calls: ['c1'] });
    expect(plan(state, { gauge: { ...gauge, bytes: 5, bytesLimit: 9 }, need: anew })?.calls).toHaveLength(5);
  });

  test('a file that is about to be edited is not cut because it was edited once', () => {
    const state = reading(nine, 8_000);
    const edit: AnswerPart = {
      type: 'call',
      call: callId('e'),
      name: 'edit',
      arguments: '{"path":"src/0.ts","old":"a"}',
    };
    const edited = fold(
      [request(12), answer([edit], USAGE, 12), result('e', 'ok'), request(13), answer([], USAGE, 13)],
      state,
    );
    expect(plan(edited, { gauge: HALF_FULL, need: anew })).toBeUndefined();
  });

  test('a tier that had its epoch has no other until the compaction, and one that only went along counts for none', () => {
    const before = session(EARLY);
    const pruned = plan(before) ?? never();
    expect(pruned).toMatchObject({ cause: 'pays', tier: 'calm' });
    const more = [...step(17, [['x', result('x', 'word '.repeat(4_000))]], USAGE), ...LATER];
    const grown = (state: State): State =>
      fold(
        [
          ...more,
          ...Array.from({ length: 30 }, (_, index) =>
            step(18 + index, [[`y${index}`, result(`y${index}`, 'ok')]], USAGE),
          ).flat(),
        ],
        state,
      );
    const after = grown(taken(before, pruned));
    expect(plan(after, { at: second(70) })).toBeUndefined();
    expect(plan(after, { at: second(70), gauge: { ...HALF_FULL, tier: 'advisory' } })).toMatchObject({ calls: ['x'] });
    const along = grown(taken(before, { ...pruned, cause: 'together' }));
    expect(plan(along, { at: second(70) })).toMatchObject({ calls: ['x'], tier: 'calm' });
  });

  test('what is kept of the output of a command is its end', () => {
    const run = (id: string, count: number): readonly Told[] => {
      const part: AnswerPart = { type: 'call', call: callId(id), name: 'bash', arguments: '{"command":"npm test"}' };
      return [request(count), answer([part], USAGE, count), result(id, `${'line '.repeat(2_000)}2 failed`)];
    };
    const others = Array.from({ length: 6 }, (_, index) =>
      step(index + 3, [[`d${index}`, result(`d${index}`, 'ok')]], USAGE),
    );
    const state = fold([
      created,
      prompt('go'),
      opened(0),
      ...run('a', 1),
      ...run('b', 2),
      ...others.flat(),
      ...step(9, [], USAGE),
    ]);
    const pruned = plan(state, { need: anew }) ?? never();
    expect(pruned.results).toEqual([{ position: expect.any(Number), kept: 500, from: 'end' }]);
    const text = textOf(resultsOf(taken(state, pruned))[0]);
    expect(text).toMatch(/^\[Shortened here: the last 500 of 10008 characters are shown\. .*\]\n.*line 2 failed$/s);
  });
});
