// A tree of files as a value, so that a checker can be shown a planted fault as easily as the real thing.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths with forward slashes, relative to the root, each with its text. */
export type Tree = ReadonlyMap<string, string>;

/** One thing that is wrong, and where. */
export interface Violation {
  readonly file: string;
  readonly problem: string;
}

const LEFT_OUT = new Set(['node_modules', 'dist', 'fixtures', 'results', 'coverage']);
const READ = /\.(ts|cts|mts|cjs|mjs|js)$|^(package|tsconfig)(\.[a-z]+)?\.json$/;

/** The sources, manifests and compiler settings under a folder. Hidden folders, outputs and fixtures are left out. */
export function readTree(root: string): Tree {
  const tree = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && READ.test(entry.name)) tree.set(path, readFileSync(join(root, path), 'utf8'));
    }
  };
  visit('');
  return tree;
}

/** Whether a path is TypeScript or JavaScript. */
export function isSource(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path);
}

/** Whether a path belongs to the tests of its room: it may reach what the room's product may not. */
export function isTest(path: string): boolean {
  return (
    /\.test\.ts$|^[^/]+\/[^/]+\/(tests|contract)\//.test(path) || path.startsWith('tests/') || path.startsWith('bench/')
  );
}
