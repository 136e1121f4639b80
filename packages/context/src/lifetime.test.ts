import fc from 'fast-check';
import { expect, test } from 'vitest';
import { row, second } from '../tests/log-of.ts';
import { unitPrice } from './bill.ts';
import type { LifetimeInput } from './lifetime.ts';
import { chooseLifetime } from './lifetime.ts';
import type { Pause } from './pauses.ts';
import { addPause, NO_PAUSES, stakes } from './pauses.ts';

const MINUTE = 60_000;
const TOKENS = 50_000;

const pause = (minutes: number, over: Partial<Pause> = {}): Pause => ({
  ms: minutes * MINUTE,
  held: TOKENS,
  broken: 0,
  ...over,
});

function lifeAfter(shown: readonly Pause[], over: Partial<LifetimeInput> & { readonly model?: string } = {}): string {
  const capabilities = row(over.model ?? 'claude-opus-5-5');
  const pauses = shown.reduce(addPause, NO_PAUSES);
  const price = unitPrice(capabilities, second(0), TOKENS);
  return chooseLifetime({ pauses, capabilities, price, tokens: TOKENS, behind: undefined, ...over });
}

test('a stream that has shown nothing begins short', () => {
  expect(lifeAfter([])).toBe('5m');
});

test('a pause that comes back within the hour makes it long, an hour or more does not', () => {
  expect(lifeAfter([pause(5)])).toBe('1h');
  expect(lifeAfter([pause(59)])).toBe('1h');
  expect(lifeAfter([pause(60)])).toBe('5m');
  expect(lifeAfter([pause(60), pause(900), pause(20)])).toBe('5m');
});

test('pauses that five minutes outlast show nothing, however many', () => {
  const bursts = Array.from({ length: 500 }, () => pause(4.9));
  expect(bursts.reduce(addPause, NO_PAUSES)).toBe(NO_PAUSES);
  expect(lifeAfter([pause(20), ...bursts])).toBe('1h');
});

test('what is packed anew would not have lived longer: it speaks for short', () => {
  expect(lifeAfter([pause(20), pause(1, { broken: TOKENS })])).toBe('5m');
  expect(lifeAfter([pause(20, { broken: TOKENS })])).toBe('5m');
});

test('behind an entry of five minutes nothing is paid dearer', () => {
  const shown = [pause(20), pause(20), pause(20)];
  expect(lifeAfter(shown)).toBe('1h');
  expect(lifeAfter(shown, { behind: { ttl: '5m', section: 'messages' } })).toBe('5m');
});

test('odds near the threshold leave things as they are: a history that lives long goes on, one written anew begins short', () => {
  const near = [pause(20), pause(200, { held: 0.55 * TOKENS })];
  expect(lifeAfter(near)).toBe('5m');
  expect(lifeAfter(near, { behind: { ttl: '1h', section: 'system' } })).toBe('5m');
  expect(lifeAfter(near, { behind: { ttl: '1h', section: 'messages' } })).toBe('1h');
});

test('where a price is unknown, or there is no longer life, it stays short', () => {
  const shown = [pause(20), pause(20)];
  expect(lifeAfter(shown, { price: undefined })).toBe('5m');
  expect(lifeAfter(shown, { price: { input: '1', output: '5', read: '0.1', writes: { '5m': '1.25' } } })).toBe('5m');
  expect(lifeAfter(shown, { capabilities: { ...row('claude-opus-5-5'), ttls: ['5m'] } })).toBe('5m');
});

test('evidence is bounded, fades, and is never less than nothing', () => {
  const any = fc.record({ ms: fc.integer({ min: -1e6, max: 1e9 }), held: fc.nat(200_000), broken: fc.integer() });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 200 }), (shown) => {
      const { bins, broken } = shown.reduce(addPause, NO_PAUSES);
      expect(bins).toHaveLength(NO_PAUSES.bins.length);
      for (const tokens of bins) expect(tokens).toBeLessThanOrEqual(200_000 * 5);
      for (const tokens of [...bins, broken]) expect(tokens).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('each piece of evidence is kept, or lost: nothing is both', () => {
  const shown = [pause(7), pause(45), pause(70), pause(3, { broken: 10_000 })].reduce(addPause, NO_PAUSES);
  const { kept, lost } = stakes(shown, 5 * MINUTE, 60 * MINUTE);
  expect(kept + lost).toBeCloseTo([...shown.bins, shown.broken].reduce((sum, tokens) => sum + tokens, 0));
  expect(lost).toBeCloseTo(TOKENS * 0.8 + 10_000);
});
