// Tests the folders in which the Codex CLI keeps its rollouts.

import { expect, test } from 'vitest';
import { codexPlaces } from '../../src/import/codex/codex-places.ts';

const pathsIn = (environment: Readonly<Record<string, string>>): readonly string[] =>
  codexPlaces({ userFolder: '/home/a', environment }).map(({ folder }) => folder);

test('the rollouts of Codex are in `sessions` and `archived_sessions` of the home of Codex', () => {
  expect(pathsIn({})).toEqual(['/home/a/.codex/sessions', '/home/a/.codex/archived_sessions']);
  expect(pathsIn({ CODEX_HOME: '/data/codex' })).toEqual(['/data/codex/sessions', '/data/codex/archived_sessions']);
  expect(pathsIn({ CODEX_HOME: '' })).toEqual(pathsIn({}));
});

test('the rollouts of Codex include compressed files and no other file', () => {
  const [place] = codexPlaces({ userFolder: '/home/a', environment: {} });
  const name = 'rollout-2026-11-23T11-28-02-ab43d4ed-07da-4728-9552-9c0a445634f6.jsonl';
  const names = [name, `2026/11/23/${name}`, `2026/11/23/${name}.zst`, 'history.jsonl', `2026/${name}.tmp`];
  expect(names.filter((one) => place?.files.test(one))).toEqual(names.slice(0, 3));
});
