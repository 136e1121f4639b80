import { expect, test } from 'vitest';
import { newHash } from '../../tests/log-of.ts';
import { cacheKey } from '../epoch/epoch.ts';
import { composeFront, defineTool, frontOf, frontTokens, padFront } from './front.ts';
import fc from 'fast-check';
import { GUIDE } from './contract/guide.ts';
import type { FrontSpec, FrontTexts, Preload } from './front.ts';

const read = {
  name: 'read',
  description: 'Reads a file.',
  schema: { type: 'object', properties: { path: { type: 'string' } } },
};

const bash = { name: 'bash', description: 'Runs a command.', schema: { properties: {}, type: 'object' } };

test('pins the bytes of layer 0 to the contract: an edit is a new version', () => {
  const [runtime] = composeFront({}, newHash).layers;
  expect(runtime?.record).toMatchObject({
    name: 'runtime',
    revision: 'tm1',
    stability: 'global',
    digest: 'eda240f6804e6a56b0a33367f3c78c4581392b1bf7df9ae39e138b14b4eccb45',
  });
});

test('orders tools by name and layers by number, whatever order they were given in', () => {
  const front = composeFront({ tools: [read, bash], role: 'You review.' }, newHash);
  expect(front.tools.map((tool) => tool.record.name)).toEqual(['bash', 'read']);
  expect(front.layers.map((layer) => layer.record.name)).toEqual(['runtime', 'role']);
  expect(composeFront({ tools: [bash, read], role: 'You review.' }, newHash)).toEqual(front);
});

test('gives a tool the same bytes whatever the order of its keys (opencode#23571)', () => {
  const other = {
    schema: { properties: { path: { type: 'string' } }, type: 'object' },
    description: 'Reads a file.',
    name: 'read',
  };
  expect(defineTool(other, newHash)).toEqual(defineTool(read, newHash));
});

test('leaves out layers that are not set', () => {
  expect(composeFront({ role: '' }, newHash).layers).toHaveLength(1);
});

test('holds nothing volatile: no date, path, id or mode', () => {
  const [runtime] = composeFront({}, newHash).layers;
  expect(runtime?.text).not.toMatch(/\d{4}-\d\d-\d\d|\/home|\/Users|read-only mode/);
});

test('names each text with its layer, so that a block can be traced (L4)', () => {
  const front = frontOf(composeFront({ tools: [read] }, newHash), 'm', {});
  expect(front.system.map((text) => text.origin)).toEqual([{ from: 'layer', layer: 'runtime', revision: 'tm1' }]);
  expect(front.tools[0]?.origin).toMatchObject({ from: 'layer', layer: 'tools' });
});

test('makes a cache key of 55 characters that shows nothing but the contract', () => {
  const key = cacheKey({ contract: 'tm1', model: 'm', root: 's1', tools: ['a', 'b'], skills: 'c' }, newHash);
  expect(key).toMatch(/^tm1(\.[0-9a-f]{12}){4}$/);
  expect(key).toHaveLength(55);
});

test('gives forks of one root the same key, other models and tools another', () => {
  const input = { contract: 'tm1', model: 'm', root: 's1', tools: ['a'] };
  const key = cacheKey(input, newHash);
  expect(cacheKey({ ...input }, newHash)).toBe(key);
  expect(cacheKey({ ...input, model: 'n' }, newHash)).not.toBe(key);
  expect(cacheKey({ ...input, tools: ['b'] }, newHash)).not.toBe(key);
  expect(cacheKey({ ...input, root: 's2' }, newHash)).not.toBe(key);
});

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
