// Whether what a workspace brings along may be used: as the user said before, as `--trust` says for this once, or asked, once,
// where somebody is there to be asked.

import type { WorkspaceContents } from '@tidemark/settings';
import { canKeepTrust, judgeTrust, readBrought, recordTrust, SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { foldLine } from '../present/fold-line.ts';
import { isTooSmall, noticeRows, showPaged, TOO_SMALL } from '../present/show-paged.ts';
import { withStyle } from '../frame/shown.ts';
import { tooLongToAsk, trustLines } from './trust-lines.ts';

/**
 * Returns true where the workspace is trusted. Where no one is asked, a notice names the reason. An unusable configuration is not
 * asked about; `readSettings` reports it.
 */
export async function trustIn(brought: WorkspaceContents, context: CommandContext): Promise<boolean> {
  const state = await judgeTrust(context.home, brought);
  if (state === 'trusted') return true;
  const lines = await usableLines(brought);
  if (state === 'declined' || lines.length === 0) return false;
  const changed = state === 'changed';
  if (!canAsk(context) || !(await canKeepTrust(context.home, brought.workspace))) {
    const why = changed ? 'it changed since it was trusted' : 'it is not trusted';
    return notUsed(`${why}; \`tidemark trust\` shows it`, context);
  }
  const tooLong = tooLongToAsk(lines);
  if (tooLong !== undefined) return notUsed(`${tooLong}; ${LOOK}`, context);
  const decision = await askForTrust(brought, { lines, changed }, context);
  if (decision === undefined) return notUsed('it changed while the question was open', context);
  await recordTrust(context.home, brought, { decision, at: new Date().toISOString() });
  return decision === 'trusted';
}

async function usableLines(brought: WorkspaceContents): Promise<readonly string[]> {
  try {
    return await trustLines(brought);
  } catch (error) {
    if (error instanceof SettingsError) return [];
    throw error;
  }
}

/** What to do with a folder whose list is too long for a question. */
export const LOOK = 'look at .tidemark/config.json; `tidemark trust --yes` trusts it as it is';

/** Returns true where a person can be asked. */
export function canAsk({ input, output }: Pick<CommandContext, 'input' | 'output'>): boolean {
  return input.terminal && !output.json;
}

/** Reports why it is not used, for the caller to return. */
function notUsed(why: string, { output }: CommandContext): false {
  output.note([withStyle('yellow', 'notice'), `: what this folder brings along is not used, because ${why}`]);
  return false;
}

/**
 * Shows every line, page by page, and asks. Anything but a clear yes after the last page is a no. `undefined`: what the folder
 * brings along changed before the answer, so the answer is for something else.
 *
 * @throws when the signal aborts, and as `readBrought` does.
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
  // A question that does not fit is a page of its own.
  const fits = question.length + noticeRows(input) < input.rows;
  const rows = [...list.flatMap((line) => rowsOf(line, input.columns)), ...(fits ? [] : question)];
  const shown = await showPaged(rows, { input, signal, below: fits ? question.length : 1 });
  if (shown === 'stopped') return 'declined';
  const answer = await input.ask(fits ? USE_IT : 'y/n ', signal);
  if (!/^\s*y(es)?\s*$/i.test(answer)) return 'declined';
  return (await readBrought(workspace)).digest === digest ? 'trusted' : undefined;
}

const USE_IT = 'Use it here, from now on? Only if you trust who wrote it. (y/n) ';
const NOTHING = 'This folder brings nothing along now. A yes allows memory files that an agent writes here later.';
const BRINGS = 'This folder brings along what acts on an agent:';
/** Trust of an earlier version is asked again too: it covered less. */
const CHANGED = 'What this folder brings along, or what of it is checked, has changed:';

/** A wide line goes on in rows that begin with a mark, so that none of them looks like a line of its own. */
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
/** Columns below which the mark of a row that goes on is short. */
const NARROW = 20;

/** Returns a line as it stands below the head of the question. */
export function indentLine(line: string): string {
  return `  ${line}`;
}

/** A name for people. It may be chosen by somebody who means harm. */
export function oneName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]/gu, '?').slice(0, 64);
}
