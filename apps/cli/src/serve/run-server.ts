// Runs the server of all sessions until Ctrl-C.

import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

import { createSecrets, secretsOf } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import type { SessionServer } from '@tidemark/server';
import { openSessionServer } from '@tidemark/server';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';
import { VERSION } from '../frame/version.ts';
import { encoders } from '../reports/encoders.ts';
import type { SharedSimulator } from '../settings/simulator-server.ts';
import { createSharedSimulator } from '../settings/simulator-server.ts';
import { openAnalytics } from './open-analytics.ts';
import { findToken } from './server-token.ts';
import { createSessionOpener } from './session-opener.ts';
import { TOKEN_VARIABLE } from './token-variable.ts';

/** Options of `tidemark serve`. */
export interface ServeFlags extends AgentFlags {
  readonly port: number;
  readonly link?: true;
  readonly host: string;
  readonly expose?: boolean;
  readonly allowHost?: readonly string[];
  readonly folder?: readonly string[];
}

/** Opens the server, prints how to reach it, and closes it at Ctrl-C. */
export async function runServer(flags: ServeFlags, context: CommandContext): Promise<CommandOutcome> {
  const simulator = createSharedSimulator(flags.scenario);
  try {
    // A wrong scenario is then reported at the start, and not to the first client.
    if (flags.provider === 'simulator') await simulator.url();
    await serveUntilEnd(flags, simulator, context);
  } finally {
    await simulator.close();
  }
  return undefined;
}

async function serveUntilEnd(flags: ServeFlags, simulator: SharedSimulator, context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const { token, place } = await tokenOf(flags, context);
  const server = await openServer(flags, { token, simulator }, context);
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
}

function tokenOf({ expose = false }: ServeFlags, context: CommandContext): ReturnType<typeof findToken> {
  if (expose && (context.environment[TOKEN_VARIABLE] ?? '') === '')
    throw new CliError(
      'cli/usage',
      `--expose needs a token that you chose: ${TOKEN_VARIABLE} is not set`,
      `set ${TOKEN_VARIABLE} to at least 32 random characters`,
    );
  return findToken(context);
}

async function openServer(
  { port, host, expose = false, allowHost, folder, link: _link, ...flags }: ServeFlags,
  { token, simulator }: { readonly token: string; readonly simulator: SharedSimulator },
  context: CommandContext,
): Promise<SessionServer> {
  const { output } = context;
  const [first = context.folder, ...rest] = await Promise.all((folder ?? []).map((path) => realFolder(path, context)));
  return openSessionServer({
    log: await context.store(),
    opener: createSessionOpener({ flags, folders: [first, ...rest], simulator }, context),
    projection: await openAnalytics(context),
    encoders,
    mask: createSecrets({ values: secretsOf(context.environment) }).mask,
    token,
    version: VERSION,
    port,
    host,
    exposed: expose,
    onBug: (error) =>
      output.note([
        withStyle('red', 'error'),
        `: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\nThis is a bug in Tidemark: please report it with the lines above.`,
      ]),
    ...defined({ allowedHosts: allowHost }),
  });
}

async function realFolder(path: string, context: CommandContext): Promise<string> {
  return realpath(resolve(context.folder, path)).catch((cause: unknown) => {
    throw new CliError('cli/not-found', `the folder ${path} does not exist`, 'use an existing folder', cause);
  });
}

/**
 * Returns when the user or the system asks the server to end. It then has the time to record the ends of its turns. A
 * second SIGTERM ends the process at once.
 */
async function ended(signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const waits = { signal: AbortSignal.any([signal, stop.signal]) };
  try {
    await Promise.race([once(process, 'SIGTERM', waits), once(process, 'SIGHUP', waits)]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stop.abort();
  }
}
