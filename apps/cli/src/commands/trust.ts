// `tidemark trust`: whether what a folder brings along may be used, said by the user and kept outside of it.

import { resolve } from 'node:path';

import type { Brought, TrustState } from '@tidemark/settings';
import { judgeTrust, listTrust, readBrought, recordTrust, revokeTrust } from '@tidemark/settings';

import type { Command, CommandContext, Outcome } from '../command.ts';
import { CliError } from '../failure.ts';
import { wordsOf } from '../trust-in.ts';

/** Trusts a folder, forgets that, or lists what was said. */
export const trust: Command = {
  name: 'trust',
  summary: 'allow a folder its own settings, skills and memory; asked again when they change',
  examples: [
    ['tidemark trust', 'this folder, as it is now; at a terminal it is asked first'],
    ['tidemark trust --yes ../shop', 'that folder, without a question'],
    ['tidemark trust --revoke', 'forget what was said of this folder'],
    ['tidemark trust --list', 'every folder of which something was said'],
  ],
  declare: (command, run) =>
    void command
      .argument('[folder]', 'the folder; this one unless said')
      .option('--yes', 'without a question')
      .option('--revoke', 'forget what was said of it')
      .option('--list', 'list what was said of every folder')
      .action((folder: string | undefined, flags: Flags) => run((context) => act(folder, flags, context))),
};

interface Flags {
  readonly yes?: true;
  readonly revoke?: true;
  readonly list?: true;
}

function act(folder: string | undefined, flags: Flags, context: CommandContext): Promise<Outcome> {
  if (Object.keys(flags).filter((flag) => flag !== 'json').length > 1)
    throw new CliError('cli/usage', '--yes, --revoke and --list are three commands', 'give one of them');
  if (flags.list === true) return list(context);
  const path = resolve(context.folder, folder ?? '.');
  return flags.revoke === true ? revoke(path, context) : give(path, flags.yes === true, context);
}

async function give(path: string, said: boolean, context: CommandContext): Promise<Outcome> {
  const brought = await readBrought(path);
  const before = await judgeTrust(context.home, brought);
  if (before === 'trusted') return report(brought, before, context);
  const decision = said || (await isWanted(brought, context)) ? 'trusted' : 'declined';
  await recordTrust(context.home, brought, { decision, at: new Date().toISOString() });
  return report(brought, decision, context);
}

async function isWanted(brought: Brought, { input, output, signal }: CommandContext): Promise<boolean> {
  const asks = input.terminal && !output.json;
  for (const line of wordsOf(brought)) (asks ? output.line : output.note)(`  ${line}`);
  if (!asks) throw new CliError('cli/usage', 'nobody can be asked here', 'look the folder through, then say --yes');
  return /^\s*y(es)?\s*$/i.test(await input.ask('Use it here, from now on? (y/n) ', signal));
}

function report({ workspace, digest }: Brought, state: TrustState, { output }: CommandContext): undefined {
  output.result({ workspace, state, digest }, () => `${workspace}: ${state}`);
}

async function revoke(path: string, { home, output }: CommandContext): Promise<Outcome> {
  const revoked = await revokeTrust(home, path);
  output.result({ folder: path, revoked }, () => `${path}: ${revoked ? 'forgotten' : 'nothing was said of it'}`);
  return undefined;
}

async function list({ home, output }: CommandContext): Promise<Outcome> {
  const workspaces = await listTrust(home);
  if (output.json) output.result({ workspaces }, () => '');
  else if (workspaces.length === 0) output.line('nothing was said of any folder');
  else
    output.table({
      head: ['said', 'at', 'folder'],
      rows: workspaces.map(({ workspace, decision, at }) => [decision, at, workspace]),
    });
  return undefined;
}
