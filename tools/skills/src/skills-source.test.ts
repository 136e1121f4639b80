// What is told of skills behind a front that lists what there was: the difference, and nothing where there is none.

import type { SourceView } from '@tidemark/agent';
import { timestamp } from '@tidemark/log';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootWith, skill } from '../tests/room.ts';
import { indexText } from './index-text.ts';
import { createSkillShelf } from './skill-shelf.ts';
import { skillsSource } from './skills-source.ts';

/** What a source is shown: the list in the front in force, and what it said last. */
function view(front: string | undefined, noted?: string): SourceView {
  const { signal } = new AbortController();
  const now = timestamp('2026-11-21T12:00:00.000Z');
  const layer = (): Promise<string | undefined> => Promise.resolve(front);
  return { workspace: '/w', now, mode: 'ask', files: new Map(), noted, signal, layer };
}

/** A folder of skills, what a front would list of them now, and what is told behind such a front. */
async function installed(...names: readonly string[]) {
  const root = await rootWith(
    Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skill(name, `For ${name}.`)])),
  );
  const shelf = createSkillShelf({ roots: [root] });
  const source = skillsSource(shelf);
  await shelf.look();
  return {
    root,
    front: indexText(shelf.found.skills) ?? '',
    told: async (seen: SourceView): Promise<string | undefined> =>
      (await source.revision(seen)) === undefined ? undefined : source.render(seen, 'changed'),
  };
}

test('nothing is told where the list holds, nor before there is a front, nor of the mark of a body in it', async () => {
  const { front, told } = await installed('tax', 'vat');
  const marked = front.replace('- tax:', '- tax [preloaded]:');
  expect([await told(view(front)), await told(view(undefined)), await told(view(marked))]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('what came, what reads otherwise and what is gone is told by name', async () => {
  const { root, front, told } = await installed('old', 'tax', 'vat');
  await rm(join(root.folder, 'old'), { recursive: true });
  await writeFile(join(root.folder, 'vat', 'SKILL.md'), skill('vat', 'For vat [preloaded]: now.'));
  const listed = front.replace('- tax: For tax.\n', '');
  expect(await told(view(listed))).toBe(
    [
      'Installed since, and to be loaded like those of the list:',
      '- tax: For tax.',
      'Now listed as:',
      '- vat: For vat [preloaded]: now.',
      'Not installed any more: old.',
    ].join('\n'),
  );
});

test('a description that speaks of the mark is no other one for it', async () => {
  const { root, told } = await installed('tax');
  await writeFile(join(root.folder, 'tax', 'SKILL.md'), skill('tax', 'When it says [preloaded]: leave it.'));
  expect(await told(view('Skills\n- tax: When it says [preloaded]: leave it.\n'))).toBeUndefined();
});

test('what was told is taken back once the list holds again', async () => {
  const { front, told } = await installed('tax');
  expect(await told(view(front, '0123456789ab'))).toBe('The list of skills at the beginning holds.');
});

test('a change beyond what the list shows is told without a name', async () => {
  const names = Array.from({ length: 400 }, (_, at) => `skill-${String(at).padStart(3, '0')}`);
  const { root, front, told } = await installed(...names);
  expect(front).toMatch(/And \d+ more/);
  await rm(join(root.folder, 'skill-399'), { recursive: true });
  expect(await told(view(front))).toBe(
    'Which skills there are beyond the list has changed: find them with skill_search.',
  );
});
