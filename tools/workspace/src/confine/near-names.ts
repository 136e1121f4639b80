// What was most likely meant by a name that is not there.

import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Confinement, WorkspacePlace } from './confine.ts';
import { holdFolder } from './held-folder.ts';
import { showName } from './show-name.ts';
import { WorkspaceError } from '../workspace-error.ts';

const MOST_ENTRIES = 5_000;

const MOST_NAMES = 3;

/** Up to three names beside a missing one that are alike, as they would be asked for; none when the folder is missing. */
async function nearNames({ path }: WorkspacePlace, confinement: Confinement): Promise<readonly string[]> {
  const wanted = basename(path);
  const folder = await confinement.place(dirname(path));
  if ('problem' in folder || !folder.inside) return [];
  const names = await namesIn(folder).catch(() => []);
  return names
    .slice(0, MOST_ENTRIES)
    .map((name) => ({ name, likeness: likeness(wanted, name) }))
    .filter(({ name, likeness: like }) => like >= 0.5 && confinement.refusal(join(folder.path, name)) === undefined)
    .toSorted((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(({ name }) => (folder.shown === '.' ? showName(name) : `${folder.shown}/${showName(name)}`));
}

async function namesIn(place: WorkspacePlace): Promise<readonly string[]> {
  await using folder = await holdFolder(place);
  return folder === undefined ? [] : await readdir(folder.at('.'));
}

/** From 0 to 1: the share of pairs of neighbouring characters that both have (Dice), letter case left out. */
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

/** The error of a missing file or folder: names what beside it may have been meant. Code `workspace/file-system`. */
export async function absent(place: WorkspacePlace, confinement: Confinement): Promise<WorkspaceError> {
  const near = await nearNames(place, confinement);
  const next = near.length === 0 ? 'Look with `ls` or `find`.' : `Near it: ${near.join(', ')}.`;
  return new WorkspaceError('workspace/file-system', `${place.shown} does not exist. ${next}`, {
    path: place.shown,
    near,
  });
}
