// `tidemark serve`: runs the server of all sessions until Ctrl-C.

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

import { defined } from '@tidemark/core';
import { openSessionServer } from '@tidemark/server';
import { InvalidArgumentError } from 'commander';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { declareAgentFlags } from '../arguments/agent-flags.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';
import { VERSION } from '../frame/version.ts';
import { encoders } from '../reports/encoders.ts';
import { openAnalytics } from '../serve/open-analytics.ts';
import { findToken, TOKEN_VARIABLE } from '../serve/server-token.ts';
import { createSessionOpener } from '../serve/session-opener.ts';

/** Command `tidemark serve`, which runs the server of all sessions until Ctrl-C. */
export const serve: Command = {
  name: 'serve',
  summary: 'run a server for all sessions: commands, live events and analytics over HTTP, until Ctrl-C',
  examples: [
    ['tidemark serve', 'on 127.0.0.1; prints its address, a one-time link and the place of the token'],
    ['tidemark serve --port 7440 --folder ~/work', 'new sessions can work in this folder and below'],
    ['tidemark serve --provider simulator', 'without a key: answers of a simulator'],
    ['tidemark serve --host 0.0.0.0 --expose --allow-host build-7', 'for other machines, behind a proxy with TLS'],
  ],
  declare: (command, run) =>
    void declareAgentFlags(
      command
        .option('--port <number>', 'port; 0 selects any free port', portOf, DEFAULT_PORT)
        .option('--host <address>', 'address to bind', '127.0.0.1')
        .option('--expose', 'allow an address that other machines can reach; needs a token in the environment')
        .option('--allow-host <name>', 'host name that clients use; name:port for one port (repeatable)', addTo)
        .option('--folder <path>', 'folder in which new sessions can work (repeatable). Default: this folder.', addTo),
    )
      .addHelpText('after', HELP)
      .action((flags: ServeFlags) => run((context) => runServer(flags, context))),
};

/** Default port. It stays the same, so that a page keeps its address when the server starts again. */
const DEFAULT_PORT = 7440;

const HELP = `
Every request needs the header "Authorization: Bearer <token>", except /health. The token is made at the first start and
kept in the home, readable only by you. ${TOKEN_VARIABLE} replaces it. The one-time link gives a browser the token.
/openapi.json describes all requests.
The options for a model, a mode and so on are for new sessions. A session that another process has open is shown live
and cannot be changed. A session that is idle for a minute is closed, so that another process can continue it.`;

interface ServeFlags extends AgentFlags {
  readonly port: number;
  readonly host: string;
  readonly expose?: boolean;
  readonly allowHost?: readonly string[];
  readonly folder?: readonly string[];
}

async function runServer(
  { port, host, expose = false, allowHost, folder, ...flags }: ServeFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  const { output, signal } = context;
  if (expose && (context.environment[TOKEN_VARIABLE] ?? '') === '')
    throw new CliError(
      'cli/usage',
      `--expose needs a token that you chose: ${TOKEN_VARIABLE} is not set`,
      `set ${TOKEN_VARIABLE} to at least 32 random characters`,
    );
  const { token, place } = await findToken(context);
  const [first = context.folder, ...rest] = await Promise.all((folder ?? []).map((path) => realFolder(path, context)));
  const server = await openSessionServer({
    log: await context.store(),
    opener: createSessionOpener({ flags, folders: [first, ...rest] }, context),
    projection: await openAnalytics(context),
    encoders,
    token,
    version: VERSION,
    port,
    host,
    exposed: expose,
    ...defined({ allowedHosts: allowHost }),
  });
  try {
    const { url } = server;
    const link = server.createLink();
    output.result({ ok: true, url, link, token: place }, () => ['listening on ', withStyle('cyan', url)]);
    output.line(['open once within ten minutes: ', withStyle('cyan', link)]);
    output.line(['token: ', place]);
    await ended(signal);
  } finally {
    output.note(withStyle('dim', 'ending the turns …'));
    await server.close();
  }
  return undefined;
}

async function realFolder(path: string, context: CommandContext): Promise<string> {
  return realpath(resolve(context.folder, path)).catch((cause: unknown) => {
    throw new CliError('cli/not-found', `the folder ${path} does not exist`, 'use an existing folder', cause);
  });
}

function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolved) => signal.addEventListener('abort', () => resolved(), { once: true }));
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Expected a port: a whole number from 0 to 65535.');
}

function addTo(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
