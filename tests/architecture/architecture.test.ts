// What holds for the whole tree. Each claim stands alone; `planted-faults.test.ts` shows that each can fail.

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

const said = (violations: readonly Violation[]): readonly string[] =>
  violations.map(({ file, problem }) => `${file}: ${problem}`);

const tree = readTree(fileURLToPath(new URL('../../', import.meta.url)));

describe('the tree', () => {
  test('is read whole: every room of the table is there, with imports', () => {
    expect(
      roomsOf(tree)
        .map((room) => room.folder)
        .toSorted(),
    ).toEqual(Object.keys(ARROWS).toSorted());
    expect(importsOf(tree).length).toBeGreaterThan(100);
  });

  test('points down: every import between rooms is an allowed arrow', () =>
    expect(said(upwardArrows(tree))).toEqual([]));
  test('has no circle of rooms', () => expect(said(circlesOfRooms(tree))).toEqual([]));
  test('has no circle of files, types included', () => expect(said(circlesOfFiles(tree))).toEqual([]));
  test('has no circle of folders in a room', () => expect(said(circlesOfFolders(tree))).toEqual([]));
  test('declares each type name once', () => expect(said(namesDeclaredTwice(tree))).toEqual([]));
  test('enters rooms by their faces only', () => expect(said(deepImports(tree))).toEqual([]));
  test('never imports its own face', () => expect(said(ownFaces(tree))).toEqual([]));
  test('has one index per room, which names each export', () => expect(said(looseFaces(tree))).toEqual([]));
  test('keeps log, model and context pure', () => expect(said(impurities(tree))).toEqual([]));
  test('compiles the pure rooms without types of Node and without the DOM', () =>
    expect(said(looseCompilers(tree))).toEqual([]));
  test('keeps every file within 400 lines', () => expect(said(longFiles(tree))).toEqual([]));
  test('declares what it imports', () => expect(said(undeclared(tree))).toEqual([]));
  test('imports what it declares', () => expect(said(unused(tree))).toEqual([]));
  test('keeps the simulator apart from context and providers', () => expect(said(simulatorDebts(tree))).toEqual([]));
  test('starts under an old Node: no syntax after Node 12', () => expect(said(newSyntax(tree))).toEqual([]));
});
