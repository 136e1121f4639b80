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

test('`composeFront` gives layer 0 the bytes pinned to the contract, so an edit needs a new version', () => {
  const [runtime] = composeFront({}, newHash).layers;
  expect(runtime?.record).toMatchObject({
    name: 'runtime',
    revision: 'tm3',
    stability: 'global',
    digest: '44330e7fe672ed349192bc437b890741a698f68adde20abc6b54c1ea5abda572',
  });
});

test('`composeFront` orders tools by name and layers by number, for any order of the input', () => {
  const front = composeFront({ tools: [read, bash], role: 'You review.' }, newHash);
  expect(front.tools.map((tool) => tool.record.name)).toEqual(['bash', 'read']);
  expect(front.layers.map((layer) => layer.record.name)).toEqual(['runtime', 'role']);
  expect(composeFront({ tools: [bash, read], role: 'You review.' }, newHash)).toEqual(front);
});

test('`defineTool` gives a tool the same bytes for any order of its keys (opencode#23571)', () => {
  const other = {
    schema: { properties: { path: { type: 'string' } }, type: 'object' },
    description: 'Reads a file.',
    name: 'read',
  };
  expect(defineTool(other, newHash)).toEqual(defineTool(read, newHash));
});

test('`composeFront` omits layers that are not set', () => {
  expect(composeFront({ role: '' }, newHash).layers).toHaveLength(1);
});

test('layer 0 contains nothing volatile: no date, path, id or mode', () => {
  const [runtime] = composeFront({}, newHash).layers;
  expect(runtime?.text).not.toMatch(/\d{4}-\d\d-\d\d|\/home|\/Users|read-only mode/);
});

test('`frontOf` names the layer of each text, so that a block can be traced (L4)', () => {
  const front = frontOf(composeFront({ tools: [read] }, newHash), 'm', {});
  expect(front.system.map((text) => text.origin)).toEqual([{ from: 'layer', layer: 'runtime', revision: 'tm3' }]);
  expect(front.tools[0]?.origin).toMatchObject({ from: 'layer', layer: 'tools' });
});

test('`cacheKey` returns 55 characters that show only the contract in plain text', () => {
  const key = cacheKey({ contract: 'tm1', model: 'm', root: 's1', tools: ['a', 'b'], skills: 'c' }, newHash);
  expect(key).toMatch(/^tm1(\.[0-9a-f]{12}){4}$/);
  expect(key).toHaveLength(55);
});

test('`cacheKey` returns the same key for forks of one root, and another key for other models, tools and roots', () => {
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

test('`padFront` fills a front to just above the floor, after the role, with whole sections of the guide in order', () => {
  const texts = padded({ role: 'You review.' });
  expect(texts?.layers.map(({ record }) => record.name)).toEqual(['runtime', 'role', 'padding']);
  const headings = [...paddingOf(texts).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(GUIDE.slice(0, headings.length).map(({ heading }) => heading));
  for (const { text } of GUIDE.slice(0, headings.length)) expect(paddingOf(texts)).toContain(text);
});

test('`padFront` pads a front to a size between the floor with its margin and the cap, and stops at the first section that exceeds the floor with its margin', () => {
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

test('`padFront` uses 4,500 tokens for an unknown floor, and 5,500 for its cap', () => {
  const texts = padFront(front(), { floor: undefined, preloads: [] }, newHash);
  const tokens = texts === undefined ? 0 : frontTokens(texts);
  expect(tokens).toBeGreaterThanOrEqual(4_500);
  expect(tokens).toBeLessThanOrEqual(5_500);
  expect(padFront(front({ role: words(4_500) }), { floor: undefined, preloads: [] }, newHash)).toBeUndefined();
});

test('`padFront` keeps a margin above the floor that covers the observed error of estimates', () => {
  const off = padFront(front(), { floor: FLOOR, preloads: [], error: 0.25 }, newHash);
  expect(off === undefined ? 0 : frontTokens(off)).toBeGreaterThanOrEqual(FLOOR * 1.25);
});

test('`padFront` returns undefined for a front that is above the floor', () => {
  expect(padded({ role: words(FLOOR) })).toBeUndefined();
});

test('`padFront` adds preloaded skills whole, by name, below the cap, and marks each heading', () => {
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

test('`padFront` returns the same bytes for any order of the skills', () => {
  const preloads = [
    { name: 'a', body: 'one' },
    { name: 'b', body: 'two' },
  ];
  expect(padded({}, FLOOR, preloads)).toEqual(padded({}, FLOOR, preloads.toReversed()));
});
