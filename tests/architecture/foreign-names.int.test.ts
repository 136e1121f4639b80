import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { foreignLookups } from './foreign-names.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-names-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Files that were checked by hand, with the reason why their look-ups are safe. */
const REVIEWED: ReadonlyMap<string, string> = new Map([
  ['packages/core/src/defined.ts', 'names come from `for … in`, and `__proto__` is defined instead of assigned'],
  [
    'packages/core/src/json/canonical-json.ts',
    'written for speed: keys come from Object.keys, and `__proto__` has no copy',
  ],
]);

test('no source file looks up a name known only at run time in an object that may inherit it', () => {
  const { references }: { references: readonly { path: string }[] } = JSON.parse(
    readFileSync(join(root, 'tsconfig.json'), 'utf8'),
  );
  const projects = references.map(({ path }) => join(root, path, 'tsconfig.json'));
  const lookups = foreignLookups(root, projects);
  const open = lookups.filter(({ file }) => !REVIEWED.has(file)).map(({ file, problem }) => `${file}: ${problem}`);
  expect(open.toSorted()).toEqual([]);
  const reviewed = new Set(lookups.map(({ file }) => file).filter((file) => REVIEWED.has(file)));
  expect([...reviewed].toSorted()).toEqual([...REVIEWED.keys()].toSorted());
});

let planted = 0;

function found(text: string): readonly string[] {
  planted += 1;
  const place = join(folder, String(planted));
  mkdirSync(place);
  const options = { strict: true, lib: ['es2024'], types: [], noEmit: true, module: 'esnext', target: 'es2024' };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['a.ts'] }));
  writeFileSync(join(place, 'a.ts'), `declare const o: Record<string, number>; declare const k: string;\n${text}\n`);
  return foreignLookups(place, [join(place, 'tsconfig.json')]).map(({ problem }) => problem);
}

describe('a look-up by a name known only at run time', () => {
  test.each([
    ['o[k]', 'export const x = o[k];'],
    ['o[k]', 'o[k] = 1;'],
    ['o[`a.${k}`]', 'export const x = o[`a.${k}`];'],
    ['k in o', 'export const x = k in o;'],
    ['Reflect.get(o, k)', 'export const x: unknown = Reflect.get(o, k);'],
    ['[k]: x', 'export const { [k]: x } = o;'],
    ['o[b]', `declare const b: string & { readonly brand: 1 }; export const x = o[b];`],
    ['o[p]', `export const x = <P extends string>(p: P) => o[p];`],
    ['o[u]', `declare const u: 'a' | (string & {}); export const x = o[u];`],
    ['o[k]', 'export const x = () => o[k]; export const y = () => Object.hasOwn(o, k);'],
    ['o[k]', 'declare const p: object; export const x = Object.hasOwn(p, k) ? o[k] : 0;'],
  ])('is found: %s', (problem, text) => {
    expect(found(text)).toEqual([problem]);
  });

  test.each([
    'export const x = Object.hasOwn(o, k) ? o[k] : undefined;',
    'export const x = (a: Record<string, 1>, b: string) => Object.hasOwn(a, b) && a[b];',
    `declare const l: 'a' | 'b'; export const x = o[l];`,
    'declare const n: number; declare const a: string[]; export const x = a[n];',
    `export const x = <P extends 'a' | 'b'>(p: P) => o[p];`,
    'declare const m: Map<string, 1>; export const x = m.get(k);',
    'export const x = { [k]: 1 };',
    'export const { [k]: _x, ...rest } = o;',
    'for (const f in o) o[f];',
    'export const x = <T extends object>(t: T) => { for (const f in t) t[f]; };',
  ])('is not reported if it is safe: %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});
