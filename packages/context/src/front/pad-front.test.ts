import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newHash } from '../../tests/log-of.ts';
import { GUIDE } from './contract/guide.ts';
import type { FrontSpec, FrontTexts } from './front.ts';
import { composeFront } from './front.ts';
import type { Preload } from './pad-front.ts';
import { frontTokens, padFront } from './pad-front.ts';

const FLOOR = 4_096;
const TARGET = 4_506;
const CAP = 5_461;

const front = (spec: FrontSpec = {}): FrontTexts => composeFront(spec, newHash);
const padded = (spec: FrontSpec = {}, floor: number | undefined = FLOOR, preloads: readonly Preload[] = []) =>
  padFront(front(spec), { floor, preloads }, newHash);
const paddingOf = (texts: FrontTexts | undefined): string =>
  texts?.layers.find(({ record }) => record.name === 'padding')?.text ?? '';
const words = (count: number): string => 'word '.repeat(count);

test('fills a front up to just above the floor, with whole sections of the guide in their order, behind the role', () => {
  const texts = padded({ role: 'You review.' });
  expect(texts?.layers.map(({ record }) => record.name)).toEqual(['runtime', 'role', 'padding']);
  const headings = [...paddingOf(texts).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(GUIDE.slice(0, headings.length).map(({ heading }) => heading));
  for (const { text } of GUIDE.slice(0, headings.length)) expect(paddingOf(texts)).toContain(text);
});

test('stays between the floor with its margin and the cap, whatever the front, and stops at the first section above', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_400 }), fc.constantFrom(512, 1_024, 2_048, 4_096), (size, floor) => {
      const natural = front({ role: words(size) });
      const texts = padFront(natural, { floor, preloads: [] }, newHash);
      const needed = frontTokens(natural) < floor;
      expect(texts !== undefined).toBe(needed);
      const tokens = texts === undefined ? floor * 1.1 : frontTokens(texts);
      expect(tokens).toBeGreaterThanOrEqual(floor * 1.1);
      expect(tokens).toBeLessThanOrEqual(Math.max(floor * 1.1 + 301, (floor * 4) / 3));
    }),
  );
});

test('takes an unknown floor to be 4,500 tokens, and the cap 5,500', () => {
  const texts = padFront(front(), { floor: undefined, preloads: [] }, newHash);
  const tokens = texts === undefined ? 0 : frontTokens(texts);
  expect(tokens).toBeGreaterThanOrEqual(4_500);
  expect(tokens).toBeLessThanOrEqual(5_500);
  expect(padFront(front({ role: words(4_500) }), { floor: undefined, preloads: [] }, newHash)).toBeUndefined();
});

test('keeps as much above the floor as estimates have been off', () => {
  const off = padFront(front(), { floor: FLOOR, preloads: [], error: 0.25 }, newHash);
  expect(off === undefined ? 0 : frontTokens(off)).toBeGreaterThanOrEqual(FLOOR * 1.25);
});

test('leaves a front that is above the floor as it is', () => {
  expect(padded({ role: words(FLOOR) })).toBeUndefined();
});

test('adds preloaded skills whole, by name, below the cap, and marks each heading', () => {
  const preloads = [
    { name: 'vat', body: `# VAT\n${words(100)}` },
    { name: 'tax', body: `# Tax\n${words(200)}` },
    { name: 'big', body: words(2_000) },
  ];
  const texts = padded({}, FLOOR, preloads);
  const text = paddingOf(texts);
  expect(text.indexOf('## Skill: tax [preloaded]\n')).toBeGreaterThan(0);
  expect(text.indexOf('## Skill: vat')).toBeGreaterThan(text.indexOf('## Skill: tax'));
  for (const { body } of preloads.slice(0, 2)) expect(text).toContain(body.trimEnd());
  expect(text).not.toContain('## Skill: big');
  const tokens = texts === undefined ? 0 : frontTokens(texts);
  expect(tokens).toBeGreaterThan(TARGET);
  expect(tokens).toBeLessThanOrEqual(CAP);
});

test('gives the same bytes whatever order the skills came in', () => {
  const preloads = [
    { name: 'a', body: 'one' },
    { name: 'b', body: 'two' },
  ];
  expect(padded({}, FLOOR, preloads)).toEqual(padded({}, FLOOR, preloads.toReversed()));
});
