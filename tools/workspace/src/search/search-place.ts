// Where a search goes and what it passes by: the same for `grep` and `find`.

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

/** A search that may be made. */
export interface SearchPlace {
  /** As the model named it, on one line. */
  readonly shown: string;
  /** What ripgrep is told of it, before the `--` and after. */
  readonly args: readonly string[];
  readonly from: string;
  /** As rules look at it: the place and all below it, whatever the glob. */
  readonly effects: CallEffects;
  /** The path of a record from the workspace on; `undefined` when the glob does not name it. */
  pathOf(record: string): string | undefined;
  /** Why what stands in a file may not be shown; `undefined` when it may. */
  refusal(path: string): string | undefined;
}

/**
 * Hidden files are searched, since `.github` and its like are sources; `.git` never, and what `.gitignore` names neither,
 * whether or not the workspace is a repository. Sorted, so that the same files give the same bytes.
 */
const PASSED_BY = ['--hidden', '--no-require-git', '--iglob', '!.git', '--sort', 'path', '--color', 'never'];

/** Largest file that is searched by its name, in bytes: ripgrep reads it to its end, 20 GB of nothing too. */
const MOST_BYTES = 1024 ** 3;

/** Reads where to search. A symlink is followed here and nowhere below: ripgrep follows none. */
export async function searchPlace(
  confinement: Confinement,
  path: string | undefined,
  glob: string | undefined,
): Promise<SearchPlace | ToolProblem> {
  const place = await confinement.placeInside(path ?? '.');
  if (isProblem(place)) return place;
  const found = lstatSync(place.path, { throwIfNoEntry: false });
  if (found === undefined)
    return { problem: `${place.shown} does not exist. Look with \`ls\`, or search the whole workspace.` };
  // Below a folder ripgrep passes by what is no file; one that is named it would open, and wait.
  if (!found.isFile() && !found.isDirectory()) return { problem: notAFile(place, found).message };
  if (found.isFile() && found.size > MOST_BYTES) return { problem: tooLarge(place.shown, found.size) };
  const wanted = glob === undefined ? undefined : readGlob(glob);
  if (wanted !== undefined && isProblem(wanted)) return wanted;
  const inside = pathInside(confinement.folder, place.path) ?? '';
  return {
    shown: place.shown,
    args: [...PASSED_BY, ...typeArguments(wanted)],
    from: inside === '' ? '.' : `./${inside}`,
    effects: pathEffects(confinement.folder, place, true),
    pathOf(record) {
      const plain = record.replace(/^\.\//, '');
      // A model thinks of a glob from the folder it searches, or from the workspace: both are meant.
      const below = plain.startsWith(`${inside}/`) ? plain.slice(inside.length + 1) : plain;
      return wanted === undefined || wanted.matches(plain, below) ? plain : undefined;
    },
    refusal: (record) => confinement.refusal(join(confinement.folder, record)),
  };
}

function tooLarge(shown: string, size: number): string {
  return `${shown} has ${size} bytes; a file of at most ${MOST_BYTES} bytes is searched. Search a part of it with \`bash\`, such as \`head -c 1G\`.`;
}

/** A file type of our own: unlike `--glob` it brings nothing back that is ignored. */
function typeArguments(glob: Glob | undefined): readonly string[] {
  if (glob === undefined || glob.names.length === 0) return [];
  return [...glob.names.flatMap((name) => ['--type-add', `wanted:${name}`]), '--type', 'wanted'];
}
