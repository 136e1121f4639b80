// `tidemark mcp add`: writes a server into the user's settings or those of the folder.

import type { ServerSetting } from '@tidemark/settings';
import { editServers, isStorableServerName, serversInFile } from '@tidemark/settings';

import { requireNoServerSecrets } from '../arguments/server-values.ts';
import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';
import type { McpRequest } from './request.ts';
import { PROVIDER_NAMES, requireName, scopeOf } from './request.ts';

/** Adds a server. A server with the same name in the same settings is not replaced. */
export async function addServer(request: McpRequest, context: CommandContext): Promise<CommandOutcome> {
  const name = requireName(request, 'add');
  requireStorable(name);
  const setting = settingOf(request);
  const { scope: kind = 'user', header = [], env = [] } = request.flags;
  await requireNoServerSecrets(request.target, [...header, ...env]);
  const scope = scopeOf(kind, context);
  if (Object.hasOwn(await serversInFile(scope, PROVIDER_NAMES), name))
    throw new CliError(
      'cli/refused',
      `the ${kind} settings already name an MCP server ${name}`,
      `\`tidemark mcp remove ${name} --scope ${kind}\` removes it, or choose another name`,
    );
  const { path } = await editServers(scope, name, { setting, providers: PROVIDER_NAMES });
  const hidden = kind === 'user' && Object.hasOwn(await workspaceServers(context), name);
  context.output.result({ server: name, scope: kind, path, setting, ...(hidden && { hidden }) }, () => [
    withStyle('green', 'added'),
    ` ${name} to ${path}\n`,
    ...(hidden
      ? [`the settings of this folder also name a server ${name}, which is used in this folder instead\n`]
      : []),
    kind === 'workspace'
      ? `\`tidemark trust\` lets the folder use it; \`tidemark mcp test ${name}\` connects to it`
      : `\`tidemark mcp test ${name}\` connects to it`,
  ]);
  return undefined;
}

/** @throws CliError `cli/usage` for a name that the settings cannot contain. */
function requireStorable(name: string): void {
  if (isStorableServerName(name)) return;
  throw new CliError(
    'cli/usage',
    `${JSON.stringify(name)} cannot be the name of a server`,
    'expected a server name of 1 to 32 letters, digits, "-", or single "_" between them, other than `constructor` and `prototype`',
  );
}

/** Returns the servers of the folder, or an empty record if its configuration cannot be read. */
async function workspaceServers(context: CommandContext): Promise<Readonly<Record<string, ServerSetting>>> {
  return serversInFile(scopeOf('workspace', context), PROVIDER_NAMES).catch(() => ({}));
}

function settingOf({ target, flags: { header = [], env = [] } }: McpRequest): ServerSetting {
  const [first, ...rest] = target;
  if (first === undefined)
    throw new CliError(
      'cli/usage',
      'the address or the command of the server is missing',
      'add an address such as https://shop.example/mcp, or `-- <command> [args…]`',
    );
  const isAddress = rest.length === 0 && /^https?:\/\//i.test(first);
  if (!isAddress && first.includes('://'))
    throw new CliError(
      'cli/usage',
      `${JSON.stringify(first)} is neither one http or https address nor a command`,
      'add an address such as https://shop.example/mcp, or `-- <command> [args…]`',
    );
  if (isAddress && env.length > 0)
    throw new CliError('cli/usage', '`--env` is for a program, and the server has an address', 'use `--header`');
  if (!isAddress && header.length > 0)
    throw new CliError('cli/usage', '`--header` is for an address, and the server is a program', 'use `--env`');
  if (isAddress) return { url: first, ...(header.length > 0 && { headers: Object.fromEntries(header) }) };
  return {
    command: first,
    ...(rest.length > 0 && { args: rest }),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
  };
}
