import { expect, test } from 'vitest';
import { newHash } from '../../tests/log-of.ts';
import { cacheKey } from '../cache/cache-key.ts';
import { composeFront, defineTool, frontOf } from './front.ts';

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
