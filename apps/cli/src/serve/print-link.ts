// Prints a new one-time link of a server that runs.

import { answerOf, createSessionClient, RequestError } from '@tidemark/client';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';
import type { ServeFlags } from './run-server.ts';
import { findToken } from './server-token.ts';

/** Asks the server on the port of this machine for a link, and prints it. */
export async function printLink({ port }: ServeFlags, context: CommandContext): Promise<CommandOutcome> {
  const { token } = await findToken(context);
  const url = `http://127.0.0.1:${port}`;
  const { code } = await answerOf(createSessionClient({ url, token }).POST('/links')).catch((error: unknown) => {
    throw refusalOf(error, url);
  });
  const link = `${url}/#code=${code}`;
  context.output.result({ ok: true, link }, () => ['open once within ten minutes: ', withStyle('cyan', link)]);
  return undefined;
}

function refusalOf(error: unknown, url: string): CliError {
  if (error instanceof RequestError)
    return new CliError('cli/refused', `the server at ${url} refused: ${error.message}`, error.next, error);
  return new CliError(
    'cli/not-found',
    `no server answers at ${url}`,
    'start it with `tidemark serve`, or name its port with `--port`',
    error,
  );
}
