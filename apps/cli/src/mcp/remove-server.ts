// `tidemark mcp remove`: removes a server from the settings that name it.

import type { ServerScope } from '@tidemark/settings';
import { editServers, serversInFile } from '@tidemark/settings';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';
import { unknownServer } from './known-servers.ts';
import type { McpRequest } from './request.ts';
import { PROVIDER_NAMES, requireName, requireNoTarget, scopeOf } from './request.ts';

const SCOPES: readonly ServerScope['kind'][] = ['user', 'workspace'];

/** Removes a server. If both settings name it, the command line must name one of them. */
export async function removeServer(request: McpRequest, context: CommandContext): Promise<CommandOutcome> {
  requireNoTarget(request, 'remove');
  const name = requireName(request, 'remove');
  const kind = request.flags.scope ?? (await scopeWith(name, context));
  const { path, before } = await editServers(scopeOf(kind, context), name, { providers: PROVIDER_NAMES });
  if (before === undefined) throw unknownServer(name, `the ${kind} settings`);
  context.output.result({ server: name, scope: kind, path, removed: true }, () => [
    withStyle('green', 'removed'),
    ` ${name} from ${path}`,
  ]);
  return undefined;
}

async function scopeWith(name: string, context: CommandContext): Promise<ServerScope['kind']> {
  const found: ServerScope['kind'][] = [];
  for (const kind of SCOPES)
    if (Object.hasOwn(await serversInFile(scopeOf(kind, context), PROVIDER_NAMES), name)) found.push(kind);
  const [only = 'user', other] = found;
  if (other === undefined) return only;
  const message = `the user settings and the workspace settings name an MCP server ${name}`;
  throw new CliError('cli/usage', message, 'add `--scope user` or `--scope workspace`');
}
