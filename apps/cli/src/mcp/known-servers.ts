// Collects the MCP servers of all settings: those that a session in this folder uses, and those that it does not use,
// with the reason.

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

/** Returns the servers of all settings, those in use first, sorted by name. */
export async function knownServers(
  flags: { readonly trust?: true },
  context: CommandContext,
): Promise<readonly KnownServer[]> {
  const { settings, effective, ignored } = await settingsIn(context.folder, flags, context);
  const inForce = effective.find(({ name }) => name === 'mcp.servers');
  const { source = 'default', place = '' } = inForce ?? {};
  const used = entriesOf(settings.mcp?.servers ?? {}, { source, place });
  return [...used, ...(await hiddenServers(source, context)), ...(await untrustedServers(ignored, context))];
}

function entriesOf(
  servers: Readonly<Record<string, ServerSetting>>,
  rest: Omit<KnownServer, 'name' | 'setting'>,
): readonly KnownServer[] {
  return Object.entries(servers)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, setting]) => ({ name, setting, ...rest }));
}

/** Returns the servers of the user's own settings, if the settings of the folder take precedence. */
async function hiddenServers(source: SettingSource, context: CommandContext): Promise<readonly KnownServer[]> {
  if (source !== 'workspace') return [];
  const { settings, effective } = await readSettings({ ...settingsRequest(context), trusted: false });
  const own = effective.find(({ name }) => name === 'mcp.servers');
  const unused = 'the settings of this folder name servers, and only those are used here';
  return entriesOf(settings.mcp?.servers ?? {}, { source: 'user', place: own?.place ?? '', unused });
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
): Promise<KnownServer> {
  const named = (await knownServers(flags, context)).filter((server) => server.name === name);
  const server = named.find(({ unused }) => unused === undefined) ?? named[0];
  if (server === undefined) throw unknownServer(name, 'the settings');
  if (server.source === 'workspace' && server.unused !== undefined)
    throw new CliError(
      'cli/refused',
      `the MCP server ${name} was not started: ${server.unused}`,
      '`tidemark trust` shows its settings and asks',
    );
  return server;
}

/** Error for a server that no settings name. */
export function unknownServer(name: string, where: string): CliError {
  return new CliError('cli/not-found', `${where} name no MCP server ${name}`, '`tidemark mcp list` lists the servers');
}
