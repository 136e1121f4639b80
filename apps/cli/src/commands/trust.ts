// `tidemark trust`: lets the user decide if a folder's own settings, skills and memory may be used. The decision is
// stored outside the folder.

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { WorkspaceContents, TrustState } from '@tidemark/settings';
import { judgeTrust, listTrust, readBrought, recordTrust, revokeTrust } from '@tidemark/settings';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { ownServers } from '../settings/own-settings.ts';
import { askForTrust, canAsk, indentLine, LOOK } from '../settings/trust-in.ts';
import { tooLongToAsk, trustLines } from '../settings/trust-lines.ts';

/** Command `tidemark trust`. It trusts a folder, revokes the trust in a folder, or lists all decisions. */
export const trust: Command = {
  name: 'trust',
  summary: 'let a folder use its own settings, hooks, skills, agents, slash commands and memory',
  examples: [
    ['tidemark trust', 'this folder as it is now; at a terminal it asks first'],
    ['tidemark trust --yes ../shop', 'that folder, without a question'],
    ['tidemark trust --revoke', 'remove the decision about this folder'],
    ['tidemark trust --list', 'every folder with a decision'],
  ],
  declare: (command, run) =>
    void command
      .argument('[folder]', 'folder. Default: the current folder.')
      .option('--yes', 'trust the folder without a question')
      .option('--revoke', 'remove the decision about the folder')
      .option('--list', 'list the decisions about all folders')
      .addHelpText('after', WHAT_ASKS_AGAIN)
      .action((folder: string | undefined, flags: TrustFlags) => run((context) => act(folder, flags, context))),
};

/** Text that `--help` prints after the options. */
const WHAT_ASKS_AGAIN = `
A change of the settings, skills, agents, or files that a server or a hook starts ends the trust, and the folder is asked
about again. A change of slash commands, memory files, AGENTS.md or CLAUDE.md does not.`;

interface TrustFlags {
  readonly yes?: true;
  readonly revoke?: true;
  readonly list?: true;
}

function act(folder: string | undefined, flags: TrustFlags, context: CommandContext): Promise<CommandOutcome> {
  if (Object.keys(flags).filter((flag) => flag !== 'json').length > 1)
    throw new CliError('cli/usage', '`--yes`, `--revoke` and `--list` cannot be combined', 'use one of them');
  if (flags.list === true) return list(context);
  const path = resolve(context.folder, folder ?? '.');
  return flags.revoke === true ? revoke(path, context) : give(path, flags.yes === true, context);
}

async function give(path: string, isConfirmed: boolean, context: CommandContext): Promise<CommandOutcome> {
  await requireFolder(path);
  const brought = await readBrought(path);
  // The configuration is checked before an earlier decision is used. If the configuration cannot be used, it is refused
  // with the reason, and no decision is recorded.
  const lines = await trustLines(brought, await ownServers(context));
  const before = await judgeTrust(context.home, brought);
  if (before === 'trusted') return report(brought, before, context);
  const decision = isConfirmed
    ? noteAll(lines, context)
    : await ask(brought, { lines, changed: before === 'changed' }, context);
  await recordTrust(context.home, brought, { decision, at: new Date().toISOString() });
  return report(brought, decision, context);
}

async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  const message = found === undefined ? `the folder ${path} does not exist` : `${path} is not a folder`;
  throw new CliError('cli/not-found', message, 'check the path');
}

/**
 * Prints the lines, asks nothing, and returns `trusted`. If `tooLongToAsk` refuses the lines as too long for a
 * question, prints only its reason.
 */
function noteAll(lines: readonly string[], { output }: CommandContext): 'trusted' {
  const tooLong = tooLongToAsk(lines);
  for (const line of tooLong === undefined ? lines.map(indentLine) : [`not shown: ${tooLong}`]) output.note(line);
  return 'trusted';
}

async function ask(
  brought: WorkspaceContents,
  asked: Parameters<typeof askForTrust>[1],
  context: CommandContext,
): Promise<'trusted' | 'declined'> {
  const tooLong = tooLongToAsk(asked.lines);
  if (tooLong !== undefined)
    throw new CliError('cli/refused', `no question can be asked about ${brought.workspace}: ${tooLong}`, LOOK);
  if (!canAsk(context)) {
    noteAll(asked.lines, context);
    throw new CliError(
      'cli/usage',
      'no question can be asked here: a question needs a terminal, and no `--json`',
      'check the folder, then add `--yes`',
    );
  }
  const decision = await askForTrust(brought, asked, context);
  if (decision !== undefined) return decision;
  const message = `${brought.workspace} changed while the question was open: nothing was recorded`;
  throw new CliError('cli/refused', message, 'run `tidemark trust` again');
}

function report({ workspace, digest }: WorkspaceContents, state: TrustState, { output }: CommandContext): undefined {
  output.result({ workspace, state, digest }, () => `${workspace}: ${state}`);
}

async function revoke(path: string, { home, output }: CommandContext): Promise<CommandOutcome> {
  const revoked = await revokeTrust(home, path);
  output.result({ folder: path, revoked }, () => `${path}: ${revoked ? 'decision removed' : 'there was no decision'}`);
  return undefined;
}

async function list({ home, output }: CommandContext): Promise<CommandOutcome> {
  const workspaces = await listTrust(home);
  if (output.json) output.result({ workspaces }, () => '');
  else if (workspaces.length === 0) output.line('there is no decision about any folder');
  else
    output.table({
      head: ['decision', 'at', 'folder'],
      rows: workspaces.map(({ workspace, decision, at }) => [decision, at, workspace]),
    });
  return undefined;
}
