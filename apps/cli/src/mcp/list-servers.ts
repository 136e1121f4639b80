// `tidemark mcp list`: every MCP server of the settings with its state and the size of its tools.

import { showable } from '@tidemark/settings';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { formatNumber } from '../frame/numbers.ts';
import type { KnownServer } from './known-servers.ts';
import { knownServers, unknownServer } from './known-servers.ts';
import type { McpRequest } from './request.ts';
import { requireNoTarget } from './request.ts';
import type { TriedServer } from './try-server.ts';
import { tryServer } from './try-server.ts';

/** Lists the servers. Connects to each server that a session in this folder would use. */
export async function listServers(request: McpRequest, context: CommandContext): Promise<CommandOutcome> {
  requireNoTarget(request, 'list');
  const all = await knownServers(request.flags, context);
  const { scope } = request.flags;
  const servers = all.filter(({ name, source }) => [undefined, name].includes(request.name) && fits(source, scope));
  if (request.name !== undefined && servers.length === 0)
    throw unknownServer(request.name, scope === undefined ? 'the settings' : `the ${scope} settings`);
  const tried = await Promise.all(
    servers.map(async (server) => (server.unused === undefined ? tryServer(server, context) : undefined)),
  );
  const rows = servers.map((server, at) => ({ server, tried: tried[at] }));
  if (context.output.json) context.output.result({ servers: rows.map(jsonOf) }, () => '');
  else if (rows.length === 0) context.output.line('no settings name an MCP server; `tidemark mcp add` adds one');
  else
    context.output.table({
      head: ['server', 'from', 'state', 'tools', 'tokens', 'reached by'],
      rows: rows.map(({ server, tried: one }) => [
        server.name,
        server.source,
        stateOf(server, one),
        ...sizesOf(one),
        targetOf(server),
      ]),
    });
  return undefined;
}

interface ListedServer {
  readonly server: KnownServer;
  readonly tried: TriedServer | undefined;
}

function fits(source: string, scope: string | undefined): boolean {
  return scope === undefined || source === scope;
}

function jsonOf({ server, tried }: ListedServer): object {
  const { name, source, place, setting, unused } = server;
  return {
    name,
    source,
    place,
    state: unused === undefined ? (tried !== undefined && 'inspected' in tried ? 'connected' : 'failed') : 'unused',
    setting: showable(setting),
    ...(unused !== undefined && { reason: unused }),
    ...(tried !== undefined && 'problem' in tried && { reason: tried.problem, next: tried.next }),
    ...(tried !== undefined && 'inspected' in tried && { tools: tried.inspected.tools.length, tokens: tried.tokens }),
  };
}

function stateOf({ unused }: KnownServer, tried: TriedServer | undefined): string {
  if (unused !== undefined) return `not used: ${unused}`;
  return tried !== undefined && 'problem' in tried ? tried.problem : 'connected';
}

function sizesOf(tried: TriedServer | undefined): readonly [string, string] {
  if (tried === undefined || !('inspected' in tried)) return ['', ''];
  return [formatNumber(tried.inspected.tools.length), `about ${formatNumber(tried.tokens)}`];
}

function targetOf({ setting }: KnownServer): string {
  const shown = showable(setting);
  if (typeof shown !== 'object' || shown === null) return '';
  if ('url' in shown) return String(shown.url);
  const args = 'args' in shown && Array.isArray(shown.args) ? shown.args.map(String) : [];
  return ['command' in shown ? String(shown.command) : '', ...args].join(' ');
}
