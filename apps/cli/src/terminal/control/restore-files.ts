// Restores files after a rewind: asks about each file that tools changed since then, with its diff.

import type { RestorableFile, RestoreOptions, UncertainCall } from '@tidemark/kit';
import { planRestore, restoreDiff, restoreFile, WorkspaceError } from '@tidemark/kit';

import { formatCount } from '../../frame/numbers.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { withoutFileNames } from '../../present/file-names-of-diff.ts';
import { markedText } from '../../present/marked-text.ts';
import { callTitle } from '../../present/tool-line.ts';
import { diffLines } from '../drawing/diff-lines.ts';
import { codeLine } from '../state/line.ts';
import type { Controller } from '../state/controller.ts';

/** Environment of the questions. */
export type RestorePlace = Pick<Controller, 'choose' | 'print' | 'view'>;

type RestoreChoice = 'yes' | 'no' | 'all' | 'none';

const CHOICES: ReadonlyMap<number, RestoreChoice> = new Map([
  [0, 'yes'],
  [1, 'no'],
  [2, 'all'],
  [3, 'none'],
]);

/** Maximum lines of a diff next to its question. */
const MOST_LINES = 12;

/** Lists the files that tools changed, and restores those that the user wants. A file with a later change stays. */
export async function offerRestore(options: RestoreOptions, place: RestorePlace): Promise<void> {
  const { files, calls } = await planRestore(options);
  const lines = [...files.flatMap(stuckLine), ...callLines(calls)];
  if (lines.length > 0) place.print(lines);
  const restorable = files.filter(({ state }) => state === 'restorable');
  if (restorable.length === 0) return;
  const restored: string[] = [];
  let standing: RestoreChoice | undefined;
  for (const [index, file] of restorable.entries()) {
    const choice: RestoreChoice = standing ?? (await ask(file, restorable.length - index, options, place));
    if (choice === 'all' || choice === 'none') standing = choice;
    if ((choice === 'yes' || choice === 'all') && (await restore(file, options, place))) restored.push(file.shown);
  }
  place.print([restoredLine(restored, restorable.length)]);
}

/** Restores a file. Returns false if it cannot be restored any more, and prints the reason. */
async function restore(file: RestorableFile, options: RestoreOptions, place: RestorePlace): Promise<boolean> {
  try {
    await restoreFile(file, options);
    return true;
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    place.print([[withStyle('yellow', 'notice'), `: ${error.message}`]]);
    return false;
  }
}

function stuckLine({ state, shown, reason }: RestorableFile): readonly Shown[] {
  return state === 'restorable'
    ? []
    : [[withStyle('yellow', 'cannot be restored'), `: ${markedText(shown)}: ${reason}`]];
}

function callLines(calls: readonly UncertainCall[]): readonly Shown[] {
  if (calls.length === 0) return [];
  return [
    `${formatCount(calls.length, 'call')} may have changed more files, which cannot be restored:`,
    ...calls.map(({ tool, arguments: text }): Shown => ['  ', withStyle('dim', callTitle(tool, text))]),
  ];
}

function restoredLine(restored: readonly string[], of: number): Shown {
  const names = restored.length === 0 ? '' : `: ${restored.map((name) => markedText(name)).join(', ')}`;
  return [withStyle('green', 'restored'), ` ${restored.length} of ${formatCount(of, 'file')}${names}`];
}

/**
 * Removes the carriage returns at the ends of the lines if all lines have one. Their marks would hide the change. A
 * change of the line ends keeps its marks.
 */
export function withoutReturns(diff: string): string {
  const lines = diff.split('\n').filter((line) => /^(?:[ +](?!\+\+)|-(?!--))/.test(line));
  return lines.every((line) => line.endsWith('\r')) ? diff.replaceAll('\r\n', '\n').replace(/\r$/, '') : diff;
}

/** Asks about one file. The whole diff can be opened first. Esc leaves this file and all later ones as they are. */
async function ask(
  file: RestorableFile,
  left: number,
  options: RestoreOptions,
  place: RestorePlace,
): Promise<RestoreChoice> {
  const does = file.before === 'absent' ? 'Delete' : 'Restore';
  const diff = withoutReturns(withoutFileNames(await restoreDiff(file, options), file.shown));
  const title = [
    withStyle('bold', `${does} ${markedText(file.shown)}? (${formatCount(left, 'file')} left)`),
    ...diffLines(diff, MOST_LINES, 'd shows all'),
  ];
  for (;;) {
    const index = await place.choose(title, [
      { label: does.toLowerCase(), key: 'y' },
      { label: 'leave it', key: 'n' },
      { label: 'all of them', note: 'this file and all later ones', key: 'a' },
      { label: 'none of them', note: 'leave this file and all later ones', key: 'q' },
      { label: 'show the whole diff', key: 'd' },
    ]);
    if (index === undefined) return 'none';
    const choice = CHOICES.get(index);
    if (choice !== undefined) return choice;
    await place.view(`${does} ${file.shown}`, diffLines(diff, Infinity, '').map(codeLine));
  }
}
