// Architecture of the whole source tree. Each rule has its own test, and `planted-faults.test.ts` shows that each rule
// can fail.

import { fileURLToPath } from 'node:url';

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
import { importsOf } from './imports.ts';
import { undeclared, unused } from './manifests.ts';
import { namesDeclaredTwice } from './names.ts';
import { newSyntax } from './old-node.ts';
import { impurities, looseCompilers } from './purity.ts';
import { ARROWS, roomsOf } from './rooms.ts';
import { longFiles } from './sizes.ts';
import type { Violation } from './tree.ts';
import { readTree } from './tree.ts';
import { refusedPhrases } from './wording.ts';

const asLines = (violations: readonly Violation[]): readonly string[] =>
  violations.map(({ file, problem }) => `${file}: ${problem}`);

const tree = readTree(fileURLToPath(new URL('../../', import.meta.url)));

describe('the source tree', () => {
  test('contains every package of the table of allowed imports, and has imports', () => {
    expect(
      roomsOf(tree)
        .map((room) => room.folder)
        .toSorted(),
    ).toEqual(Object.keys(ARROWS).toSorted());
    expect(importsOf(tree).length).toBeGreaterThan(100);
  });

  test('has only allowed imports between packages', () => expect(asLines(upwardArrows(tree))).toEqual([]));
  test('has no import cycle of packages', () => expect(asLines(circlesOfRooms(tree))).toEqual([]));
  test('has no import cycle of files, type imports included', () => expect(asLines(circlesOfFiles(tree))).toEqual([]));
  test('has no import cycle of folders within a package', () => expect(asLines(circlesOfFolders(tree))).toEqual([]));
  test('declares each type name once', () => expect(asLines(namesDeclaredTwice(tree))).toEqual([]));
  test('imports other packages only through their exported entries', () =>
    expect(asLines(deepImports(tree))).toEqual([]));
  test("never imports a package's own `index.ts` from inside the package", () =>
    expect(asLines(ownFaces(tree))).toEqual([]));
  test('has one `index.ts` per package, which names each export', () => expect(asLines(looseFaces(tree))).toEqual([]));
  test('keeps log, model and context pure', () => expect(asLines(impurities(tree))).toEqual([]));
  test('compiles the pure packages without the types of Node and without the DOM', () =>
    expect(asLines(looseCompilers(tree))).toEqual([]));
  test('has no file above 400 lines', () => expect(asLines(longFiles(tree))).toEqual([]));
  test('declares every dependency that it imports', () => expect(asLines(undeclared(tree))).toEqual([]));
  test('imports every dependency that it declares', () => expect(asLines(unused(tree))).toEqual([]));
  test('has no import of context or a provider in the simulator', () =>
    expect(asLines(simulatorDebts(tree))).toEqual([]));
  test('has no refused phrase in a comment, a test title, a string or a page', () =>
    expect(asLines(refusedPhrases(tree))).toEqual([]));
  test('has no syntax newer than Node 12 in the files that an old Node starts', () =>
    expect(asLines(newSyntax(tree))).toEqual([]));
});
