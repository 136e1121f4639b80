// Planted faults: each kind of fault is planted in a small tree and must be reported by its checker. A tree without a
// fault must pass.

import { describe, expect, test } from 'vitest';

import {
  circlesOfFiles,
  circlesOfFolders,
  circlesOfRooms,
  deepImports,
  looseFaces,
  ownFaces,
  simulatorDebts,
  upwardArrows,
} from './arrows.ts';
import { undeclared, unused } from './manifests.ts';
import { namesDeclaredTwice } from './names.ts';
import { newSyntax } from './old-node.ts';
import { impurities, looseCompilers } from './purity.ts';
import { longFiles } from './sizes.ts';
import type { Tree, Violation } from './tree.ts';
import { refusedPhrases } from './wording.ts';

type Checker = (tree: Tree) => readonly Violation[];

const SOUND: Readonly<Record<string, string>> = {
  'tsconfig.base.json': '{"compilerOptions":{"types":[],"lib":["es2024"]}}',
  'packages/core/package.json': manifest('@tidemark/core', []),
  'packages/core/tsconfig.json': '{}',
  'packages/core/src/index.ts': `export const core = 1;`,
  'packages/log/package.json': manifest('@tidemark/log', []),
  'packages/log/tsconfig.json': '{}',
  'packages/log/src/index.ts': `export { record } from './record.ts';`,
  'packages/log/src/record.ts': `export const record = { process: 1, at: (x: { Date: string }): string => x.Date };`,
  'packages/model/package.json': manifest('@tidemark/model', []),
  'packages/model/tsconfig.json': '{}',
  'packages/model/src/index.ts': `export const model = 1;`,
  'packages/context/package.json': manifest('@tidemark/context', ['@tidemark/log']),
  'packages/context/tsconfig.json': '{}',
  'packages/context/src/index.ts': `import { record } from '@tidemark/log';\nexport const context: number = record.process;`,
  'packages/simulator/package.json': manifest('@tidemark/simulator', ['@tidemark/core']),
  'packages/simulator/src/index.ts': `import { core } from '@tidemark/core';\nexport const started: number = Date.now() + core;`,
};

const CHECKERS: readonly Checker[] = [
  upwardArrows,
  circlesOfRooms,
  circlesOfFiles,
  circlesOfFolders,
  namesDeclaredTwice,
  deepImports,
  ownFaces,
  looseFaces,
  impurities,
  looseCompilers,
  longFiles,
  undeclared,
  unused,
  simulatorDebts,
  newSyntax,
  refusedPhrases,
];

test('all checkers pass a tree without a fault', () => {
  expect(CHECKERS.flatMap((check) => check(planted({})))).toEqual([]);
});

describe('a checker reports', () => {
  const log = 'packages/log/src/record.ts';
  const faults: readonly (readonly [name: string, Checker, Readonly<Record<string, string>>])[] = [
    ['a refused phrase in a comment', refusedPhrases, { [log]: `// Told to nobody.\nexport const record = 1;` }],
    [
      'a refused phrase across two line comments',
      refusedPhrases,
      { [log]: `// As long as 5 s, unless\n// said.\nexport const record = 1;` },
    ],
    [
      'a refused beginning of a doc comment',
      refusedPhrases,
      { [log]: `/** What a record is. */\nexport const record = 1;` },
    ],
    [
      'a refused phrase in a test title',
      refusedPhrases,
      { 'packages/log/src/a.test.ts': `test.each([1])('is read anew', () => undefined);` },
    ],
    ['a refused phrase in a page', refusedPhrases, { 'docs/page.md': 'Whoever reads this page.\n' }],
    [
      'a refused phrase in an error text',
      refusedPhrases,
      { [log]: 'export function record(at: string): never { throw new Error(`the session ${at} died early`); }' },
    ],
    [
      'a refused phrase in a help text',
      refusedPhrases,
      { [log]: `export const record = { summary: 'lock the session for good' };` },
    ],
    [
      'a refused phrase in an error of a test',
      refusedPhrases,
      { 'packages/log/src/a.test.ts': `throw new Error(Math.E > 2 ? 'no skill stands in this folder' : '');` },
    ],
    [
      'an arrow up',
      upwardArrows,
      { [log]: `import { context } from '@tidemark/context'; export const record = context;` },
    ],
    [
      'an arrow up of a type',
      upwardArrows,
      { [log]: `import type { Context } from '@tidemark/context'; export type Record = Context;` },
    ],
    [
      'an arrow from the ground floor',
      upwardArrows,
      { 'packages/core/src/index.ts': `import { record } from '@tidemark/log'; export const core = record;` },
    ],
    ['an arrow up in a re-export', upwardArrows, { [log]: `export { context as record } from '@tidemark/context';` }],
    [
      'an arrow up in import()',
      upwardArrows,
      { [log]: `export const record = (): Promise<unknown> => import('@tidemark/context');` },
    ],
    [
      'an arrow up in a type query',
      upwardArrows,
      { [log]: `export type Record = import('@tidemark/context').Context;` },
    ],
    [
      'an arrow up by path',
      upwardArrows,
      { [log]: `import { x } from '../../context/src/index.ts'; export const record = x;` },
    ],
    [
      'an arrow up in a test',
      upwardArrows,
      { 'packages/log/src/record.test.ts': `import { x } from '@tidemark/context'; x;` },
    ],
    [
      'a simulator that knows context',
      upwardArrows,
      { 'packages/simulator/src/index.ts': `import '@tidemark/context';` },
    ],
    [
      'a circle of rooms',
      circlesOfRooms,
      { [log]: `import { context } from '@tidemark/context'; export const record = context;` },
    ],
    [
      'a circle of folders',
      circlesOfFolders,
      {
        'packages/log/src/a/one.ts': `import { two } from '../b/two.ts'; export const one = two;`,
        'packages/log/src/b/two.ts': `import type { Three } from '../a/three.ts'; export const two: Three = 3;`,
        'packages/log/src/a/three.ts': `export type Three = 3;`,
      },
    ],
    [
      'a circle of a folder and its subfolder',
      circlesOfFolders,
      {
        'packages/log/src/a/one.ts': `import { two } from './b/two.ts'; export const one = two;`,
        'packages/log/src/a/b/two.ts': `import type { Three } from '../three.ts'; export const two: Three = 3;`,
        'packages/log/src/a/three.ts': `export type Three = 3;`,
      },
    ],
    [
      'a circle of a folder and a file next to it',
      circlesOfFolders,
      {
        'packages/log/src/a/one.ts': `import { two } from '../two.ts'; export const one = two;`,
        'packages/log/src/two.ts': `import type { Three } from './a/three.ts'; export const two: Three = 3;`,
        'packages/log/src/a/three.ts': `export type Three = 3;`,
      },
    ],
    [
      'a circle of folders below a folder named contract',
      circlesOfFolders,
      {
        'packages/log/src/contract/a/one.ts': `import { two } from '../b/two.ts'; export const one = two;`,
        'packages/log/src/contract/b/two.ts': `import type { Three } from '../a/three.ts'; export const two: Three = 3;`,
        'packages/log/src/contract/a/three.ts': `export type Three = 3;`,
      },
    ],
    [
      'an enum with the name of a type',
      namesDeclaredTwice,
      {
        [log]: `export interface Line { readonly at: number }\nexport const record = 1;`,
        'packages/model/src/line.ts': `declare enum Line { One }\nexport const line: Line = 0;`,
      },
    ],
    [
      'a type name that is declared twice',
      namesDeclaredTwice,
      {
        [log]: `export interface Line { readonly at: number }\nexport const record = 1;`,
        'packages/model/src/line.ts': `class Line {}\nexport const line = new Line();`,
      },
    ],
    [
      'a circle of files',
      circlesOfFiles,
      {
        [log]: `import { a } from './a.ts'; export const record = a;`,
        'packages/log/src/a.ts': `export { record as a } from './record.ts';`,
      },
    ],
    [
      'a circle of files by types alone',
      circlesOfFiles,
      {
        [log]: `import type { A } from './a.ts'; export interface R { a: A }`,
        'packages/log/src/a.ts': `import type { R } from './record.ts'; export interface A { r: R }`,
      },
    ],
    [
      'a file that imports itself',
      circlesOfFiles,
      { [log]: `import { record as r } from './record.ts'; export const record = r;` },
    ],
    [
      'a deep import by name',
      deepImports,
      { 'packages/context/src/index.ts': `import { record } from '@tidemark/log/src/record.ts'; record;` },
    ],
    [
      'a deep import by path',
      deepImports,
      { 'packages/context/src/index.ts': `import { record } from '../../log/src/record.ts'; record;` },
    ],
    [
      'an import of the own face',
      ownFaces,
      { 'packages/log/src/a.ts': `import { record } from './index.ts'; record;` },
    ],
    [
      'an import of the own name',
      ownFaces,
      { 'packages/log/src/a.ts': `import { record } from '@tidemark/log'; record;` },
    ],
    ['a second index', looseFaces, { 'packages/log/src/codec/index.ts': `export const x = 1;` }],
    ['an export *', looseFaces, { 'packages/log/src/index.ts': `export * from './record.ts';` }],
    ['an export type *', looseFaces, { 'packages/log/src/index.ts': `export type * from './record.ts';` }],
    ['node: in a pure room', impurities, { [log]: `import { join } from 'node:path'; export const record = join;` }],
    [
      'types of node: in a pure room',
      impurities,
      { [log]: `import type { Hash } from 'node:crypto'; export type Record = Hash;` },
    ],
    ['Node without its prefix in a pure room', impurities, { [log]: `import fs from 'fs'; export const record = fs;` }],
    ['a clock in a pure room', impurities, { [log]: `export const record: number = Date.now();` }],
    ['a new Date in a pure room', impurities, { [log]: `export const record: unknown = new Date();` }],
    ['randomness in a pure room', impurities, { [log]: `export const record: number = Math.random();` }],
    ['randomness by a computed name', impurities, { [log]: `export const record: unknown = Math['random'];` }],
    ['a uuid in a pure room', impurities, { [log]: `export const record: string = crypto.randomUUID();` }],
    ['the console in a pure room', impurities, { [log]: `export function record(): void { console.log(1); }` }],
    ['the process in a pure room', impurities, { [log]: `export const record = process.env;` }],
    ['a way round by globalThis', impurities, { [log]: `export const record = globalThis;` }],
    ['a shorthand that reaches out', impurities, { [log]: `export const record = { process };` }],
    [
      'types of Node for a pure room',
      looseCompilers,
      { 'packages/log/tsconfig.json': '{"compilerOptions":{"types":["node"]}}' },
    ],
    [
      'the DOM for a pure room',
      looseCompilers,
      { 'packages/log/tsconfig.json': '{"compilerOptions":{"lib":["es2024","dom"]}}' },
    ],
    ['a file of 401 lines', longFiles, { [log]: '// line\n'.repeat(401) }],
    ['an undeclared dependency', undeclared, { [log]: `import { z } from 'zod'; export const record = z;` }],
    [
      'a dependency that tests alone use',
      unused,
      {
        'packages/log/package.json': manifest('@tidemark/log', ['zod']),
        'packages/log/src/record.test.ts': `import { z } from 'zod'; z;`,
      },
    ],
    [
      'a test with an undeclared dependency',
      undeclared,
      { 'packages/log/src/record.test.ts': `import { z } from 'zod'; z;` },
    ],
    [
      'an optional package that only tests use',
      unused,
      {
        'packages/log/package.json': manifest('@tidemark/log', [], ['zod']),
        'packages/log/src/record.test.ts': `import { z } from 'zod'; z;`,
      },
    ],
    ['an unused dependency', unused, { 'packages/log/package.json': manifest('@tidemark/log', ['zod']) }],
  ];

  test.each(faults)('%s', (_name, check, fault) => {
    const [path] = Object.keys(fault);
    const violations = check(planted(fault));
    expect(violations.length).toBeGreaterThan(0);
    if (check !== circlesOfRooms && check !== circlesOfFolders)
      expect(violations.map((each) => each.file)).toContain(path);
  });
});

function planted(fault: Readonly<Record<string, string>>): Tree {
  return new Map(Object.entries({ ...SOUND, ...fault }));
}

function manifest(name: string, dependencies: readonly string[], optional: readonly string[] = []): string {
  const versions = (names: readonly string[]): object => Object.fromEntries(names.map((each) => [each, '0.0.0']));
  const declared = { dependencies: versions(dependencies), peerDependencies: versions(optional) };
  return JSON.stringify({ name, exports: { '.': './src/index.ts' }, ...declared });
}
