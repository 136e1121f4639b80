// `find` tool: lists file names in sorted order, found by ripgrep.

import type { Tool, ToolOutput } from '@tidemark/agent';
import { join } from 'node:path';
import { z } from 'zod';
import type { Confinement } from '../confine/confine.ts';
import { showName } from '../confine/show-name.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { PAGE_BYTES } from '../page/take-page.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { confirmComplaint, confirmNames, unreadNote } from './confirm-found.ts';
import type { RipgrepEnd } from './run-ripgrep.ts';
import { earlyEndNotes, runRipgrep } from './run-ripgrep.ts';
import type { SearchPlace } from './search-place.ts';
import { searchPlace } from './search-place.ts';

const DEFAULT_FILES = 200;

const MAX_FILES = 1_000;

const MAX_COUNTED = 100_000;

const SUMMARY_BYTES = 2 * 1024;

const PATIENCE_MS = 30_000;

const findArguments = argumentsOf(
  z.strictObject({
    glob: z.string().optional().describe('Only files that match: *.ts, src/**, !*.test.ts'),
    path: z.string().optional().describe('Folder to search. Default: the workspace'),
    limit: z.int().min(1).max(MAX_FILES).optional().describe('Maximum number of names. Default: 200'),
  }),
);

const DESCRIPTION =
  'Finds files in the workspace by name. Returns their paths, sorted. Skips files in .gitignore unless path names their folder; never lists folders (use ls) or the contents of .git. To search file contents, use grep.';

/** Creates the tool `find`, with effect class `read`. It searches only inside the workspace. */
export function createFindTool(confinement: Confinement): Tool {
  return {
    name: 'find',
    description: DESCRIPTION,
    schema: findArguments.schema,
    earlier: ['2ba2caea9d5263c2475aac8aee8a830f49a80cf117696ac4451cbc0ef556bb6d'],
    effect: 'read',
    effectKinds: ['paths'],
    async read(input) {
      const asked = findArguments.read(input);
      if (isProblem(asked)) return asked;
      const place = await searchPlace(confinement, asked.path, asked.glob);
      if (isProblem(place)) return place;
      const what = asked.glob === undefined ? 'files' : showName(asked.glob);
      return {
        title: `find ${what} in ${place.shown}`,
        effects: place.effects,
        run: ({ signal }) => list(confinement.folder, place, asked.limit ?? DEFAULT_FILES, signal),
      };
    },
  };
}

async function list(folder: string, place: SearchPlace, limit: number, signal: AbortSignal): Promise<ToolOutput> {
  const names: string[] = [];
  let room = PAGE_BYTES - SUMMARY_BYTES;
  let counted = 0;
  const end = await runRipgrep({
    args: ['--files', '--null', ...place.args, '--', place.from],
    folder,
    root: join(folder, place.from),
    delimiter: 0,
    signal,
    patienceMs: PATIENCE_MS,
    each: (record) => {
      const path = record === undefined ? undefined : place.pathOf(record);
      if (path === undefined) return true;
      const shown = showName(path);
      counted += 1;
      room -= names.length < limit ? Buffer.byteLength(shown) + 1 : 0;
      if (names.length < limit && room >= 0) names.push(path);
      return counted < MAX_COUNTED;
    },
  });
  const complaint = await confirmComplaint(folder, end.complaint);
  if (end.code === 2 && counted === 0) throw badSearch(complaint, place);
  const there = await confirmNames(folder, names);
  const gone = names.length - there.length;
  const allNotes = [
    ...notes(counted, names.length, place, { ...end, complaint }),
    ...(gone === 0
      ? []
      : [`${gone} of the found names are omitted, because these files did not exist when checked again`]),
  ];
  return { text: [...allNotes.map((note) => `[${note}]`), ...there.map(showName)].join('\n') };
}

function notes(counted: number, shown: number, place: SearchPlace, end: RipgrepEnd): readonly string[] {
  const late = earlyEndNotes(end, PATIENCE_MS, 'pass a narrower path');
  const unread = end.code === 2 ? [unreadNote('folders', end.complaint)] : [];
  return [summary(counted, shown, place), ...late, ...unread];
}

function summary(counted: number, shown: number, place: SearchPlace): string {
  if (counted === 0) return `no file matches in ${place.shown}`;
  const many = counted >= MAX_COUNTED ? 'at least ' : '';
  const found = `${many}${counted} ${counted === 1 ? 'file' : 'files'}`;
  return shown === counted
    ? found
    : `${found}, the first ${shown} are shown: use a narrower glob or path, or a higher limit`;
}

function badSearch(complaint: string, place: SearchPlace): WorkspaceError {
  const message = `The folder could not be searched:\n${complaint.trim()}\nCheck it with \`ls\`, or pass another path or glob.`;
  return new WorkspaceError('workspace/bad-search', message, { path: place.shown });
}
