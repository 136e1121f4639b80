// Decides if a workspace's own settings, skills and memory may be used. The decision comes from an earlier answer, from
// `--trust` for one run, or from a question. The user is asked only at a terminal, and only one time.

import type { WorkspaceContents } from '@tidemark/settings';
import { canKeepTrust, judgeTrust, readBrought, recordTrust, SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { foldLine } from '../present/fold-line.ts';
import { isTooSmall, noticeRows, showPaged, TOO_SMALL } from '../present/show-paged.ts';
import { withStyle } from '../frame/shown.ts';
import type { FolderTrust } from './folder-trust.ts';
import { ownServers } from './own-settings.ts';
import { isInstructionsLine, tooLongToAsk, trustLines } from './trust-lines.ts';

/**
 * Returns true if the workspace is trusted. If there is no earlier answer for these contents, asks the user. If no
 * question can be asked, prints a notice with the reason. If the configuration is invalid, asks nothing, because
 * `readSettings` reports it.
 */
export async function trustIn(brought: WorkspaceContents, context: CommandContext): Promise<boolean> {
  const state = await judgeTrust(context.home, brought);
  if (state === 'trusted') return true;
  const lines = (await usableLines(brought, context)) ?? [];
  if (state === 'declined' || lines.length === 0) return false;
  const changed = state === 'changed';
  // Without trust the model finds and reads the instruction files itself, so nothing is lost and no notice is needed.
  const needsTrust = lines.some((line) => !isInstructionsLine(line));
  if (!canAsk(context) && !needsTrust) return false;
  if (!canAsk(context) || !(await canKeepTrust(context.home, brought.workspace))) {
    const why = changed ? 'they changed since the folder was trusted' : 'the folder is not trusted';
    return notUsed(`${why}; \`tidemark trust\` shows them and asks`, context);
  }
  const tooLong = tooLongToAsk(lines);
  if (tooLong !== undefined) return notUsed(`${tooLong}; ${LOOK}`, context);
  const decision = await askForTrust(brought, { lines, changed }, context);
  if (decision === undefined) return notUsed('they changed while the question was open', context);
  await recordTrust(context.home, brought, { decision, at: new Date().toISOString() });
  return decision === 'trusted';
}

/** Returns the state of a workspace. `trusted` is the user's decision about its contents. */
export async function folderTrust(
  { trusted, brought }: { readonly trusted: boolean; readonly brought?: WorkspaceContents | undefined },
  context: CommandContext,
): Promise<FolderTrust> {
  if (trusted || brought === undefined) return trusted ? 'trusted' : 'untrusted';
  const lines = await usableLines(brought, context);
  return lines === undefined || lines.length > 0 ? 'untrusted' : 'nothing';
}

/** Returns the lines of the question. Returns `undefined` if the configuration of the workspace is invalid. */
async function usableLines(
  brought: WorkspaceContents,
  context: CommandContext,
): Promise<readonly string[] | undefined> {
  try {
    return await trustLines(brought, await ownServers(context));
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

/** Advice for a folder whose list is too long for a question. */
export const LOOK = 'check .tidemark/config.json; `tidemark trust --yes` trusts the folder as it is';

/** Returns true if the user can be asked: the input is a terminal and the output is not JSON. */
export function canAsk({ input, output }: Pick<CommandContext, 'input' | 'output'>): boolean {
  return input.terminal && !output.json;
}

/**
 * Prints a notice with the reason why the contents of the folder are not used. Returns false, as the result of
 * `trustIn`.
 */
function notUsed(why: string, { output }: CommandContext): false {
  output.note([
    withStyle('yellow', 'notice'),
    `: the settings, skills and memory of this folder are not used, because ${why}`,
  ]);
  return false;
}

/**
 * Shows every line, page by page, and asks the user. If the answer after the last page is not a clear "yes", it counts
 * as declined. If the contents of the folder changed before the answer, returns `undefined`, because the answer was
 * given for other contents.
 *
 * @throws when the signal aborts, and the errors of `readBrought`.
 */
export async function askForTrust(
  { workspace, digest }: WorkspaceContents,
  { lines, changed }: { readonly lines: readonly string[]; readonly changed: boolean },
  { input, signal }: CommandContext,
): Promise<'trusted' | 'declined' | undefined> {
  const list = lines.length === 0 ? [NOTHING] : [changed ? CHANGED : BRINGS, ...lines.map(indentLine)];
  if (isTooSmall(input)) {
    input.show(TOO_SMALL);
    return 'declined';
  }
  const question = rowsOf(USE_IT, input.columns);
  // A question that does not fit below the last page is shown as a separate page.
  const fits = question.length + noticeRows(input) < input.rows;
  const rows = [...list.flatMap((line) => rowsOf(line, input.columns)), ...(fits ? [] : question)];
  const shown = await showPaged(rows, { input, signal, below: fits ? question.length : 1 });
  if (shown === 'stopped') return 'declined';
  const answer = await input.ask(fits ? USE_IT : 'y/n ', signal);
  if (!/^\s*y(es)?\s*$/i.test(answer)) return 'declined';
  return (await readBrought(workspace)).digest === digest ? 'trusted' : undefined;
}

const USE_IT = 'Use all of this from now on? Answer y only if you trust its author. (y/n) ';
const NOTHING = 'This folder contains nothing to trust yet. A yes allows memory files that an agent writes here later.';
const BRINGS = 'This folder contains files that control an agent:';
/** Also shown after an update of Tidemark, because the trust given to an earlier version covered fewer contents. */
const CHANGED = 'The files that control an agent here, or the rules for checking them, changed:';

/**
 * Splits a wide line into rows. Each row after the first begins with a mark, so no row can look like a separate line.
 */
function rowsOf(line: string, columns: number): readonly string[] {
  const width = Math.max(1, columns - 1);
  const mark = columns < NARROW ? '| ' : CONTINUED;
  const [first = ''] = foldLine(line, width);
  const rest = line.slice(first.length);
  return [
    first,
    ...(rest === '' ? [] : foldLine(rest, Math.max(1, width - mark.length)).map((row) => `${mark}${row}`)),
  ];
}

const CONTINUED = '    | ';
/** Number of columns below which the mark of a continued row is short. */
const NARROW = 20;

export function indentLine(line: string): string {
  return `  ${line}`;
}

/**
 * Makes a name safe to print, because an attacker may have chosen it. Each character except letters, digits, `.`, `_`
 * and `-` becomes `?`. The maximum length is 64 characters.
 */
export function oneName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]/gu, '?').slice(0, 64);
}
