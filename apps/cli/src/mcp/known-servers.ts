// Collects the MCP servers of all settings: those that a session in this folder uses, and those that it does not use,
// with the reason.

import { TOOL_BUDGET } from '@tidemark/kit';
import type { ServerSetting, SettingSource } from '@tidemark/settings';
import { serversInFile } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { settingsIn } from '../settings/settings-in.ts';
import { PROVIDER_NAMES, scopeOf } from './request.ts';

/** MCP server of the settings. */
export interface KnownServer {
  readonly name: string;
  readonly source: SettingSource;
  readonly place: string;
  readonly setting: ServerSetting;
  /** Reason why a session in this folder does not use the server. */
  readonly unused?: string;
}

/** MCP servers of all settings, and the budget for the definitions of their tools in estimated tokens. */
export interface KnownServers {
  /** Those in use first, sorted by name. */
  readonly servers: readonly KnownServer[];
  readonly toolBudget: number;
}

/** Reads the servers of all settings. */
export async function knownServers(flags: { readonly trust?: true }, context: CommandContext): Promise<KnownServers> {
  const { settings, serverSources, ignored } = await settingsIn(context.folder, flags, context);
  const { toolBudget = TOOL_BUDGET } = settings.mcp ?? {};
  const named = serverSources.flatMap(({ source, place, servers }) => entriesOf(servers, { source, place }));
  const used = named.filter((server) => named.find(({ name }) => name === server.name) === server);
  const hidden = named.filter((server) => !used.includes(server)).map((server) => ({ ...server, unused: REPLACED }));
  return {
    servers: [...used.toSorted(byName), ...hidden.toSorted(byName), ...(await untrustedServers(ignored, context))],
    toolBudget,
  };
}

/** Reads the servers as `knownServers` does, without a question about trust and without notices. */
export function knownServersSilently(context: CommandContext): Promise<KnownServers> {
  const { input, output } = context;
  return knownServers(
    {},
    { ...context, input: { ...input, terminal: false }, output: { ...output, note: () => undefined } },
  );
}

const REPLACED = 'nearer settings name a server with this name, which is used instead';

function byName(a: KnownServer, b: KnownServer): number {
  return a.name < b.name ? -1 : 1;
}

function entriesOf(
  servers: Readonly<Record<string, ServerSetting>>,
  rest: Omit<KnownServer, 'name' | 'setting'>,
): readonly KnownServer[] {
  return Object.entries(servers).map(([name, setting]) => ({ name, setting, ...rest }));
}

async function untrustedServers(
  ignored: readonly { readonly name: string; readonly place: string }[],
  context: CommandContext,
): Promise<readonly KnownServer[]> {
  const leaf = ignored.find(({ name }) => name === 'mcp.servers');
  if (leaf === undefined) return [];
  const servers = await serversInFile(scopeOf('workspace', context), PROVIDER_NAMES);
  const unused = 'the folder is not trusted';
  return entriesOf(servers, { source: 'workspace', place: leaf.place, unused }).toSorted(byName);
}

/**
 * Returns the server with this name.
 *
 * @throws CliError `cli/not-found` for an unknown name, and `cli/refused` for a server of a folder that is not trusted.
 */
export async function usableServer(
  name: string,
  flags: { readonly trust?: true },
  context: CommandContext,
): Promise<KnownServer & Pick<KnownServers, 'toolBudget'>> {
  const { servers, toolBudget } = await knownServers(flags, context);
  const named = servers.filter((server) => server.name === name);
  const server = named.find(({ unused }) => unused === undefined) ?? named[0];
  if (server === undefined) throw unknownServer(name, 'the settings');
  if (server.source === 'workspace' && server.unused !== undefined)
    throw new CliError(
      'cli/refused',
      `the MCP server ${name} was not started: ${server.unused}`,
      '`tidemark trust` shows its settings and asks',
    );
  return { ...server, toolBudget };
}

/** Error for a server that no settings name. */
export function unknownServer(name: string, where: string): CliError {
  return new CliError('cli/not-found', `${where} name no MCP server ${name}`, '`tidemark mcp list` lists the servers');
}
