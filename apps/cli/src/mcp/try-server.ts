// Connects to one MCP server of the settings, and measures what it offers. Secrets in the words of a server are masked.

import { createSecrets, secretsOf } from '@tidemark/agent';
import { estimateTokens } from '@tidemark/context';
import type { InspectedServer, McpServer } from '@tidemark/kit';
import { inspectServer, McpError } from '@tidemark/kit';
import { openLogins } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { resolveServer } from '../settings/mcp-servers.ts';
import type { KnownServer } from './known-servers.ts';

/** Server that was reached, or the reason why it was not. */
export type TriedServer =
  | {
      readonly inspected: InspectedServer;
      /** Definitions of the tools that a session can use. */
      readonly definitions: readonly InspectedServer['tools'][number]['definition'][];
      /** Estimated tokens of these definitions. */
      readonly tokens: number;
    }
  | { readonly problem: string; readonly next: string };

/** Connects to a server and returns its offer with the estimated tokens of its tools. */
export async function tryServer({ name, setting }: KnownServer, context: CommandContext): Promise<TriedServer> {
  const server = resolveServer(setting, context.environment);
  try {
    const inspected = await inspectServer(name, server, {
      signal: context.signal,
      authorizations: openLogins(context),
    });
    const usable = inspected.tools.filter(({ problem }) => problem === undefined);
    const tokens = usable.reduce((sum, { text }) => sum + estimateTokens(text), 0);
    return { inspected, definitions: usable.map(({ definition }) => definition), tokens };
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { problem: await masked(error.message, server, context), next: nextStep(name, error.message, server) };
  }
}

async function masked(text: string, server: McpServer, { environment }: CommandContext): Promise<string> {
  const values = ('command' in server ? server.env : server.headers) ?? {};
  return createSecrets({ values: [...secretsOf(environment), ...secretsOf(values)] }).mask(text);
}

function nextStep(name: string, message: string, server: McpServer): string {
  if (server.unavailable !== undefined) return 'set the variable, then run the command again';
  if ('url' in server) {
    if (/\b40[13]\b|unauthorized|log in again/i.test(message))
      return `\`tidemark mcp login ${name}\`, or add a token with --header 'Authorization: Bearer $VARIABLE'`;
    return `check the address ${new URL(server.url).origin}, and that the server speaks streamable HTTP`;
  }
  if (message.includes('ENOENT'))
    return server.cwd === undefined
      ? `install ${server.command}, or name it with its full path`
      : `install ${server.command} or name it with its full path, and check that the folder ${server.cwd} exists`;
  return 'run the command of the server in a terminal and read its output';
}
