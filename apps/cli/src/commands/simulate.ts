// `tidemark simulate`: runs the simulator on a port, for any client that uses a provider's wire format.

import { once } from 'node:events';

import { defined } from '@tidemark/core';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import type { SimulatorAddress } from '../settings/simulator-addresses.ts';
import { addressesOf } from '../settings/simulator-addresses.ts';
import { openSimulator } from '../settings/simulator-server.ts';

/** Command `tidemark simulate`, which runs the simulator on a port until Ctrl-C. */
export const simulate: Command = {
  name: 'simulate',
  summary: 'run the simulator of all providers on a port until Ctrl-C',
  examples: [
    ['tidemark simulate --port 8787', 'then use the printed address of the provider in a client'],
    ['tidemark simulate --scenario answers.json', 'with answers from a script, on any free port'],
    ['tidemark simulate --allow-host ci-worker', 'for clients that use this host name'],
    ['tidemark simulate --offer-server-tools', 'for Codex CLI, which offers web search by default'],
    ['tidemark simulate --virtual --json', 'with a clock that the calls set; the address as JSON'],
  ],
  declare: (command, run) =>
    void command
      .option('--port <number>', 'port on the loopback interface; 0 selects any free port', portOf, 0)
      .option('--virtual', 'use a clock that only the calls set, by the header x-tidemark-at (milliseconds since 1970)')
      .option('--scenario <file>', 'JSON script of the answers')
      .option('--offer-server-tools', 'accept tools that the provider runs, such as web search; they are never called')
      .option(
        '--allow-host <name>',
        'host name that clients use through a forwarded port; name:port for one port (repeatable)',
        addTo,
        [],
      )
      .addHelpText('after', LIMITS)
      .action((options: SimulateFlags) => run((context) => serve(options, context))),
};

/**
 * Text that `--help` prints after the options. The limits are literals here, because importing them would load the
 * whole server.
 */
const LIMITS = `
The simulator listens only on 127.0.0.1 and answers requests for 127.0.0.1 and localhost with its port. It refuses
requests from pages of other sites.
Limits: 32 MB for a request, 10 s for its headers, 60 s for the whole request, 512 connections. An answer has no time
limit.`;

interface SimulateFlags {
  readonly port: number;
  readonly allowHost: readonly string[];
  readonly virtual?: true;
  readonly offerServerTools?: true;
  readonly scenario?: string;
}

async function serve(options: SimulateFlags, context: CommandContext): Promise<CommandOutcome> {
  const clock = options.virtual === true ? 'virtual' : 'real';
  const serverTools = options.offerServerTools === true ? 'offered' : 'refused';
  const { port, scenario, allowHost } = options;
  const settings = { clock, serverTools } as const;
  const listening = await openSimulator(defined({ port, allowedHosts: allowHost, settings, scenario }));
  const addresses = addressesOf(listening.url);
  context.output.result({ url: listening.url, port: listening.port, clock, addresses }, () => [
    'the simulator listens on ',
    withStyle('cyan', listening.url),
    '; Ctrl-C ends it\n',
    ...addresses.flatMap(addressLine),
    'every key is accepted',
  ]);
  if (!context.signal.aborted) await once(context.signal, 'abort');
  await listening.close();
  return undefined;
}

function addressLine({ title, variable, url, flags }: SimulatorAddress): readonly Shown[] {
  const sdk = variable === undefined ? '' : `${variable}=${url}, or `;
  return [withStyle('bold', `${title}: `), `${sdk}${flags}\n`];
}

function addTo(name: string, names: readonly string[]): readonly string[] {
  return [...names, name];
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    throw new CliError('cli/usage', `${JSON.stringify(text)} is not a port`, 'use a number from 0 to 65535');
  }
  return port;
}
