// `ls` tool: lists a folder.

import type { Tool, ToolOutput } from '@tidemark/agent';
import { basename } from 'node:path';
import { z } from 'zod';
import { absent } from '../confine/near-names.ts';
import type { Confinement, WorkspacePlace } from '../confine/confine.ts';
import { inWords } from '../confine/file-problem.ts';
import { holdFolderOf } from '../confine/held-folder.ts';
import { pathEffects } from '../confine/path-effects.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { listFolder } from './list-folder.ts';

const ARGUMENTS = argumentsOf(
  z.strictObject({
    path: z.string().optional().describe('Folder to list. Default: the workspace'),
    depth: z.int().min(1).max(8).optional().describe('Levels of folders. Default: 1'),
  }),
);

const DESCRIPTION =
  'Lists a folder in the workspace. Returns sorted names relative to it, including hidden ones; folders end in /, symlinks show their target. Shows at most 1000 entries. To find files by name, use find.';

const MAX_ENTRIES = 1_000;

/** Creates the tool `ls`, with effect class `read`. It lists only inside the workspace. */
export function createLsTool(confinement: Confinement): Tool {
  return {
    name: 'ls',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    earlier: ['d0ae71cecb78783d858cf32d3bd9b44bdbdcd22e23a0364838590ba4008b4771'],
    effect: 'read',
    effectKinds: ['paths'],
    async read(input) {
      const asked = ARGUMENTS.read(input);
      if (isProblem(asked)) return asked;
      const place = await confinement.placeInside(asked.path ?? '.');
      if (isProblem(place)) return place;
      return {
        title: `ls ${place.shown}`,
        effects: pathEffects(confinement.folder, place, true),
        run: ({ signal }) => listPlace(place, confinement, asked.depth ?? 1, signal),
      };
    },
  };
}

async function listPlace(
  place: WorkspacePlace,
  confinement: Confinement,
  depth: number,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const name = basename(place.path) || '.';
  await using parent = await holdFolderOf(place);
  const stats = await inWords(place.shown, async () => parent?.statsOf(name));
  if (parent === undefined || stats === undefined) throw await absent(place, confinement);
  if (!stats.isDirectory() && !stats.isSymbolicLink())
    return { text: `[${place.shown} is a file of ${stats.size} bytes, not a folder: use read]` };
  await using held = await parent.enter(name, place.shown);
  const bounds = { depth, mostEntries: MAX_ENTRIES, signal };
  const { lines, more } = await listFolder({ held, path: place.path, shown: place.shown }, confinement, bounds);
  if (lines.length === 0) return { text: `[${place.shown} is empty]` };
  const left = `[only the first ${MAX_ENTRIES} entries are shown; list a subfolder, set a smaller depth, or use find]`;
  return { text: [...lines, ...(more ? [left] : [])].join('\n') };
}
