import fc from 'fast-check';
import { expect, test } from 'vitest';
import { row, second } from '../../tests/log-of.ts';
import { unitPrice } from '../money/bill.ts';
import type { LifetimeInput } from './lifetime.ts';
import { chooseLifetime } from './lifetime.ts';
import type { CallPause } from '../state/pauses.ts';
import { addPause, NO_PAUSES, stakes } from '../state/pauses.ts';

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

test('a stream without pauses begins with five minutes', () => {
  expect(lifeAfter([])).toBe('5m');
});

test('one pause within the hour, whatever its length, does not buy an hour: most streams have no second one', () => {
  for (const minutes of [5, 18, 40, 59]) expect(lifeAfter([pause(minutes)])).toBe('5m');
});

test('two pauses within the hour buy an hour, pauses of an hour or more do not', () => {
  expect(lifeAfter([pause(5), pause(59)])).toBe('1h');
  expect(lifeAfter([pause(60), pause(60), pause(900)])).toBe('5m');
  expect(lifeAfter([pause(20), pause(60), pause(60), pause(20)])).toBe('5m');
});

test('pauses of a small prefix do not buy an hour for a large one', () => {
  const shown = [pause(20, { held: 8_000 }), pause(20, { held: 9_000 })];
  expect(lifeAfter(shown, { tokens: 9_500, held: 9_000 })).toBe('1h');
  expect(lifeAfter(shown, { tokens: 80_500, held: 80_000 })).toBe('5m');
});

test('the margin is counted in tokens that were held before the request, so a large new prompt does not raise it', () => {
  const shown = [pause(23, { held: 20_000 }), pause(20, { held: 32_000 })];
  expect(lifeAfter(shown, { tokens: 60_000, held: 32_000 })).toBe('1h');
  expect(lifeAfter(shown, { tokens: 60_000 })).toBe('5m');
});

test('a margin that is passed replaces the fitted one', () => {
  expect(lifeAfter([pause(20)], { margin: 0.5 })).toBe('1h');
  expect(lifeAfter([pause(20), pause(20), pause(20)], { margin: Infinity })).toBe('5m');
});

test('pauses below five minutes change nothing, however many', () => {
  const bursts = Array.from({ length: 500 }, () => pause(4.9));
  expect(bursts.reduce(addPause, NO_PAUSES)).toBe(NO_PAUSES);
  expect(lifeAfter([pause(20), pause(20), ...bursts])).toBe('1h');
});

test('a break that no life outlasts counts against an hour', () => {
  const shown = [pause(20), pause(20)];
  expect(lifeAfter(shown)).toBe('1h');
  expect(lifeAfter([...shown, pause(1, { broken: TOKENS })])).toBe('5m');
  expect(lifeAfter(shown.map((one) => ({ ...one, broken: TOKENS })))).toBe('5m');
});

test('after an entry of five minutes it stays at five minutes', () => {
  const shown = [pause(20), pause(20), pause(20)];
  expect(lifeAfter(shown)).toBe('1h');
  expect(lifeAfter(shown, { behind: { ttl: '5m', section: 'messages' } })).toBe('5m');
});

test('a history that lives an hour keeps it until half of the margin is left', () => {
  const near = [pause(20), pause(20), pause(200, { held: 0.9 * TOKENS })];
  expect(lifeAfter(near)).toBe('5m');
  expect(lifeAfter(near, { behind: { ttl: '1h', section: 'system' } })).toBe('5m');
  expect(lifeAfter(near, { behind: { ttl: '1h', section: 'messages' } })).toBe('1h');
  const far = [...near, pause(200), pause(200)];
  expect(lifeAfter(far, { behind: { ttl: '1h', section: 'messages' } })).toBe('5m');
});

test('without a price, or without a longer life, it is five minutes', () => {
  const shown = [pause(20), pause(20)];
  expect(lifeAfter(shown, { price: undefined })).toBe('5m');
  expect(lifeAfter(shown, { price: { input: '1', output: '5', read: '0.1', writes: { '5m': '1.25' } } })).toBe('5m');
  expect(lifeAfter(shown, { capabilities: { ...row('claude-opus-5-5'), ttls: ['5m'] } })).toBe('5m');
});

test('evidence is bounded, fades, and is never below zero', () => {
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

test('each piece of evidence is either kept or lost', () => {
  const shown = [pause(7), pause(45), pause(70), pause(3, { broken: 10_000 })].reduce(addPause, NO_PAUSES);
  const { kept, lost } = stakes(shown, 5 * MINUTE, 60 * MINUTE);
  expect(kept + lost).toBeCloseTo([...shown.bins, shown.broken].reduce((sum, tokens) => sum + tokens, 0));
  expect(lost).toBeCloseTo(TOKENS * 0.9 + 10_000);
});
