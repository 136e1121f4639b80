// Tests which links a path leads through.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { linksAlong } from './links-along.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-links-along-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'v1/hooks'), { recursive: true });
});

const along = (path: string): readonly string[] =>
  linksAlong(join(root, path)).map((link) => link.slice(root.length + 1));

it('`linksAlong` returns a link at the end of a path and a link in its middle', () => {
  symlinkSync('v1', join(root, 'current'));
  expect([along('current'), along('current/hooks/x'), along('v1/hooks')]).toEqual([['current'], ['current'], []]);
});

it('`linksAlong` returns the links that another link leads through: relative, absolute and upwards', () => {
  symlinkSync('v1', join(root, 'current'));
  symlinkSync(join(root, 'current/hooks'), join(root, 'hooks'));
  mkdirSync(join(root, 'deep'));
  symlinkSync('../hooks', join(root, 'deep/link'));
  expect(along('deep/link/pre-commit')).toEqual(['deep/link', 'hooks', 'current']);
});

it('`linksAlong` resolves `..` from the target of a link, not from the link', () => {
  symlinkSync('v1/hooks', join(root, 'hooks'));
  symlinkSync('v1', join(root, 'current'));
  expect(linksAlong(`${root}/hooks/../../current`)).toEqual([join(root, 'hooks'), join(root, 'current')]);
});

it('`linksAlong` ends in a circle of links, and returns no links for a missing path', () => {
  symlinkSync('b', join(root, 'a'));
  symlinkSync('a', join(root, 'b'));
  expect(new Set(along('a/x'))).toEqual(new Set(['a', 'b']));
  expect(along('nothing/here')).toEqual([]);
});
