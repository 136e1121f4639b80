// `tidemark grants`: lists and revokes the permissions granted for every session in a folder.

import { resolve } from 'node:path';

import { grantCovers, grantInWords } from '@tidemark/agent';
import type { GrantRecord } from '@tidemark/settings';
import { listGrants, revokeGrants } from '@tidemark/settings';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { markedText } from '../present/marked-text.ts';

/** Command `tidemark grants`, which lists or revokes the permissions granted for every session in a folder. */
export const grants: Command = {
  name: 'grants',
  summary: 'list or revoke the permissions that apply to every session in a folder',
  examples: [
    ['tidemark grants', 'the grants of this folder, with their numbers'],
    ['tidemark grants --revoke 2', 'revoke the second one; open sessions ask again'],
    ['tidemark grants --all ../shop', 'revoke every grant of that folder'],
  ],
  declare: (command, run) =>
    void command
      .argument('[folder]', 'folder. Default: the current folder.')
      .option('--revoke <number>', 'revoke the grant with this number')
      .option('--all', 'revoke every grant')
      .action((folder: string | undefined, flags: GrantsFlags) => run((context) => act(folder, flags, context))),
};

interface GrantsFlags {
  readonly revoke?: string;
  readonly all?: true;
}

async function act(
  folder: string | undefined,
  { revoke, all }: GrantsFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  const path = resolve(context.folder, folder ?? '.');
  if (revoke !== undefined && all === true)
    throw new CliError('cli/usage', '`--revoke` cannot be combined with `--all`', 'use one of them');
  if (revoke === undefined && all !== true) return list(path, context);
  const number = revoke === undefined ? undefined : numberIn(revoke);
  const revoked = await revokeGrants(context.home, path, (_, index) => number === undefined || index === number - 1);
  if (revoked.length === 0 && number !== undefined)
    throw new CliError(
      'cli/not-found',
      `${path} has no grant ${number}`,
      '`tidemark grants` lists the grants with their numbers',
    );
  report(path, revoked, context);
  return undefined;
}

function numberIn(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new CliError(
    'cli/usage',
    `\`--revoke ${text}\`: ${text} is not the number of a grant`,
    '`tidemark grants` lists the grants with their numbers',
  );
}

function report(folder: string, revoked: readonly GrantRecord[], { output }: CommandContext): void {
  output.result({ folder, revoked: revoked.map(({ grant }) => grant) }, () =>
    revoked.length === 0
      ? `${folder} has no grants`
      : revoked.map(({ grant }) => `revoked: ${markedText(grantInWords(grant))}`).join('\n'),
  );
}

async function list(folder: string, { home, output }: CommandContext): Promise<CommandOutcome> {
  const records = await listGrants(home, folder);
  if (output.json) output.result({ folder, grants: records }, () => '');
  else if (records.length === 0) output.line(`${folder} has no grants`);
  else
    output.table({
      head: ['number', 'granted', 'grant', 'covers'],
      // The text of a grant can contain invisible characters, as the call did that was allowed.
      rows: records.map(({ grant, at }, index) => [
        String(index + 1),
        at,
        markedText(grantInWords(grant)),
        markedText(grantCovers(grant)),
      ]),
    });
  return undefined;
}
