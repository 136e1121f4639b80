// Restores the files that tools changed in the part of a session that a rewind leaves out. Asks about each file with
// its diff.

import type { ForkPlan } from '@tidemark/agent';
import type { RestorableFile, RestoreOptions, UncertainCall } from '@tidemark/kit';
import { createConfinement, planRestore, restoreDiff, restoreFile, WorkspaceError } from '@tidemark/kit';
import type { SessionId } from '@tidemark/log';

import type { CommandContext } from '../frame/command.ts';
import { formatCount } from '../frame/numbers.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import type { RestoreAnswer } from '../present/ask-to-restore.ts';
import { askToRestore } from '../present/ask-to-restore.ts';
import { callTitle } from '../present/tool-line.ts';

/** How a command restores files. */
export interface RestoreFlags {
  /** True to restore every file that can be restored, without questions. */
  readonly yes: boolean;
  /** True to only list the files. */
  readonly dryRun: boolean;
}

/** Result for programs: the changed files, and the calls that may have changed more. */
export interface RestoreReport {
  readonly files: readonly (Pick<RestorableFile, 'path' | 'state' | 'reason'> & { readonly restored: boolean })[];
  readonly calls: readonly { readonly session: SessionId; readonly tool: string; readonly title: string }[];
}

/**
 * Returns the options for `planRestore` of a planned fork. Returns `undefined` if the fork leaves nothing out.
 *
 * @throws WorkspaceError `workspace/no-folder` if the folder of the session does not exist.
 */
export async function restoreOptions(plan: ForkPlan, context: CommandContext): Promise<RestoreOptions | undefined> {
  if (plan.left === undefined) return undefined;
  const { home, configFolder, userFolder, environment, signal } = context;
  const confinement = createConfinement({
    folder: plan.created.workspace,
    forbidden: [home, configFolder],
    home: userFolder,
    environment,
  });
  return { log: await context.store(), session: plan.of, from: plan.left.from, confinement, signal };
}

/**
 * Lists the changed files and restores those that the user wants. With `yes`, restores all files that can be restored.
 * With JSON output and without `yes`, only lists them.
 */
export async function restoreFiles(
  options: RestoreOptions | undefined,
  flags: RestoreFlags,
  context: CommandContext,
): Promise<RestoreReport> {
  if (options === undefined) return { files: [], calls: [] };
  const { output } = context;
  const { files, calls } = await planRestore(options);
  for (const line of planLines(files, calls)) output.line(line);
  const restored = flags.dryRun || (output.json && !flags.yes) ? [] : await restoreSome(files, options, flags, context);
  const kept = files.length - restored.length;
  if (files.length > 0 && !flags.dryRun)
    output.line(
      `restored ${formatCount(restored.length, 'file')}; ${formatCount(kept, 'file')} left as ${kept === 1 ? 'it is' : 'they are'}`,
    );
  return {
    files: files.map((file) => {
      const { path, state, reason } = file;
      return { path, state, reason, restored: restored.includes(file) };
    }),
    calls: calls.map(({ session, tool, arguments: text }) => ({ session, tool, title: callTitle(tool, text) })),
  };
}

function planLines(files: readonly RestorableFile[], calls: readonly UncertainCall[]): readonly Shown[] {
  if (files.length === 0 && calls.length === 0) return ['  no file was changed by tools since then'];
  const stuck = files.filter(({ state }) => state !== 'restorable');
  const ready = files.filter(({ state }) => state === 'restorable');
  return [
    ...(ready.length === 0 ? [] : [`  can be restored: ${ready.map(({ shown }) => shown).join(', ')}`]),
    ...stuck.map(({ shown, reason }): Shown => [withStyle('yellow', '  cannot be restored'), `: ${shown}: ${reason}`]),
    ...(calls.length === 0
      ? []
      : [`  ${formatCount(calls.length, 'call')} may have changed more files, which are not restored:`]),
    ...calls.map(({ tool, arguments: text }): Shown => ['    ', withStyle('dim', callTitle(tool, text))]),
  ];
}

async function restoreSome(
  files: readonly RestorableFile[],
  options: RestoreOptions,
  { yes }: RestoreFlags,
  context: CommandContext,
): Promise<readonly RestorableFile[]> {
  const restored: RestorableFile[] = [];
  let standing: RestoreAnswer | undefined = yes ? 'all' : undefined;
  for (const file of files.filter(({ state }) => state === 'restorable')) {
    try {
      const answer: RestoreAnswer = standing ?? (await ask(file, options, context));
      if (answer === 'all' || answer === 'none') standing = answer;
      if (answer === 'none') break;
      if (answer === 'no') continue;
      await restoreFile(file, options);
      restored.push(file);
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      context.output.note([withStyle('yellow', 'notice'), `: ${error.message}`]);
    }
  }
  return restored;
}

async function ask(
  file: RestorableFile,
  options: RestoreOptions,
  { input, signal }: CommandContext,
): Promise<RestoreAnswer> {
  const deletes = file.before === 'absent';
  return askToRestore({ name: file.shown, deletes, diff: await restoreDiff(file, options) }, { input, signal });
}
