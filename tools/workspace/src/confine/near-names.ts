// Near names: for a missing file name, suggests similar names that exist.

import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Confinement, WorkspacePlace } from './confine.ts';
import { holdFolder } from './held-folder.ts';
import { showName } from './show-name.ts';
import { WorkspaceError } from '../workspace-error.ts';

const MAX_ENTRIES = 5_000;

const MAX_NAMES = 3;

/**
 * Returns up to three names in the same folder that are similar to a missing name. They are written as paths for a
 * tool. If the folder is missing or outside the workspace, returns an empty list.
 */
async function nearNames({ path }: WorkspacePlace, confinement: Confinement): Promise<readonly string[]> {
  const wanted = basename(path);
  const folder = await confinement.place(dirname(path));
  if ('problem' in folder || !folder.inside) return [];
  const names = await namesIn(folder).catch(() => []);
  return names
    .slice(0, MAX_ENTRIES)
    .map((name) => ({ name, likeness: likeness(wanted, name) }))
    .filter(({ name, likeness: like }) => like >= 0.5 && confinement.refusal(join(folder.path, name)) === undefined)
    .toSorted((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ name }) => (folder.shown === '.' ? showName(name) : `${folder.shown}/${showName(name)}`));
}

async function namesIn(place: WorkspacePlace): Promise<readonly string[]> {
  await using folder = await holdFolder(place);
  return folder === undefined ? [] : await readdir(folder.at('.'));
}

/**
 * Returns the similarity of two texts, from 0 to 1. It is the Dice coefficient of their pairs of adjacent characters.
 * Letter case is ignored.
 */
export function likeness(a: string, b: string): number {
  const [pairsOfA, pairsOfB] = [pairs(a), pairs(b)];
  const both = pairsOfA.size + pairsOfB.size;
  if (both === 0) return a.toLowerCase() === b.toLowerCase() ? 1 : 0;
  const shared = [...pairsOfA].filter((pair) => pairsOfB.has(pair)).length;
  return (2 * shared) / both;
}

function pairs(text: string): ReadonlySet<string> {
  const plain = text.normalize('NFC').toLowerCase();
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
}

/**
 * Returns the error for a missing file or folder, code `workspace/file-system`. The message lists similar names in the
 * same folder.
 */
export async function absent(place: WorkspacePlace, confinement: Confinement): Promise<WorkspaceError> {
  const near = await nearNames(place, confinement);
  const next = near.length === 0 ? 'List files with `ls` or `find`.' : `Similar names: ${near.join(', ')}.`;
  return new WorkspaceError('workspace/file-system', `${place.shown} does not exist. ${next}`, {
    path: place.shown,
    near,
  });
}
