// Tests a rewind through a server process: the plan, the diff, and the restored files.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { calls, openStage } from '../../tests/scenario.ts';
import type { Stage } from '../../tests/scenario.ts';
import type { ServedProcess } from '../../tests/served.ts';
import { startServer } from '../../tests/served.ts';

let stage: Stage;
let server: ServedProcess;
let session: string;

beforeEach(async () => {
  stage = openStage();
  stage.write('note.txt', 'the old note\n');
  const scenario = stage.scenario(
    { answer: { text: 'Hello.' } },
    { answer: calls('read', { path: 'note.txt' }) },
    { answer: calls('edit', { path: 'note.txt', old_text: 'old', new_text: 'new' }) },
    { answer: calls('write', { path: 'made.txt', content: 'made\n' }) },
    { answer: { text: 'Done.' } },
  );
  server = await startServer({ ...stage, args: ['--provider', 'simulator', '--scenario', scenario] });
  session = (await server.send('POST', '/sessions', { mode: 'auto' })).body.session;
  for (const text of ['Hello.', 'Change the note.']) {
    await server.send('POST', `/sessions/${session}/prompt`, { text });
    await server.until(session, ({ running }) => running === false);
  }
});

afterEach(async () => {
  await server.end('SIGTERM');
  stage.clear();
});

const path = (name: string): string => join(stage.folder, name);
const note = (): string => readFileSync(path('note.txt'), 'utf8');

test('a client sees which files a rewind can restore, with their diffs, and restores the files that it names', async () => {
  const plan = await server.send('GET', `/sessions/${session}/rewind?beforePrompt=2`);
  expect(plan).toMatchObject({
    status: 200,
    body: {
      files: [
        { path: path('note.txt'), state: 'restorable', deletes: false },
        { path: path('made.txt'), state: 'restorable', deletes: true },
      ],
    },
  });
  const query = new URLSearchParams({ beforePrompt: '2', path: path('note.txt') });
  const { body } = await server.send('GET', `/sessions/${session}/rewind/diff?${query.toString()}`);
  expect(body.diff).toContain('-the new note\n+the old note');
  const done = await server.send('POST', `/sessions/${session}/rewind`, {
    beforePrompt: 2,
    files: [path('note.txt')],
  });
  expect(done).toMatchObject({
    status: 201,
    body: { parent: { session }, files: [{ path: path('note.txt'), restored: true, reason: '' }] },
  });
  expect([note(), existsSync(path('made.txt'))]).toEqual(['the old note\n', true]);
  expect((await server.send('GET', `/sessions/${done.body.session}/prompts`)).body.prompts).toHaveLength(1);
});

test('a file that was changed since, and a path that no tool changed, are refused before anything changes', async () => {
  writeFileSync(path('note.txt'), 'mine\n');
  const { total } = (await server.send('GET', '/sessions')).body;
  const rewind = (files: readonly string[]) =>
    server.send('POST', `/sessions/${session}/rewind`, { beforePrompt: 2, files });
  expect(await rewind([path('made.txt'), path('note.txt')])).toMatchObject({
    status: 409,
    body: { error: { code: 'server/not-restorable' } },
  });
  expect(await rewind([path('made.txt'), '/etc/passwd'])).toMatchObject({
    status: 404,
    body: { error: { code: 'server/no-such-file' } },
  });
  expect([note(), existsSync(path('made.txt'))]).toEqual(['mine\n', true]);
  expect((await server.send('GET', '/sessions')).body.total).toBe(total);
});
