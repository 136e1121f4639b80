// Restores files that tools changed, for a person who goes back in a session. A change that something else made since
// then is never overwritten. The checks are made again directly before a file is written.

import type { Log, SessionId } from '@tidemark/log';
import type { Confinement, WorkspacePlace } from '../confine/confine.ts';
import { showName } from '../confine/show-name.ts';
import { isProblem } from '../door/arguments.ts';
import { WorkspaceError } from '../workspace-error.ts';
import type { CurrentFile } from '../write/current-file.ts';
import { currentFile } from '../write/current-file.ts';
import { hunksOf } from '../write/preview-change.ts';
import { removeFile, replaceFile } from '../write/replace-file.ts';
import { textOf } from '../write/text-form.ts';
import type { ChangedFile, UncertainCall } from './changes-since.ts';
import { changesSince } from './changes-since.ts';

/** Session and position whose later changes are restored, and the folder with the files. */
export interface RestoreOptions {
  readonly log: Pick<Log, 'read' | 'undo'>;
  readonly session: SessionId;
  /** Position of the first record whose changes are undone: the record after the end of a fork. */
  readonly from: number;
  /** Rules for paths. The same rules apply as for the tools. */
  readonly confinement: Confinement;
  readonly signal: AbortSignal;
}

/** A changed file, and whether it can be restored. */
export interface RestorableFile extends ChangedFile {
  /** Path for messages, relative to the workspace if possible. */
  readonly shown: string;
  /**
   * `restorable`: the file can be restored. `changed`: something other than the tools changed the file. `not-kept`: its
   * earlier bytes are not kept. `refused`: the tools may not write to this path, or it cannot be read.
   */
  readonly state: 'restorable' | 'changed' | 'not-kept' | 'refused';
  /** Reason for a person if the file cannot be restored. Empty for `restorable`. */
  readonly reason: string;
}

/** Files that tools changed, and calls that may have changed more. */
export interface RestorePlan {
  /** Files that differ from their earlier state. */
  readonly files: readonly RestorableFile[];
  /** Calls whose changes cannot be restored, such as commands. */
  readonly calls: readonly UncertainCall[];
}

/**
 * Finds the files that tools changed since a position, and compares them with the disk. Changes nothing. A file that
 * already has its earlier state is not listed.
 *
 * @throws LogError as the store does.
 */
export async function planRestore(options: RestoreOptions): Promise<RestorePlan> {
  const { files, calls } = await changesSince(options.log, options.session, options.from);
  const judged: RestorableFile[] = [];
  for (const file of files) {
    const one = await judgeFile(file, options);
    if (one !== undefined) judged.push(one);
  }
  return { files: judged, calls };
}

async function judgeFile(file: ChangedFile, options: RestoreOptions): Promise<RestorableFile | undefined> {
  try {
    const { place, current } = await lookAt(file, options);
    const now = current?.digest ?? 'absent';
    if (now === file.before) return undefined;
    const { shown } = place;
    if (file.before === undefined) return { ...file, shown, state: 'not-kept', reason: NOT_RECORDED };
    if (file.mixed) return { ...file, shown, state: 'changed', reason: MIXED };
    if (isChangedSince(file, current)) return { ...file, shown, state: 'changed', reason: CHANGED_SINCE };
    if (!(await isKept(file, options))) return { ...file, shown, state: 'not-kept', reason: NOT_KEPT };
    return { ...file, shown, state: 'restorable', reason: '' };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return { ...file, shown: showName(file.path), state: 'refused', reason: error.message };
  }
}

const NOT_RECORDED = 'its earlier content was not recorded';
const MIXED = 'something other than a file tool changed it between two of the changes';
const CHANGED_SINCE = 'it was changed since the last change by a file tool';
const CHANGED_NOW = 'another process changed it at the same moment';
const NOT_KEPT =
  'its earlier content is not kept: it was too large, or it was removed because of a limit of space or age';

/**
 * Returns true if something else changed the content after the last change by a tool. A file that was deleted since then
 * is not changed, because creating it again overwrites nothing.
 */
function isChangedSince({ after }: ChangedFile, current: CurrentFile | undefined): boolean {
  return current !== undefined && current.digest !== after;
}

async function isKept({ before, session }: ChangedFile, { log }: RestoreOptions): Promise<boolean> {
  if (before === undefined) return false;
  return before === 'absent' || (await log.undo?.get(session, before)) !== undefined;
}

interface CheckedFile {
  readonly place: WorkspacePlace;
  readonly current: CurrentFile | undefined;
}

/**
 * Finds a file on the disk. The path must lead to the same place as when it was recorded.
 *
 * @throws WorkspaceError `workspace/not-restorable` for a path that the tools refuse, `workspace/moved` for a path that
 * leads through a link now, and the errors of `openFile`.
 */
async function lookAt(
  { path }: ChangedFile,
  { confinement, signal }: RestoreOptions,
  mostBytes: number = 0,
): Promise<CheckedFile> {
  const place = await confinement.place(path);
  if (isProblem(place)) throw notRestorable(showName(path), place.problem);
  if (place.path !== path) {
    const message = `${place.shown} now leads through a symbolic link to another place; nothing was restored.`;
    throw new WorkspaceError('workspace/moved', message, { path: place.shown });
  }
  return { place, current: await currentFile(place, mostBytes, signal) };
}

function notRestorable(shown: string, why: string): WorkspaceError {
  const message = `${shown} cannot be restored: ${why}. Nothing was written.`;
  return new WorkspaceError('workspace/not-restorable', message, { path: shown });
}

/**
 * Restores one file: writes its earlier bytes, creates it again with its folders, or deletes it if a tool created it.
 * The mode of an existing file is kept.
 *
 * @throws WorkspaceError `workspace/changed` if the file is not as the last change left it, `workspace/not-restorable`
 * if its earlier bytes are not kept, and the errors of the write tools. In all cases the file is unchanged.
 */
export async function restoreFile(file: ChangedFile, options: RestoreOptions): Promise<void> {
  const { place, current } = await lookAt(file, options);
  if (file.before === undefined) throw notRestorable(place.shown, NOT_RECORDED);
  if (file.mixed) throw changedError(place, MIXED);
  if (isChangedSince(file, current)) throw changedError(place, CHANGED_SINCE);
  const bytes = await bytesBefore(file, options);
  options.signal.throwIfAborted();
  try {
    if (bytes !== undefined) await replaceFile(place, bytes, current?.stats);
    else if (current !== undefined) await removeFile(place, current.stats);
  } catch (error) {
    // The message of the write tools is for a model.
    if (error instanceof WorkspaceError && error.code === 'workspace/changed') throw changedError(place, CHANGED_NOW);
    throw error;
  }
}

function changedError({ shown }: WorkspacePlace, why: string): WorkspaceError {
  const message = `${shown} was not restored: ${why}. Compare it with the version that you want, and change it yourself.`;
  return new WorkspaceError('workspace/changed', message, { path: shown });
}

/** Returns the bytes of the earlier state, or `undefined` if there was no file. */
async function bytesBefore(
  { before, session, path }: ChangedFile,
  { log }: RestoreOptions,
): Promise<Buffer | undefined> {
  if (before === 'absent') return undefined;
  const bytes = before === undefined ? undefined : await log.undo?.get(session, before);
  if (bytes === undefined) throw notRestorable(showName(path), NOT_KEPT);
  return Buffer.from(bytes);
}

/** Maximum size of each side of a diff, in bytes. */
const MAX_FOR_DIFF = 1024 * 1024;

/**
 * Returns the unified diff from the current file to its earlier state. It is not masked and may contain control
 * characters. For a file that is large or not text, it contains only the sizes.
 *
 * @throws WorkspaceError as `restoreFile` does.
 */
export async function restoreDiff(file: ChangedFile, options: RestoreOptions): Promise<string> {
  const { place, current } = await lookAt(file, options, MAX_FOR_DIFF);
  const bytes = await bytesBefore(file, options);
  const head = [
    `--- ${current === undefined ? '/dev/null' : place.shown}`,
    `+++ ${bytes === undefined ? '/dev/null' : place.shown}`,
  ];
  const [now, then] = [sideOf(current?.bytes, current), sideOf(bytes, bytes)];
  if (now !== undefined && then !== undefined) return [...head, await hunksOf(now, then)].join('\n');
  const sizes = `${current === undefined ? 'no file' : `${current.stats.size} bytes`} before, ${bytes === undefined ? 'no file' : `${bytes.length} bytes`} after`;
  return [...head, `(too large for a diff, or not UTF-8 text: ${sizes})`].join('\n');
}

/** Returns the text of one side of a diff: empty for no file, `undefined` for bytes that are not shown. */
function sideOf(bytes: Buffer | undefined, file: object | undefined): string | undefined {
  if (file === undefined) return '';
  return bytes === undefined || bytes.length > MAX_FOR_DIFF ? undefined : textOf(bytes);
}
