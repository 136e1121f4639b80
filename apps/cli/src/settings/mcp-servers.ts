// Prepares the MCP servers of the settings for use: replaces names of variables by their values.

import { defined } from '@tidemark/core';
import type { AgentOptions, McpServer } from '@tidemark/kit';
import type { ServerSetting, ServerValue, Settings } from '@tidemark/settings';
import { openLogins } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { valueIn } from './key-presence.ts';

/** Returns the option `mcp` of an agent, or `undefined` if the settings name no server. */
export function mcpOptions(
  { mcp }: Settings,
  context: Pick<CommandContext, 'environment' | 'home' | 'keyring'>,
): AgentOptions['mcp'] {
  if (mcp?.servers === undefined) return undefined;
  const servers = Object.entries(mcp.servers).map(([name, setting]): [string, McpServer] => [
    name,
    resolveServer(setting, context.environment),
  ]);
  const { toolBudget } = mcp;
  return defined({ servers: Object.fromEntries(servers), authorizations: openLogins(context), toolBudget });
}

/**
 * Returns a server with the values of its variables. If a variable is not set, the server is `unavailable`: its tools
 * stay listed, and the session continues without it.
 */
export function resolveServer(setting: ServerSetting, environment: CommandContext['environment']): McpServer {
  const given = 'command' in setting ? setting.env : setting.headers;
  if (given === undefined) return withoutValues(setting);
  const missing: string[] = [];
  const values = Object.entries(given).map(([name, value]): [string, string] => {
    const found = textOf(value, environment);
    if (found === undefined && typeof value !== 'string') missing.push(value.variable);
    return [name, found ?? ''];
  });
  const resolved = Object.fromEntries(values);
  const server = withoutValues(setting);
  return {
    ...('command' in server ? { ...server, env: resolved } : { ...server, headers: resolved }),
    ...(missing.length > 0 && { unavailable: `it needs the variable ${missing.join(' and ')}, which is not set` }),
  };
}

function withoutValues(setting: ServerSetting): McpServer {
  if ('command' in setting) {
    const { env: _env, ...rest } = setting;
    return rest;
  }
  const { headers: _headers, ...rest } = setting;
  return rest;
}

function textOf(value: ServerValue, environment: CommandContext['environment']): string | undefined {
  if (typeof value === 'string') return value;
  const found = valueIn(environment, value.variable);
  return found === '' ? undefined : `${value.prefix ?? ''}${found}`;
}
