// `tidemark simulate`: runs the simulator on a port. Any client that uses a provider's wire format can call it.
// Alternatively, it serves one command whose environment contains the addresses.

import { once } from 'node:events';
import { resolve } from 'node:path';

import { defined } from '@tidemark/core';
import type { ListeningSimulator, RunThresholds, Simulator } from '@tidemark/simulator';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { EXIT } from '../frame/exit-codes.ts';
import { CliError } from '../frame/failure.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import type { SimulatorAddress } from '../settings/simulator-addresses.ts';
import { addressesOf } from '../settings/simulator-addresses.ts';
import { runSimulated } from '../settings/simulated-command.ts';
import type { SimulatorLog } from '../settings/simulator-log.ts';
import { openSimulatorLog } from '../settings/simulator-log.ts';
import { startSimulator } from '../settings/simulator-server.ts';
import { problemsOf, reportValue, showReport } from '../reports/simulator-report.ts';

/** Command `tidemark simulate`, which runs the simulator on a port until Ctrl-C or until a command has ended. */
export const simulate: Command = {
  name: 'simulate',
  summary: 'run the simulator of all providers on a port until Ctrl-C, or while a command runs',
  examples: [
    ['tidemark simulate --port 8787', 'then use the printed address of the provider in a client'],
    ['tidemark simulate --scenario answers.json', 'with answers from a script, on any free port'],
    ['tidemark simulate --allow-host ci-worker', 'for clients that use this host name'],
    ['tidemark simulate --offer-server-tools', 'for Codex CLI, which offers web search by default'],
    ['tidemark simulate --scenario answers.json --strict -- npm test', 'for one command, with a check at its end'],
    ['tidemark simulate --min-hit-rate 0.8 -- npm test', 'fail if less than 80% of the input is read from the cache'],
    ['tidemark simulate -- tidemark "fix the test"', 'for Tidemark itself: every provider is the simulator'],
    ['tidemark simulate --virtual --json', 'with a clock that the calls set; the address as JSON'],
  ],
  declare: (command, run) =>
    void command
      .argument('[command...]', 'command to run, after --; its environment contains the addresses, and no real key')
      .option('--port <number>', 'port on the loopback interface; 0 selects any free port', portOf, 0)
      .option('--virtual', 'use a clock that only the calls set, by the header x-tidemark-at (milliseconds since 1970)')
      .option('--scenario <file>', 'JSON script of the answers, as steps or as routes')
      .option('--offer-server-tools', 'accept tools that the provider runs, such as web search; they are never called')
      .option(
        '--allow-host <name>',
        'host name that clients use through a forwarded port; name:port for one port (repeatable)',
        addTo,
      )
      .option('--log <file>', 'add a JSON line for each call to this file')
      .option('--log-bodies', 'with --log: also write the body and the headers of each call, without keys')
      .option('--strict', 'fail if a step was not played, a call matched nothing or a request was refused')
      .option(
        '--min-hit-rate <rate>',
        'fail if the part of the input that was read from the cache is below this (0 to 1)',
        rateOf,
      )
      .option('--max-cost <dollars>', 'fail if the calls cost more, or if their price is unknown', dollarsOf)
      .addHelpText('after', LIMITS)
      .action((words: readonly string[], options: SimulateFlags) => run((context) => serve(words, options, context))),
};

/**
 * Text that `--help` prints after the options. The limits are literals here, because an import of them would load the
 * whole server.
 */
const LIMITS = `
The simulator listens only on 127.0.0.1 and answers requests for 127.0.0.1 and localhost with its port. It refuses
requests from pages of other sites.
The command after -- gets its addresses in ANTHROPIC_BASE_URL and OPENAI_BASE_URL, which the SDKs of the providers read,
and in TIDEMARK_SIMULATOR_URL, with which every tidemark command calls the simulator in place of its provider.
--base-url and --scenario of that tidemark command come first.
The hit rate is the input tokens read from the cache, divided by all input tokens: read, written and neither, of the
answered calls. The cost uses the prices of the catalog as exact decimals. If a call has no known price, the cost is
unknown and --max-cost fails.
The exit code is that of the command if the command failed. Otherwise it is 1 if a check failed or the log is not
complete, and 0 if not. Ctrl-C without a check gives 130.
Limits: 32 MB for a request, 10 s for its headers, 60 s for the whole request, 512 connections. An answer has no time
limit.`;

interface SimulateFlags {
  readonly port: number;
  readonly allowHost?: readonly string[];
  readonly virtual?: true;
  readonly offerServerTools?: true;
  readonly scenario?: string;
  readonly log?: string;
  readonly logBodies?: true;
  readonly strict?: true;
  readonly minHitRate?: string;
  readonly maxCost?: string;
}

async function serve(
  words: readonly string[],
  options: SimulateFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  checkLine(words, options, context);
  const log =
    options.log === undefined
      ? undefined
      : openSimulatorLog(resolve(context.folder, options.log), options.logBodies === true);
  try {
    const { simulator, listening } = await open(options, log, words.length > 0 || isChecked(options));
    const exit = await (words.length === 0 ? waitForEnd : runCommand)(words, options, context, listening);
    await listening.close();
    const hasCommand = words.length > 0;
    const ended = { exit, hasCommand, ...defined({ logProblem: log?.problem }) };
    return hasCommand || isChecked(options) || log?.problem !== undefined
      ? conclude(simulator, options, context, ended)
      : undefined;
  } finally {
    log?.close();
  }
}

function checkLine(words: readonly string[], options: SimulateFlags, { line }: CommandContext): void {
  if (options.logBodies === true && options.log === undefined)
    throw new CliError('cli/usage', '--log-bodies needs --log', 'add --log <file>');
  // A script may pass an empty variable after `--`. It must not start a server that never ends.
  if (words.length === 0 ? line.at(-1) === '--' : words[0] === '')
    throw new CliError('cli/usage', 'no command follows --', 'name the command, or remove -- to serve clients');
}

function open(
  options: SimulateFlags,
  log: SimulatorLog | undefined,
  explainMisses: boolean,
): Promise<{ readonly simulator: Simulator; readonly listening: ListeningSimulator }> {
  const { port, scenario, allowHost } = options;
  const settings = {
    clock: clockOf(options),
    serverTools: options.offerServerTools === true ? 'offered' : 'refused',
    explainMisses,
    ...defined({ onCall: log?.onCall, onRejected: log?.onRejected }),
  } as const;
  return startSimulator(defined({ port, allowedHosts: allowHost, settings, scenario }));
}

function clockOf({ virtual }: SimulateFlags): 'virtual' | 'real' {
  return virtual === true ? 'virtual' : 'real';
}

function isChecked({ strict, minHitRate, maxCost }: SimulateFlags): boolean {
  return strict === true || minHitRate !== undefined || maxCost !== undefined;
}

function runCommand(
  words: readonly string[],
  _options: SimulateFlags,
  context: CommandContext,
  { url }: ListeningSimulator,
): Promise<number> {
  const { folder, environment, signal, output } = context;
  return runSimulated({ words, folder, environment, url, toStderr: output.json, signal });
}

/**
 * Prints the addresses and waits for Ctrl-C. With a check, SIGTERM also ends the simulator, so the report is printed.
 */
async function waitForEnd(
  _words: readonly string[],
  options: SimulateFlags,
  context: CommandContext,
  listening: ListeningSimulator,
): Promise<number> {
  const addresses = addressesOf(listening.url);
  const { url, port } = listening;
  context.output.result({ url, port, clock: clockOf(options), addresses }, () => [
    'the simulator listens on ',
    withStyle('cyan', url),
    '; Ctrl-C ends it\n',
    ...addresses.flatMap(addressLine),
    'every key is accepted',
  ]);
  if (context.signal.aborted) return EXIT.ok;
  const waits = new AbortController();
  const stopped = [once(context.signal, 'abort', waits)];
  if (isChecked(options)) stopped.push(once(process, 'SIGTERM', waits));
  await Promise.race(stopped);
  waits.abort();
  return EXIT.ok;
}

/** End of the run: the exit code of the command or of the simulator, and the problem with the log, if there is one. */
interface EndedRun {
  readonly exit: number;
  readonly hasCommand: boolean;
  readonly logProblem?: string;
}

/**
 * Prints the report, and returns the exit code of the command or of the check. If the log is not complete, the run
 * fails.
 */
function conclude(
  simulator: Simulator,
  options: SimulateFlags,
  { output }: CommandContext,
  { exit, hasCommand, logProblem }: EndedRun,
): CommandOutcome {
  const report = simulator.report();
  const { minHitRate, maxCost } = options;
  const thresholds: RunThresholds = defined({ minHitRate, maxCost });
  const checked = problemsOf(report, thresholds, options.strict === true);
  const problems = logProblem === undefined ? checked : [...checked, logProblem];
  const shown = showReport(report, problems);
  // The command uses stdout for its own output.
  if (hasCommand && !output.json) output.note(shown);
  else output.result(reportValue(report, problems, hasCommand ? exit : undefined), () => shown);
  return { exit: exit === 0 && problems.length > 0 ? EXIT.difference : exit };
}

function addressLine({ title, variable, url, flags }: SimulatorAddress): readonly Shown[] {
  const sdk = variable === undefined ? '' : `${variable}=${url}, or `;
  return [withStyle('bold', `${title}: `), `${sdk}${flags}\n`];
}

function addTo(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
}

function rateOf(text: string): string {
  return decimalOf(text, Number(text) <= 1, 'a hit rate', 'use a decimal from 0 to 1, such as 0.8');
}

function dollarsOf(text: string): string {
  return decimalOf(text, true, 'an amount in US dollars', 'use a decimal, such as 0.50');
}

function decimalOf(text: string, isInRange: boolean, what: string, next: string): string {
  if (/^\d{1,12}(?:\.\d{1,12})?$/.test(text) && isInRange) return text;
  throw new CliError('cli/usage', `${JSON.stringify(text)} is not ${what}`, next);
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    throw new CliError('cli/usage', `${JSON.stringify(text)} is not a port`, 'use a number from 0 to 65535');
  }
  return port;
}
