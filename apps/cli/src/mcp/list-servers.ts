// `tidemark mcp list`: every MCP server of the settings with its state and the size of its tools.

import type { ServerDefinitions } from '@tidemark/kit';
import { deferredServers } from '@tidemark/kit';
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
  const { servers: all, toolBudget } = await knownServers(request.flags, context);
  const { scope } = request.flags;
  const servers = all.filter(({ name, source }) => [undefined, name].includes(request.name) && fits(source, scope));
  if (request.name !== undefined && servers.length === 0)
    throw unknownServer(request.name, scope === undefined ? 'the settings' : `the ${scope} settings`);
  const tried = await Promise.all(
    servers.map(async (server) => (server.unused === undefined ? tryServer(server, context) : undefined)),
  );
  const listings = servers.map(({ name }, at) => ({ server: name, definitions: definitionsOf(tried[at]) }));
  // Only with all servers is it known which of them exceed the budget together.
  const isWhole = request.name === undefined && scope === undefined;
  const deferred = isWhole ? deferredServers(toolBudget, listings) : [];
  const rows = servers.map((server, at) => ({
    server,
    tried: tried[at],
    isDeferred: server.unused === undefined && deferred.includes(server.name),
  }));
  if (context.output.json) context.output.result({ servers: rows.map(jsonOf) }, () => '');
  else if (rows.length === 0) context.output.line('no settings name an MCP server; `tidemark mcp add` adds one');
  else
    context.output.table({
      head: ['server', 'from', 'state', 'tools', 'tokens', 'reached by'],
      rows: rows.map((row) => [
        row.server.name,
        row.server.source,
        stateOf(row),
        ...sizesOf(row.tried),
        targetOf(row.server),
      ]),
      narrowing: [
        { column: 'reached by', least: 20 },
        { column: 'state', least: 24 },
        { column: 'from', leftOut: true },
      ],
    });
  if (!context.output.json && deferred.length > 0)
    context.output.line(
      `deferred: together the tools exceed the budget of ${formatNumber(toolBudget)} tokens (\`mcp.toolBudget\`), so a session finds these with tool_search`,
    );
  return undefined;
}

interface ListedServer {
  readonly server: KnownServer;
  readonly tried: TriedServer | undefined;
  /** True if a new session would find its tools with `tool_search`. */
  readonly isDeferred: boolean;
}

function definitionsOf(tried: TriedServer | undefined): ServerDefinitions['definitions'] {
  return tried !== undefined && 'definitions' in tried ? tried.definitions : undefined;
}

function fits(source: string, scope: string | undefined): boolean {
  return scope === undefined || source === scope;
}

function jsonOf({ server, tried, isDeferred }: ListedServer): object {
  const { name, source, place, setting, unused } = server;
  return {
    name,
    source,
    place,
    state: unused === undefined ? (tried !== undefined && 'inspected' in tried ? 'connected' : 'failed') : 'unused',
    setting: showable(setting),
    ...(unused !== undefined && { reason: unused }),
    ...(tried !== undefined && 'problem' in tried && { reason: tried.problem, next: tried.next }),
    ...(tried !== undefined &&
      'inspected' in tried && {
        tools: tried.definitions.length,
        tokens: tried.tokens,
        ...(isDeferred && { deferred: true }),
      }),
  };
}

function stateOf({ server: { unused }, tried, isDeferred }: ListedServer): string {
  if (unused !== undefined) return `not used: ${unused}`;
  if (tried !== undefined && 'problem' in tried) return tried.problem;
  return isDeferred ? 'connected, deferred' : 'connected';
}

function sizesOf(tried: TriedServer | undefined): readonly [string, string] {
  if (tried === undefined || !('inspected' in tried)) return ['', ''];
  return [formatNumber(tried.definitions.length), `about ${formatNumber(tried.tokens)}`];
}

function targetOf({ setting }: KnownServer): string {
  const shown = showable(setting);
  if (typeof shown !== 'object' || shown === null) return '';
  if ('url' in shown) return String(shown.url);
  const args = 'args' in shown && Array.isArray(shown.args) ? shown.args.map(String) : [];
  return ['command' in shown ? String(shown.command) : '', ...args].join(' ');
}
