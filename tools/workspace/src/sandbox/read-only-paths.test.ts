// Tests which paths of a workspace are protected by their names.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { ReadOnlyPaths } from './read-only-paths.ts';
import { readOnlyPaths } from './read-only-paths.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-read-only-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

function put(path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '');
}

function pathsIn(workspace: string, home: string): ReadOnlyPaths {
  return readOnlyPaths({ workspace, home, environment: {}, repositories: [], also: [], hidden: [] });
}

it('`readOnlyPaths` includes the settings, skills and instructions of agents in the workspace', () => {
  for (const path of ['.tidemark/config.json', '.agents/skills/a/SKILL.md', 'AGENTS.md', 'README.md']) put(path);
  const { readOnly } = pathsIn(root, '/nowhere');
  expect(readOnly).toEqual(['.agents', '.tidemark', 'AGENTS.md', '.agents/skills'].map((name) => join(root, name)));
});

it('`readOnlyPaths` includes the target of a link `.agents/skills`, and the link', () => {
  put('shared/a/SKILL.md');
  mkdirSync(join(root, '.agents'));
  symlinkSync('../shared', join(root, '.agents/skills'));
  const { readOnly, links } = pathsIn(root, '/nowhere');
  expect(readOnly).toEqual([join(root, '.agents'), join(root, 'shared')]);
  expect(links).toEqual([join(root, '.agents/skills')]);
});

it("`readOnlyPaths` includes Tidemark's settings and the skills of a home inside the workspace", () => {
  for (const path of ['me/.config/tidemark/config.json', 'me/.agents/skills/a/SKILL.md']) put(path);
  expect(pathsIn(root, join(root, 'me')).readOnly).toEqual([
    join(root, 'me/.agents'),
    join(root, 'me/.config/tidemark'),
  ]);
});
