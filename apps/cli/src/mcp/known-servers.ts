// Collects the MCP servers of all settings: those that a session in this folder uses, and those that it does not use,
// with the reason.

import { TOOL_BUDGET } from '@tidemark/kit';
import type { ServerSetting, SettingSource } from '@tidemark/settings';
import { readSettings, serversInFile } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { settingsIn, settingsRequest } from '../settings/settings-in.ts';
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
  const { settings, effective, ignored } = await settingsIn(context.folder, flags, context);
  const { servers = {}, toolBudget = TOOL_BUDGET } = settings.mcp ?? {};
  const { source = 'default', place = '' } = effective.find(({ name }) => name === 'mcp.servers') ?? {};
  if (source !== 'workspace') {
    const used = entriesOf(servers, { source, place });
    return { servers: [...used, ...(await untrustedServers(ignored, context))], toolBudget };
  }
  return { servers: await joinedServers(servers, place, context), toolBudget };
}

/** Returns the servers of the user and of a trusted folder. Of two with one name, that of the folder is used. */
async function joinedServers(
  servers: Readonly<Record<string, ServerSetting>>,
  places: string,
  context: CommandContext,
): Promise<readonly KnownServer[]> {
  const ofFolder = new Set(Object.keys(await serversInFile(scopeOf('workspace', context), PROVIDER_NAMES)));
  const { settings, effective } = await readSettings({ ...settingsRequest(context), trusted: false });
  const { place = '' } = effective.find(({ name }) => name === 'mcp.servers') ?? {};
  const [placeOfFolder = ''] = places.split(', ', 1);
  const used = entriesOf(servers, { source: 'user', place }).map((server) =>
    ofFolder.has(server.name) ? { ...server, source: 'workspace' as const, place: placeOfFolder } : server,
  );
  const unused = 'the settings of this folder name a server with this name, which is used instead';
  const hidden = entriesOf(settings.mcp?.servers ?? {}, { source: 'user', place, unused });
  return [...used, ...hidden.filter(({ name }) => ofFolder.has(name))];
}

function entriesOf(
  servers: Readonly<Record<string, ServerSetting>>,
  rest: Omit<KnownServer, 'name' | 'setting'>,
): readonly KnownServer[] {
  return Object.entries(servers)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, setting]) => ({ name, setting, ...rest }));
}

async function untrustedServers(
  ignored: readonly { readonly name: string; readonly place: string }[],
  context: CommandContext,
): Promise<readonly KnownServer[]> {
  const leaf = ignored.find(({ name }) => name === 'mcp.servers');
  if (leaf === undefined) return [];
  const servers = await serversInFile(scopeOf('workspace', context), PROVIDER_NAMES);
  return entriesOf(servers, { source: 'workspace', place: leaf.place, unused: 'the folder is not trusted' });
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
