import type { Block, Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { describe, expect, it } from 'vitest';
import { named, newHash, row as anthropicRow, second } from '../../tests/log-of.ts';
import { forecast } from '../forecast/forecast.ts';
import { guessRatio } from '../state/scales.ts';
import type { CacheEntry } from '../state/state.ts';
import { unreadable } from './entries.ts';
import { keptLife, plan } from './plan.ts';
import { latestEndings, onGrid, openingEnd, planKeeping } from './implicit.ts';
import type { Sequence } from './sequence.ts';
import { beginSequence, extendSequence } from './sequence.ts';

const PARAMETERS = { tools: named('p'), system: named('p'), messages: named('p') };

function row(model: string): Capabilities {
  const found = findModel(defaultCatalog(), model);
  if (found === undefined) throw new Error(`the catalog has no ${model}`);
  return found;
}

function block(text: string, over: Partial<Block> = {}): Block {
  return {
    section: 'messages',
    role: 'user',
    group: 0,
    head: text,
    tail: '',
    markable: false,
    run: 'none',
    holds: 'text',
    opensTurn: false,
    origin: { from: 'event', session: 's', position: 0 },
    tokens: 1_000,
    mediaBytes: 0,
    ...over,
  };
}

const FRONT = [
  block('tool', { section: 'tools', role: 'system', holds: 'tool', group: -1 }),
  block('contract', { section: 'system', role: 'system', group: -1, markable: true }),
];

const assistantBlock = (text: string, group: number): Block => block(text, { role: 'assistant', group });

const result = (text: string, group: number): Block => block(text, { holds: 'result', group });

function sequenceOf(...blocks: readonly Block[]): Sequence {
  return extendSequence(beginSequence(PARAMETERS, FRONT, newHash), blocks);
}

function entryAt(sequence: Sequence, index: number, ttl: CacheEntry['ttl'] = '30m'): CacheEntry {
  return {
    parameters: PARAMETERS,
    block: index,
    section: index < 1 ? 'tools' : index < 2 ? 'system' : 'messages',
    of: index + 1,
    images: false,
    beside: false,
    prefix: sequence.prefixes.buffer[index] ?? '',
    ttl,
    at: second(0),
  };
}

const HISTORY = [
  block('prompt', { group: 0 }),
  block('more', { group: 0 }),
  assistantBlock('hm', 1),
  result('a', 2),
  result('b', 3),
  block('steered', { group: 4 }),
  block('again', { group: 5 }),
];

describe('eligible endings', () => {
  it('are the ends of user messages and of runs of results, latest first, but never of answers', () => {
    expect(latestEndings(sequenceOf(...HISTORY), 20)).toEqual([8, 7, 6, 3]);
    expect(latestEndings(sequenceOf(...HISTORY), 2)).toEqual([8, 7]);
    expect(latestEndings(sequenceOf(...HISTORY, assistantBlock('done', 6)), 1)).toEqual([8]);
  });

  it('exclude the developer’s opening, which includes developer messages appended directly after it', () => {
    expect(openingEnd(sequenceOf(...HISTORY))).toBe(1);
    expect(openingEnd(sequenceOf(block('rule', { role: 'developer' }), ...HISTORY))).toBe(2);
    expect(openingEnd(beginSequence(PARAMETERS, FRONT.slice(0, 1), newHash))).toBeUndefined();
  });
});

describe('the places of a request', () => {
  const at = (capabilities: Capabilities, readable: readonly CacheEntry[], beside = false): unknown =>
    planKeeping({ sequence: sequenceOf(...HISTORY), capabilities, readable, marked: [1], beside });
  const sequence = sequenceOf(...HISTORY);

  it('are the entry that it reads and its latest ending', () => {
    const found = entryAt(sequence, 3);
    expect(at(row('gpt-5.6-sol'), [found])).toEqual({ hit: found, places: [{ block: 3, found: true }, { block: 8 }] });
  });

  it('exclude an entry that does not end at an eligible ending', () => {
    expect(at(row('gpt-5.6-sol'), [entryAt(sequence, 4)])).toEqual({ hit: undefined, places: [{ block: 8 }] });
  });

  it('include the entry at the end of the contract, even if this request does not mark it', () => {
    const unmarked = { sequence, capabilities: row('gpt-5.6-sol'), readable: [entryAt(sequence, 1)], marked: [] };
    expect(planKeeping(unmarked)).toMatchObject({
      hit: { block: 1 },
      places: [{ block: 1, found: true }, { block: 8 }],
    });
  });

  it('exclude an entry that is further back than the provider looks', () => {
    const looks = { ...row('gpt-5.6-sol'), implicit: { at: 'endings', idle: 30, lookup: 2 } } as const;
    expect(at(looks, [entryAt(sequence, 3)])).toMatchObject({ hit: undefined });
    expect(at(looks, [entryAt(sequence, 6)])).toMatchObject({ hit: { block: 6 } });
  });

  it('are, on a grid, the blocks at which a later request may diverge', () => {
    expect(at(row('gpt-5.1'), [])).toMatchObject({ places: [{ block: 0 }, { block: 1 }, { block: 8 }] });
    expect(at(row('gpt-5.1'), [], true)).toMatchObject({
      places: [{ block: 0 }, { block: 1 }, { block: 7 }, { block: 8 }],
    });
  });

  it('are undefined if the catalog row has no published rule', () => {
    expect(at(row('deepseek-flash'), [])).toBeUndefined();
    expect(at(anthropicRow('claude-opus-5-5'), [])).toBeUndefined();
  });
});

describe('the forecast', () => {
  const accountFor = (capabilities: Capabilities, readable: readonly CacheEntry[] = []): unknown => {
    const sequence = sequenceOf(...HISTORY);
    const markers = plan({ sequence, capabilities, readable, ttl: '1h' });
    const marked = markers.map((marker) => marker.block);
    const lookup = { sequence, capabilities, now: Date.parse(second(1)) };
    const keeping = planKeeping({ sequence, capabilities, readable, marked });
    const input = {
      lookup,
      at: second(1),
      markers,
      keeping,
      readable,
      accepted: undefined,
      model: 'm',
      ratio: guessRatio(),
      unsent: 0,
    };
    return forecast({ ...input, sizes: 'recorded' }).forecast;
  };

  it('reads up to the cached entry and writes up to the latest ending, at the only lifetime that has a price', () => {
    // 4,000 tokens read at $0.40 per million, 5,000 written at $5 per million.
    expect(accountFor(row('gpt-5.6-sol'), [entryAt(sequenceOf(...HISTORY), 3)])).toEqual({
      read: 4_000,
      write: 5_000,
      fresh: 0,
      unsent: 0,
      reads: 3,
      cost: '0.0266',
    });
  });

  it('writes nothing on a grid, and reads the tokens up to the last grid point', () => {
    expect(accountFor(row('gpt-5.1'), [entryAt(sequenceOf(...HISTORY), 3)])).toMatchObject({
      read: onGrid(4_000, { first: 1_024, step: 128 }),
      write: 0,
      fresh: 9_000 - 3_968,
    });
  });

  it('marks unknown caching as `unknown`, with the numbers that apply without a cache', () => {
    const unknown = { read: 0, write: 0, fresh: 9_000, caching: 'unknown' };
    expect(accountFor(row('gemini-2.5-pro'))).toMatchObject(unknown);
    expect(accountFor({ ...row('deepseek-flash'), markers: 'unknown' })).toMatchObject(unknown);
    expect(accountFor({ ...row('deepseek-flash'), markers: 'none' })).not.toHaveProperty('caching');
  });
});

describe('an entry that the provider keeps by itself', () => {
  const sequence = sequenceOf(...HISTORY);
  const after = (minutes: number, ttl: CacheEntry['ttl'], key?: string): unknown =>
    unreadable(entryAt(sequence, 3, ttl), {
      sequence,
      capabilities: row('gpt-5.5'),
      now: Date.parse(second(60 * minutes)),
      key,
    });

  it('lives for its idle time after the last use, but not beyond its maximum age', () => {
    const life = { idleMs: 30 * 60_000, ageMs: 40 * 60_000, born: second(0) };
    expect([after(29, life), after(30, life)]).toEqual([undefined, 'expired']);
    expect(after(29, { ...life, born: second(-11 * 60) })).toBe('expired');
  });

  it('is found only under its own key', () => {
    expect(after(1, '30m', 'tm1.other')).toBe('overflow-routing');
  });
});

it('`keptLife` returns the lifetime that has a price: 30 minutes, because 12 hours have none', () => {
  expect(keptLife(row('gpt-5.6-sol'))).toBe('30m');
  expect(keptLife(row('gpt-5.1'))).toBeUndefined();
});

it.each([
  [0, 0],
  [1_023, 0],
  [1_024, 1_024],
  [1_151, 1_024],
  [1_152, 1_152],
])('a prefix of %i tokens contains an entry of %i tokens on a grid of 1,024 and 128', (tokens, held) => {
  expect(onGrid(tokens, { first: 1_024, step: 128 })).toBe(held);
});
