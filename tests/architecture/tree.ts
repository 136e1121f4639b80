// Source tree in memory, so that a rule can be checked on a small tree with a planted fault as well as on the
// repository.

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
const READ = /\.(ts|tsx|cts|mts|cjs|mjs|js|md)$|^(package|tsconfig)(\.[a-z]+)?\.json$/;

/**
 * Reads the source files, Markdown pages, manifests and compiler settings below a folder. Omits hidden folders and the
 * folders `node_modules`, `dist`, `fixtures`, `results` and `coverage`.
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
  return /\.[cm]?[jt]sx?$/.test(path);
}

/**
 * Checks if a path belongs to a test, to a contract suite, to the sources of a page, or to `tests` or `bench`. A page is
 * bundled, so its libraries are no dependencies of the package. Such files may import packages
 * that the source files of the same package may not.
 */
export function isTest(path: string): boolean {
  return (
    /\.test\.ts$|^[^/]+\/[^/]+\/(tests|contract|page)\//.test(path) ||
    path.startsWith('tests/') ||
    path.startsWith('bench/')
  );
}
