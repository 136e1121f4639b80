import type { Block, Capabilities } from '@tidemark/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { named, newHash, row, second } from '../../tests/log-of.ts';
import { unitPrice } from '../money/bill.ts';
import type { CallPause } from '../state/call-times.ts';
import { NO_PAUSES, addPause, stakes } from '../state/call-times.ts';
import type { CacheEntry } from '../state/state.ts';
import { readableEntries, unreadable } from './entries.ts';
import type { LifetimeInput } from './plan.ts';
import { chooseLifetime, plan } from './plan.ts';
import type { Sequence } from './sequence.ts';
import { beginSequence, extendSequence, firstDivergence, tokensUpTo } from './sequence.ts';

const PARAMETERS = { tools: named('p'), system: named('p'), messages: named('p') };

function block(text: string, over: Partial<Block> = {}): Block {
  return {
    section: 'messages',
    role: 'user',
    group: 0,
    head: `{"text":"${text}"`,
    tail: '}',
    markable: true,
    run: 'none',
    holds: 'text',
    opensTurn: false,
    origin: { from: 'event', session: 's', position: 0 },
    tokens: 100,
    mediaBytes: 0,
    ...over,
  };
}

const FRONT = [
  block('tool', { section: 'tools', role: 'system', tokens: 1500 }),
  block('sys', { section: 'system', role: 'system', tokens: 1500 }),
];

const PROMPT = block('go', { opensTurn: true });

const THINKING = block('hm', { role: 'assistant', holds: 'thinking', markable: false, group: 1 });

function sequenceOf(...blocks: readonly Block[]): Sequence {
  return extendSequence(beginSequence(PARAMETERS, FRONT, newHash), blocks);
}

function entryAt(sequence: Sequence, index: number, of: number = index + 1, at = 0): CacheEntry {
  return {
    parameters: PARAMETERS,
    block: index,
    section: sequence.blocks.buffer[index]?.section ?? 'messages',
    of,
    images: false,
    beside: false,
    prefix: sequence.prefixes.buffer[index] ?? '',
    ttl: '5m',
    at: second(at),
  };
}

const sonnet = row('claude-sonnet-4-5');

const opus = row('claude-opus-5-5');

const marks = (markers: ReturnType<typeof plan>): readonly number[] => markers.map((marker) => marker.block);

test('`plan` marks the tools, the system text, the end of the last accepted request, and the tail', () => {
  const sequence = sequenceOf(PROMPT, block('a', { role: 'assistant', group: 1 }), block('r'));
  const readable = [entryAt(sequence, 2)];
  expect(marks(plan({ sequence, capabilities: opus, readable, ttl: '5m' }))).toEqual([0, 1, 2, 4]);
});

test.each<readonly [Capabilities['markers'], readonly number[]]>([
  ['pass-through', [0, 1, 2]],
  ['none', []],
  ['unknown', []],
])('`plan` places the markers that a row allows with `markers` set to %s', (markers, marked) => {
  const sequence = sequenceOf(PROMPT);
  expect(marks(plan({ sequence, capabilities: { ...opus, markers }, readable: [], ttl: '5m' }))).toEqual(marked);
});

test('`plan` does not mark the front if its prefix is below the floor', () => {
  const sequence = sequenceOf(PROMPT);
  expect(marks(plan({ sequence, capabilities: row('claude-haiku-4-5'), readable: [], ttl: '5m' }))).toEqual([2]);
});

test('`plan` marks the last markable block before thinking, never the thinking itself', () => {
  const sequence = sequenceOf(PROMPT, THINKING);
  expect(marks(plan({ sequence, capabilities: opus, readable: [], ttl: '5m' }))).toEqual([0, 1, 2]);
});

test('`plan` places no markers if the provider takes none', () => {
  const capabilities = { ...opus, markers: 'implicit' } as const;
  expect(plan({ sequence: sequenceOf(PROMPT), capabilities, readable: [], ttl: '5m' })).toEqual([]);
});

test('`plan` never places more markers than there are slots', () => {
  const sequence = sequenceOf(
    PROMPT,
    THINKING,
    block('c', { role: 'assistant', holds: 'call', group: 1 }),
    block('r', { holds: 'result' }),
  );
  const readable = [entryAt(sequence, 2), entryAt(sequence, 4)];
  expect(marks(plan({ sequence, capabilities: sonnet, readable, ttl: '5m' }))).toEqual([1, 2, 4, 5]);
});

test('`plan` keeps the entry after the prompt alive if thinking will be stripped at the next turn', () => {
  const sequence = sequenceOf(
    PROMPT,
    THINKING,
    block('c', { role: 'assistant', holds: 'call', group: 1 }),
    block('r', { holds: 'result' }),
  );
  const markers = marks(plan({ sequence, capabilities: sonnet, readable: [entryAt(sequence, 2)], ttl: '5m' }));
  expect(markers).toContain(2);
});

test('an entry of five minutes is readable until five minutes after the start of the request that wrote it', () => {
  const sequence = sequenceOf(PROMPT);
  const lookup = (seconds: number): Parameters<typeof unreadable>[1] => ({
    sequence,
    capabilities: opus,
    now: Date.parse(second(seconds)),
  });
  expect(unreadable(entryAt(sequence, 2), lookup(299))).toBeUndefined();
  expect(unreadable(entryAt(sequence, 2), lookup(300))).toBe('expired');
});

test('an entry with other bytes is not readable', () => {
  const written = sequenceOf(PROMPT);
  const sequence = sequenceOf(block('other', { opensTurn: true }));
  expect(unreadable(entryAt(written, 2), { sequence, capabilities: opus, now: Date.parse(second(1)) })).toBe('opened');
});

test('the first image makes entries of messages unreadable, but not entries of the front', () => {
  const sequence = sequenceOf(PROMPT, block('shot', { holds: 'image', mediaBytes: 10, opensTurn: true }));
  const lookup = { sequence, capabilities: opus, now: Date.parse(second(1)) };
  expect(unreadable(entryAt(sequence, 2), lookup)).toBe('image');
  expect(unreadable(entryAt(sequence, 1), lookup)).toBeUndefined();
});

test('a new turn makes entries after stripped thinking unreadable, on models that strip it', () => {
  const turn = [PROMPT, THINKING, block('a', { role: 'assistant', group: 1 })];
  const sequence = sequenceOf(...turn, block('next', { opensTurn: true, group: 2 }));
  const entries = [entryAt(sequence, 2), entryAt(sequence, 4)];
  const now = Date.parse(second(1));
  expect(readableEntries(entries, { sequence, capabilities: sonnet, now }).map((entry) => entry.block)).toEqual([2]);
  expect(readableEntries(entries, { sequence, capabilities: opus, now })).toHaveLength(2);
  expect(tokensUpTo(sequence, 5, true)).toBe(tokensUpTo(sequence, 5, false) - THINKING.tokens);
});

test('entries of a side call contain no thinking, so the turn that produced the thinking cannot read them', () => {
  const sequence = sequenceOf(
    PROMPT,
    THINKING,
    block('c', { role: 'assistant', holds: 'call', group: 1 }),
    block('r', { holds: 'result' }),
  );
  const entries = [2, 4].map((index): CacheEntry => ({ ...entryAt(sequence, index), beside: true }));
  const now = Date.parse(second(1));
  const readable = (model: typeof sonnet): readonly number[] =>
    readableEntries(entries, { sequence, capabilities: model, now }).map((entry) => entry.block);
  expect(readable(sonnet)).toEqual([2]);
  expect(readable(opus)).toEqual([2, 4]);
});

test('a history without an image cannot read entries of a side call whose own words contain an image', () => {
  const sequence = sequenceOf(PROMPT);
  const lookup = { sequence, capabilities: opus, now: Date.parse(second(1)) };
  expect(unreadable({ ...entryAt(sequence, 2), images: true }, lookup)).toBe('image');
});

test('`firstDivergence` returns the first block that differs, and the first byte that differs in that block', () => {
  const before = sequenceOf(PROMPT, block('äbc'));
  expect(firstDivergence(before, sequenceOf(PROMPT, block('äbc'), block('more')))).toBeUndefined();
  const after = sequenceOf(PROMPT, block('äbd'));
  expect(firstDivergence(before, after)).toMatchObject({ at: 3, byte: Buffer.byteLength('{"text":"äb') });
  const other = extendSequence(beginSequence({ ...PARAMETERS, messages: 'q' }, FRONT, newHash), [PROMPT]);
  expect(firstDivergence(before, other)).toEqual({ at: 'parameters', section: 'messages' });
});

test('a block that continues the previous message has another prefix digest than the same block in a separate message', () => {
  const one = sequenceOf(PROMPT, block('x', { group: 1 }));
  const grown = sequenceOf(PROMPT, block('x', { group: 0 }));
  expect(firstDivergence(one, grown)).toMatchObject({ at: 3 });
});

const long = (entry: CacheEntry): CacheEntry => ({ ...entry, ttl: '1h' });

test('with a chosen lifetime, a readable entry keeps its own lifetime, and no long-lived marker follows a short-lived one', () => {
  const sequence = sequenceOf(PROMPT, block('a', { role: 'assistant', group: 1 }), block('r'));
  const lives = (readable: readonly CacheEntry[], ttl: '5m' | '1h', beside = false): readonly string[] =>
    plan({ sequence, capabilities: opus, readable, ttl, chosen: true, beside }).map((marker) => marker.ttl);
  expect(lives([long(entryAt(sequence, 1)), long(entryAt(sequence, 2))], '5m')).toEqual(['1h', '1h', '1h', '5m']);
  expect(lives([long(entryAt(sequence, 1)), entryAt(sequence, 2)], '5m')).toEqual(['1h', '1h', '5m', '5m']);
  expect(lives([], '1h')).toEqual(['1h', '1h', '1h']);
  expect(lives([long(entryAt(sequence, 2))], '1h', true)).toEqual(['1h', '1h', '1h', '5m']);
});

test('with a chosen lifetime, `plan` keeps the longest entry alive that outlives the entries after it', () => {
  const sequence = sequenceOf(PROMPT, block('a', { group: 1 }), block('b', { group: 2 }), block('c', { group: 3 }));
  const input = { sequence, capabilities: opus, ttl: '5m' } as const;
  const readable = [long(entryAt(sequence, 2)), long(entryAt(sequence, 3)), entryAt(sequence, 4)];
  expect(plan({ ...input, readable, chosen: true })).toEqual([
    { block: 1, ttl: '1h' },
    { block: 3, ttl: '1h' },
    { block: 4, ttl: '5m' },
    { block: 5, ttl: '5m' },
  ]);
  expect(marks(plan({ ...input, readable }))).toEqual([0, 1, 4, 5]);
});

const MINUTE = 60_000;

const TOKENS = 50_000;

const pause = (minutes: number, over: Partial<CallPause> = {}): CallPause => ({
  ms: minutes * MINUTE,
  held: TOKENS,
  broken: 0,
  ...over,
});

function lifeAfter(
  shown: readonly CallPause[],
  over: Partial<LifetimeInput> & { readonly model?: string } = {},
): string {
  const capabilities = row(over.model ?? 'claude-opus-5-5');
  const pauses = shown.reduce(addPause, NO_PAUSES);
  const price = unitPrice(capabilities, second(0), TOKENS);
  return chooseLifetime({ pauses, capabilities, price, tokens: TOKENS, behind: undefined, ...over });
}

test('`chooseLifetime` returns 5m for a stream without pauses', () => {
  expect(lifeAfter([])).toBe('5m');
});

test('`chooseLifetime` returns 5m after one pause of any length within the hour, because most streams have no second one', () => {
  for (const minutes of [5, 18, 40, 59]) expect(lifeAfter([pause(minutes)])).toBe('5m');
});

test('`chooseLifetime` returns 1h after two pauses within the hour, but not after pauses of an hour or more', () => {
  expect(lifeAfter([pause(5), pause(59)])).toBe('1h');
  expect(lifeAfter([pause(60), pause(60), pause(900)])).toBe('5m');
  expect(lifeAfter([pause(20), pause(60), pause(60), pause(20)])).toBe('5m');
});

test('`chooseLifetime` returns 5m for a large prefix if only a small prefix was cached during the pauses', () => {
  const shown = [pause(20, { held: 8_000 }), pause(20, { held: 9_000 })];
  expect(lifeAfter(shown, { tokens: 9_500, held: 9_000 })).toBe('1h');
  expect(lifeAfter(shown, { tokens: 80_500, held: 80_000 })).toBe('5m');
});

test('the margin is counted in tokens that the cache held before the request, so a large new prompt does not raise it', () => {
  const shown = [pause(23, { held: 20_000 }), pause(20, { held: 32_000 })];
  expect(lifeAfter(shown, { tokens: 60_000, held: 32_000 })).toBe('1h');
  expect(lifeAfter(shown, { tokens: 60_000 })).toBe('5m');
});

test('a margin passed to `chooseLifetime` replaces the fitted one', () => {
  expect(lifeAfter([pause(20)], { margin: 0.5 })).toBe('1h');
  expect(lifeAfter([pause(20), pause(20), pause(20)], { margin: Infinity })).toBe('5m');
});

test('any number of pauses below five minutes changes nothing', () => {
  const bursts = Array.from({ length: 500 }, () => pause(4.9));
  expect(bursts.reduce(addPause, NO_PAUSES)).toBe(NO_PAUSES);
  expect(lifeAfter([pause(20), pause(20), ...bursts])).toBe('1h');
});

test('a break after which no lifetime would have kept the tokens counts against a lifetime of an hour', () => {
  const shown = [pause(20), pause(20)];
  expect(lifeAfter(shown)).toBe('1h');
  expect(lifeAfter([...shown, pause(1, { broken: TOKENS })])).toBe('5m');
  expect(lifeAfter(shown.map((one) => ({ ...one, broken: TOKENS })))).toBe('5m');
});

test('`chooseLifetime` always returns 5m after an entry of five minutes', () => {
  const shown = [pause(20), pause(20), pause(20)];
  expect(lifeAfter(shown)).toBe('1h');
  expect(lifeAfter(shown, { behind: { ttl: '5m', section: 'messages' } })).toBe('5m');
});

test('a history that lives an hour keeps this lifetime as long as half of the margin is saved', () => {
  const near = [pause(20), pause(20), pause(200, { held: 0.9 * TOKENS })];
  expect(lifeAfter(near)).toBe('5m');
  expect(lifeAfter(near, { behind: { ttl: '1h', section: 'system' } })).toBe('5m');
  expect(lifeAfter(near, { behind: { ttl: '1h', section: 'messages' } })).toBe('1h');
  const far = [...near, pause(200), pause(200)];
  expect(lifeAfter(far, { behind: { ttl: '1h', section: 'messages' } })).toBe('5m');
});

test('`chooseLifetime` returns 5m without a price, and without a longer lifetime', () => {
  const shown = [pause(20), pause(20)];
  expect(lifeAfter(shown, { price: undefined })).toBe('5m');
  expect(lifeAfter(shown, { price: { input: '1', output: '5', read: '0.1', writes: { '5m': '1.25' } } })).toBe('5m');
  expect(lifeAfter(shown, { capabilities: { ...row('claude-opus-5-5'), ttls: ['5m'] } })).toBe('5m');
});

test('the evidence of `addPause` is bounded and never below zero', () => {
  const any = fc.record({ ms: fc.integer({ min: -1e6, max: 1e9 }), held: fc.nat(200_000), broken: fc.integer() });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 200 }), (shown) => {
      const { bins, broken } = shown.reduce(addPause, NO_PAUSES);
      expect(bins).toHaveLength(NO_PAUSES.bins.length);
      for (const tokens of bins) expect(tokens).toBeLessThanOrEqual(200_000 * 10);
      for (const tokens of [...bins, broken]) expect(tokens).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('`stakes` counts each piece of evidence as either kept or lost', () => {
  const shown = [pause(7), pause(45), pause(70), pause(3, { broken: 10_000 })].reduce(addPause, NO_PAUSES);
  const { kept, lost } = stakes(shown, 5 * MINUTE, 60 * MINUTE);
  expect(kept + lost).toBeCloseTo([...shown.bins, shown.broken].reduce((sum, tokens) => sum + tokens, 0));
  expect(lost).toBeCloseTo(TOKENS * 0.9 + 10_000);
});
