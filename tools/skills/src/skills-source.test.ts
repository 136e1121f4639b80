// Tests the note about installed skills. At first and after a compaction, it contains the whole list. Otherwise it
// contains only the changes.

import type { SourceView } from '@tidemark/agent';
import { sessionId, timestamp } from '@tidemark/log';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootWith, skill } from '../tests/room.ts';
import type { SkillRoot } from './found-skill.ts';
import { createSkillShelf } from './skill-shelf.ts';
import { skillsSource } from './skills-source.ts';

function view(noted?: string): SourceView {
  const { signal } = new AbortController();
  const now = timestamp('2026-11-21T12:00:00.000Z');
  const session = sessionId('s');
  return { workspace: '/w', now, mode: 'ask', files: new Map(), noted, session, processes: [], begun: false, signal };
}

async function installed(...names: readonly string[]) {
  const root = await rootWith(
    Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skill(name, `For ${name}.`)])),
  );
  return { root, ...sourceOf(root) };
}

function sourceOf(root: SkillRoot) {
  const shelf = createSkillShelf({ roots: [root] });
  const source = skillsSource(shelf);
  return { shelf, source, revision: async (noted?: string) => source.revision(view(noted)) };
}

async function install(root: SkillRoot, name: string, description: string): Promise<void> {
  await mkdir(join(root.folder, name), { recursive: true });
  await writeFile(join(root.folder, name, 'SKILL.md'), skill(name, description));
}

test('the whole list is noted at first, and again after a compaction removed it', async () => {
  const { source, revision } = await installed('tax', 'vat');
  const first = await revision();
  const list = 'Installed skills. Load one with skill_load before you rely on it:\n- tax: For tax.\n- vat: For vat.\n';
  expect(source.render(view(), 'initial')).toBe(list);
  expect(await revision(first)).toBe(first);
  expect(source.render(view(first), 'compacted-away')).toBe(list);
});

test('nothing is noted without an installed skill', async () => {
  const { revision } = await installed();
  expect(await revision()).toBeUndefined();
});

test('added, changed and removed skills are noted by name', async () => {
  const { root, source, revision } = await installed('old', 'vat');
  const first = await revision();
  await rm(join(root.folder, 'old'), { recursive: true });
  await install(root, 'vat', 'For vat now.');
  await install(root, 'tax', 'For tax.');
  expect(await revision(first)).not.toBe(first);
  expect(source.render(view(first), 'changed')).toBe(
    [
      'New skills:',
      '- tax: For tax.',
      'Skills with a changed description:',
      '- vat: For vat now.',
      'No longer in the list: old.',
    ].join('\n'),
  );
});

test('a changed list is noted whole if another process noted the last one', async () => {
  const { root, revision } = await installed('tax');
  const first = await revision();
  await install(root, 'vat', 'For vat.');
  const other = sourceOf(root);
  await other.revision(first);
  expect(other.source.render(view(first), 'changed')).toMatch(
    /^This list replaces the earlier list\.\nInstalled.*\n- tax: For tax\.\n- vat: For vat\.\n$/,
  );
});

test('a list that is cut ends with the number of omitted skills, and a change of that number alone is noted', async () => {
  const names = Array.from({ length: 400 }, (_, at) => `skill-${String(at).padStart(3, '0')}`);
  const { root, source, revision } = await installed(...names);
  const first = await revision();
  expect(source.render(view(), 'initial')).toMatch(/\nAnd \d+ more: find them with skill_search\.\n$/);
  await rm(join(root.folder, 'skill-399'), { recursive: true });
  await revision(first);
  expect(source.render(view(first), 'changed')).toMatch(/^And \d+ more: find them with skill_search\.$/);
});
