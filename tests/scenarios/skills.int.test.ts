// Real skills through a session's life: judged by what the simulator billed and the bytes that arrived. A body is paid for
// once, where it stands; the list in the front never moves.

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { defineTool } from '@tidemark/kit';
import type { AnswerPlan } from '@tidemark/simulator';
import { createHistoryReadTool } from '@tidemark/tools-workspace';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  epochsOf,
  expectOnlyAppended,
  expectOnlyGrowth,
  expectSound,
  openStage,
  PLAIN,
  recordsOf,
} from './billed-stage.ts';

const REAL = fileURLToPath(new URL('../../tools/skills/tests/skills', import.meta.url));
const done: AnswerPlan = { answer: { text: 'Done.' } };
const loads = (name: string, file?: string): AnswerPlan => ({
  answer: { calls: [{ name: 'skill_load', arguments: { name, ...(file === undefined ? {} : { file }) } }] },
});

/** A root with these of the real skills. */
async function rootWith(...names: readonly string[]): Promise<{ readonly folder: string; readonly source: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-scenario-skills-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of names) await cp(join(REAL, name), join(folder, name), { recursive: true });
  return { folder, source: 'home' };
}

test.each([PLAIN, 'claude-opus-5-5', 'claude-fable-5-1', 'gpt-6.1-sol'])(
  'loaded by the model and by the user, installed meanwhile, in two processes: no token is paid twice with %s',
  async (model) => {
    const root = await rootWith('csv-cleanup', 'bug-report');
    const stage = await openStage({ model, skills: { roots: [root] }, warm: 'off' });
    const first = await stage.open();
    const script = 'scripts/profile.mjs';
    await stage.turn(
      first,
      'Clean it.',
      loads('csv-cleanup'),
      loads('csv-cleanup', script),
      loads('csv-cleanup'),
      done,
    );
    await cp(join(REAL, 'release-notes'), join(root.folder, 'release-notes'), { recursive: true });
    await stage.turn(first, 'What else is there?', loads('release-notes'), done);
    await first.close();
    const second = await stage.open({ id: first.id });
    expect(await second.prompt('Report it.', { skills: ['bug-report'] })).toMatchObject({ outcome: 'completed' });
    await stage.turn(second, 'Once more.', loads('bug-report'), done);
    if (model === PLAIN) expectOnlyGrowth(stage.billed());
    expectOnlyAppended(stage.bodies);
    const records = await recordsOf(stage, first.id);
    expect(await epochsOf(stage, first.id)).toEqual(['initial']);
    expect(records.flatMap(({ kind, data }) => (kind === 'skill.loaded' ? [data.name] : []))).toEqual([
      'csv-cleanup',
      'release-notes',
      'bug-report',
    ]);
    await expectSound(stage, first.id);
  },
);

test('old results are shortened around a body, and the body stays whole', async () => {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ words: z.number() }),
    effect: 'read',
    run: ({ words }) => Array.from({ length: words }, (_, index) => `word ${index}`).join(' '),
  });
  const stage = await openStage({
    skills: { roots: [await rootWith('csv-cleanup')] },
    tools: [look, createHistoryReadTool()],
    warm: 'off',
    model: 'claude-opus-5-5',
  });
  const live = await stage.open();
  const looking = (count: number, words: number): readonly AnswerPlan[] =>
    Array.from({ length: count }, () => ({ answer: { calls: [{ name: 'look', arguments: { words } }] } }));
  await stage.turn(live, 'Clean it.', loads('csv-cleanup'), ...looking(8, 1_500), ...looking(30, 5), done);
  await stage.turn(live, 'And now?', done);
  const records = await recordsOf(stage, live.id);
  expect(records.some(({ kind }) => kind === 'history.pruned')).toBe(true);
  expect(stage.bodies.slice(1).every((body) => body.includes('three rows of the middle, before and after'))).toBe(true);
  await expectSound(stage, live.id);
});

test('a preloaded body fills the front of a model with a high floor: read from the second call on, told once', async () => {
  const root = await rootWith('csv-cleanup');
  const preloaded = join(root.folder, 'csv-cleanup', 'SKILL.md');
  await writeFile(
    preloaded,
    (await readFile(preloaded, 'utf8')).replace('metadata:\n', 'metadata:\n  preload: always\n'),
  );
  const stage = await openStage({
    model: 'claude-haiku-4-5',
    skills: { roots: [root] },
    padding: 'always',
    role: 'You clean files.',
    warm: 'off',
  });
  const live = await stage.open();
  await stage.turn(live, 'Clean it.', loads('csv-cleanup'), done);
  await stage.turn(live, 'And now?', done);
  const records = await recordsOf(stage, live.id);
  const held = records.flatMap(({ kind, data }) => (kind === 'epoch.opened' ? [data.padding?.skills] : []));
  expect(held).toEqual([['csv-cleanup']]);
  expect(records.flatMap(({ kind, data }) => (kind === 'skill.loaded' ? [data.reason] : []))).toEqual(['always']);
  expectOnlyGrowth(stage.billed());
  await expectSound(stage, live.id);
});
