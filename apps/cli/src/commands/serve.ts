// `tidemark serve`: runs the server of all sessions until Ctrl-C.

import { InvalidArgumentError } from 'commander';

import { declareAgentFlags } from '../arguments/agent-flags.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import type { ServeFlags } from '../serve/run-server.ts';
import { TOKEN_VARIABLE } from '../serve/token-variable.ts';

/** Command `tidemark serve`, which runs the server of all sessions until Ctrl-C. */
export const serve: Command = {
  name: 'serve',
  summary: 'run a server for all sessions: commands, live events and analytics over HTTP, until Ctrl-C',
  examples: [
    ['tidemark serve', 'on 127.0.0.1; prints its address, a one-time link and the place of the token'],
    ['tidemark serve --port 7440 --folder ~/work', 'new sessions can work in this folder and below'],
    ['tidemark serve --link', 'a new one-time link of the running server, for another browser'],
    ['tidemark serve --provider simulator', 'without a key: answers of a simulator'],
    ['tidemark serve --host 0.0.0.0 --expose --allow-host build-7', 'for other machines, behind a proxy with TLS'],
  ],
  declare: (command, run) =>
    void declareAgentFlags(
      command
        .option('--port <number>', 'port; 0 selects any free port', portOf, DEFAULT_PORT)
        .option('--link', 'print a new one-time link of the server that runs on this port, and end')
        .option('--host <address>', 'address to bind', '127.0.0.1')
        .option('--expose', 'allow an address that other machines can reach; needs a token in the environment')
        .option('--allow-host <name>', 'host name that clients use; name:port for one port (repeatable)', addTo)
        .option('--folder <path>', 'folder in which new sessions can work (repeatable). Default: this folder.', addTo),
    )
      .addHelpText('after', HELP)
      .action((flags: ServeFlags) => run((context) => start(flags, context))),
};

/** Default port. It stays the same, so that a page keeps its address when the server starts again. */
const DEFAULT_PORT = 7440;

const HELP = `
Every request needs the header "Authorization: Bearer <token>", except /health and the page, which contains no data.
The token is made at the first start and kept in the home, readable only by you. ${TOKEN_VARIABLE} replaces it.
The one-time link gives a browser the token. /openapi.json describes all requests.
The options for a model, a mode and so on are for new sessions. A session that another process has open is shown live
and cannot be changed. A session that is idle for a minute is closed, so that another process can continue it.`;

/** Loads the server only if it is needed, because each command loads this file. */
async function start(flags: ServeFlags, context: CommandContext): Promise<CommandOutcome> {
  if (flags.link !== true) return (await import('../serve/run-server.ts')).runServer(flags, context);
  return (await import('../serve/print-link.ts')).printLink(flags, context);
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Expected a port: a whole number from 0 to 65535.');
}

function addTo(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
