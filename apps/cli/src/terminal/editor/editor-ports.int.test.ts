import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { createEditorPorts } from './editor-ports.ts';

async function newPlace(): Promise<{ readonly home: string; readonly workspace: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-ports-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const place = { home: join(folder, 'home'), workspace: join(folder, 'workspace') };
  await mkdir(join(place.workspace, 'src'), { recursive: true });
  return place;
}

test('a key of the environment, and a key of a known format, are masked in the history', async () => {
  const { home, workspace } = await newPlace();
  const environment = { ANTHROPIC_API_KEY: 'correct-horse-battery-staple' };
  const context = { environment, home, userFolder: home };
  const { history } = createEditorPorts({ context, workspace: () => workspace, commands: () => [] });
  const known = ['ghp', 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'].join('_');
  await history.add(`try correct-horse-battery-staple and ${known}`);
  const text = await readFile(join(home, 'prompts.jsonl'), 'utf8');
  expect(text).toMatch(/^"try .+ and .+"\n$/);
  expect(text).not.toContain('correct-horse');
  expect(text).not.toContain(known);
});

test('the files are those of the workspace that the session has at the time', async () => {
  const { home, workspace } = await newPlace();
  await writeFile(join(workspace, 'src', 'tax.ts'), '');
  await writeFile(join(workspace, 'ignored.log'), '');
  await writeFile(join(workspace, '.gitignore'), '*.log');
  let folder = home;
  const context = { environment: {}, home, userFolder: home };
  const { lists } = createEditorPorts({ context, workspace: () => folder, commands: () => [] });
  folder = workspace;
  expect((await lists.files()).toSorted()).toEqual(['.gitignore', join('src', 'tax.ts')]);
});
