// Search place, for both `grep` and `find`: the path at which a search starts, and the files that it skips.

import type { CallEffects, ToolProblem } from '@tidemark/agent';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Confinement } from '../confine/confine.ts';
import { notAFile } from '../confine/open-file.ts';
import { pathEffects } from '../confine/path-effects.ts';
import { pathInside } from '../confine/path-inside.ts';
import { isProblem } from '../door/arguments.ts';
import type { Glob } from './glob.ts';
import { readGlob } from './glob.ts';

/** A checked place to search. */
export interface SearchPlace {
  /** Name of the place for messages, on one line. */
  readonly shown: string;
  /** Arguments of ripgrep. `args` are placed before the `--`, and `from` after it. */
  readonly args: readonly string[];
  readonly from: string;
  /**
   * Effects for permission rules. The search reads the place and everything below it. The glob does not change this.
   */
  readonly effects: CallEffects;
  /**
   * Converts a path that ripgrep printed to a path relative to the workspace. If the glob does not match the path,
   * returns `undefined`.
   */
  pathOf(record: string): string | undefined;
  /** Returns the reason why the content of a file must not be shown. If it may be shown, returns `undefined`. */
  refusal(path: string): string | undefined;
}

/**
 * Arguments that decide which files are searched. Hidden files are searched, because folders such as `.github` contain
 * sources. `.git` and the files in `.gitignore` are skipped, even if the workspace is not a repository.
 */
export const FILES_SEARCHED: readonly string[] = [
  '--hidden',
  '--no-require-git',
  '--iglob',
  '!.git',
  '--color',
  'never',
];

/** The output is sorted, so the same files produce the same bytes. */
const PASSED_BY = [...FILES_SEARCHED, '--sort', 'path'];

/**
 * Maximum size in bytes of a file that the caller names directly. Without this limit, ripgrep would read even 20 GB of
 * zeros to the end.
 */
const MAX_BYTES = 1024 ** 3;

/**
 * Checks the path and the glob of a search. Returns the place to search, or the problem with one of them. A symlink is
 * followed only in the given path. Below that path, ripgrep follows no symlinks.
 */
export async function searchPlace(
  confinement: Confinement,
  path: string | undefined,
  glob: string | undefined,
): Promise<SearchPlace | ToolProblem> {
  const place = await confinement.placeInside(path ?? '.');
  if (isProblem(place)) return place;
  const found = lstatSync(place.path, { throwIfNoEntry: false });
  if (found === undefined)
    return { problem: `${place.shown} does not exist. Check the path with \`ls\`, or search the whole workspace.` };
  // In a folder, ripgrep skips entries that are not regular files. If a pipe or device is named directly, ripgrep would
  // open it and wait.
  if (!found.isFile() && !found.isDirectory()) return { problem: notAFile(place, found).message };
  if (found.isFile() && found.size > MAX_BYTES) return { problem: tooLarge(place.shown, found.size) };
  const wanted = glob === undefined ? undefined : await readGlob(glob);
  if (wanted !== undefined && isProblem(wanted)) return wanted;
  const inside = pathInside(confinement.folder, place.path) ?? '';
  return {
    shown: place.shown,
    args: [...PASSED_BY, ...typeArguments(wanted)],
    from: inside === '' ? '.' : `./${inside}`,
    effects: pathEffects(confinement.folder, place, true),
    pathOf(record) {
      const plain = record.replace(/^\.\//, '');
      // A model can write a glob relative to the searched folder or relative to the workspace. Both are accepted.
      const below = plain.startsWith(`${inside}/`) ? plain.slice(inside.length + 1) : plain;
      return wanted === undefined || wanted.matches(plain, below) ? plain : undefined;
    },
    refusal: (record) => confinement.refusal(join(confinement.folder, record)),
  };
}

function tooLarge(shown: string, size: number): string {
  return `${shown} has ${size} bytes, and the maximum for a search is ${MAX_BYTES}. Search a part of it with \`bash\`, for example with \`head -c 1G\`.`;
}

/**
 * Returns arguments that define a file type from the names of the glob. A file type does not include ignored files, but
 * `--glob` does.
 */
function typeArguments(glob: Glob | undefined): readonly string[] {
  if (glob === undefined || glob.names.length === 0) return [];
  return [...glob.names.flatMap((name) => ['--type-add', `wanted:${name}`]), '--type', 'wanted'];
}
