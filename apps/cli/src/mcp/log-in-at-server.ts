// `tidemark mcp login` and `logout`: logs the user in at an MCP server with an address, in the browser.

import { spawn } from 'node:child_process';

import type { McpServer } from '@tidemark/kit';
import { logIn } from '@tidemark/kit';
import { openLogins } from '@tidemark/settings';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { resolveServer } from '../settings/mcp-servers.ts';
import type { KnownServer } from './known-servers.ts';
import { usableServer } from './known-servers.ts';
import type { McpRequest } from './request.ts';
import { requireName, requireNoTarget } from './request.ts';

/** Logs the user in, and stores the tokens in the keyring, or in a file of the user if there is no keyring. */
export async function logInAtServer(request: McpRequest, context: CommandContext): Promise<CommandOutcome> {
  requireNoTarget(request, 'login');
  const name = requireName(request, 'login');
  const server = addressOf(await usableServer(name, request.flags, context), context);
  const state = await logIn({
    name,
    server,
    authorizations: openLogins(context),
    signal: context.signal,
    open: (page) => showPage(page, context),
  });
  context.output.result({ server: name, state }, () =>
    state === 'logged-in'
      ? `logged in at ${name}; \`tidemark mcp test ${name}\` connects to it`
      : `${name} accepts connections without a login`,
  );
  return undefined;
}

/** Removes the stored login. The server is not informed. */
export async function logOutAtServer(request: McpRequest, context: CommandContext): Promise<CommandOutcome> {
  requireNoTarget(request, 'logout');
  const name = requireName(request, 'logout');
  const { url } = addressOf(await usableServer(name, request.flags, context), context);
  const removed = await openLogins(context).remove(url);
  context.output.result({ server: name, removed }, () =>
    removed ? `the login at ${name} was removed from this machine` : `there is no login at ${name}`,
  );
  return undefined;
}

function addressOf(
  { name, setting }: KnownServer,
  { environment }: CommandContext,
): Extract<McpServer, { readonly url: string }> {
  const server = resolveServer(setting, environment);
  if ('url' in server) return server;
  throw new CliError(
    'cli/refused',
    `the MCP server ${name} is a program, and only a server with an address has a login`,
    'see the documentation of the program; `--env` of `tidemark mcp add` passes a variable to it',
  );
}

/** Prints the address of the page. At a terminal, also opens it in the browser. */
function showPage(page: URL, { output }: CommandContext): void {
  output.note(`log in on this page: ${page.href}`);
  if (!output.watched) return;
  const [command, ...args] = OPENERS.get(process.platform) ?? ['xdg-open'];
  if (command === undefined) return;
  const opener = spawn(command, [...args, page.href], { stdio: 'ignore', detached: true });
  // Without such a program, the user opens the printed address.
  opener.on('error', () => undefined);
  opener.unref();
}

const OPENERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
]);
