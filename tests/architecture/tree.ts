// Source tree as a value, so that a checker can run on a tree with a planted fault as well as on the real one.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Texts of files, by path. Paths are relative to the root and use forward slashes. */
export type Tree = ReadonlyMap<string, string>;

/** A violation of a rule, and its file. */
export interface Violation {
  readonly file: string;
  readonly problem: string;
}

const LEFT_OUT = new Set(['node_modules', 'dist', 'fixtures', 'results', 'coverage']);
const READ = /\.(ts|cts|mts|cjs|mjs|js|md)$|^(package|tsconfig)(\.[a-z]+)?\.json$/;

/**
 * Reads the source files, manifests and compiler settings below a folder. Hidden folders, build outputs and fixtures
 * are omitted.
 */
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

/** Checks if a path is a TypeScript or JavaScript file. */
export function isSource(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path);
}

/** Checks if a path belongs to the tests of its package. Tests may import packages that the package itself may not. */
export function isTest(path: string): boolean {
  return (
    /\.test\.ts$|^[^/]+\/[^/]+\/(tests|contract)\//.test(path) || path.startsWith('tests/') || path.startsWith('bench/')
  );
}
