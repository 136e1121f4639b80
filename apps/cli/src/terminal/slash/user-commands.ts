// Runs the commands that the user typed after `!`. The output is printed, and the model is told with the next prompt.

import { stat } from 'node:fs/promises';

import { createSecrets, secretsOf, terminalText } from '@tidemark/agent';

import { CliError } from '../../frame/failure.ts';
import { formatNumber } from '../../frame/numbers.ts';
import { withStyle } from '../../frame/shown.ts';
import type { Line } from '../state/line.ts';
import { codeLine } from '../state/line.ts';
import { duration } from '../../present/tool-line.ts';
import { OUTPUT_BEGIN, OUTPUT_COMMAND, OUTPUT_NAME } from '../state/prompt-text.ts';
import type { EndedUserCommand } from './run-user-command.ts';
import { runUserCommand } from './run-user-command.ts';
import type { SlashPlace } from './slash-command.ts';

/** Commands of the user. One runs at a time. */
export interface UserCommands {
  /** Runs a command line. Never throws: an error is printed. */
  run(line: string): Promise<void>;
  /** Returns the lines of the whole output of the last command. */
  lastOutput(): { readonly line: string; readonly lines: readonly string[] } | undefined;
  /** Stops the running command. */
  close(): void;
}

/** Rows of the output that are printed. `/output` shows all of it. */
const PRINTED_ROWS = 20;

/** Maximum length of a printed line, in characters. */
const LONGEST = 2_000;

/** Characters of the output that are kept to show its end while the command runs. */
const SHOWN = 4_096;

/** Creates the commands of the user. */
export function createUserCommands(place: Pick<SlashPlace, 'controller' | 'context'>): UserCommands {
  const { controller, context } = place;
  let last: { readonly line: string; readonly output: string } | undefined;
  const change = (command: ReturnType<typeof controller.state.get>['command']): void =>
    controller.state.set({ ...controller.state.get(), command });
  async function run(line: string): Promise<void> {
    const abort = new AbortController();
    const shown = { line, startedAt: Date.now(), output: '', stop: () => abort.abort() };
    let seen = '';
    change(shown);
    try {
      const ended = await runUserCommand(line, {
        folder: controller.workspace(),
        environment: context.environment,
        secrets: createSecrets({ values: secretsOf(context.environment) }),
        signal: abort.signal,
        watch(piece) {
          seen = (seen + piece).slice(-SHOWN);
          change({ ...shown, output: linesOf(seen).join('\n') });
        },
      });
      last = { line, output: ended.output };
      controller.print(printedLines(line, ended));
      controller.attachToNext({
        type: 'attachment',
        name: OUTPUT_NAME,
        data: Buffer.from(reportForModel(line, ended)),
      });
    } finally {
      change(undefined);
    }
  }
  return {
    async run(line) {
      try {
        if (line === '') throw new CliError('cli/usage', '`!` needs a command', 'write `!ls`, for example');
        if (controller.state.get().command !== undefined)
          throw new CliError('cli/refused', 'a command runs already', 'press Esc to stop it, then try again');
        await run(line);
      } catch (error) {
        controller.report(await startError(error, controller.workspace()));
      }
    },
    lastOutput: () => last && { line: last.line, lines: linesOf(last.output) },
    close: () => controller.state.get().command?.stop(),
  };
}

/** Returns an error with a next step if the shell could not be started. */
async function startError(error: unknown, folder: string): Promise<unknown> {
  if (error instanceof CliError || !(error instanceof Error)) return error;
  // Node reports a missing folder as a missing shell.
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true)
    return new CliError(
      'cli/refused',
      `the folder ${folder} does not exist`,
      'create it again, or leave with /quit',
      error,
    );
  return new CliError(
    'cli/refused',
    `the shell cannot be started: ${error.message}`,
    'check the variable SHELL',
    error,
  );
}

/** Returns the lines of an output. Of a line that was overwritten (progress bars), only the last text is kept. */
function linesOf(output: string): readonly string[] {
  const text = output.replaceAll('\r\n', '\n').trimEnd();
  return text === '' ? [] : text.split('\n').map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1));
}

function printedLines(line: string, ended: EndedUserCommand): readonly Line[] {
  const lines = linesOf(ended.output);
  const omitted = Math.max(0, lines.length - PRINTED_ROWS);
  return [
    '',
    [withStyle('cyan', '! '), line, withStyle(isGood(ended) ? 'dim' : 'yellow', `  ${endInWords(ended)}`)],
    ...(omitted === 0 ? [] : [withStyle('dim', `… ${formatNumber(omitted)} earlier lines: /output shows all`)]),
    ...lines.slice(-PRINTED_ROWS).flatMap(cutLine),
  ];
}

/** Returns a line of the output. Of a long line, only the beginning is printed. */
function cutLine(line: string): readonly Line[] {
  if (line.length <= LONGEST) return [codeLine(line)];
  const left = formatNumber(line.length - LONGEST);
  return [
    codeLine(line.slice(0, LONGEST).toWellFormed()),
    withStyle('dim', `… ${left} more characters of this line: /output shows all`),
  ];
}

function isGood({ end, stopped }: EndedUserCommand): boolean {
  return end === 0 && !stopped;
}

function endInWords({ end, stopped, background, durationMs }: EndedUserCommand): string {
  const how = stopped ? 'stopped' : typeof end === 'number' ? `exit ${end}` : `ended by ${end}`;
  return `${how}, ${duration(durationMs)}${background ? ', a process still runs in the background' : ''}`;
}

/** Describes the command for the model. */
function reportForModel(line: string, ended: EndedUserCommand): string {
  const { end, stopped, background, output } = ended;
  const how = stopped ? 'The user stopped it.' : typeof end === 'number' ? `Exit code: ${end}` : `Ended by ${end}`;
  return [
    'The user ran this command in the workspace, outside of the sandbox. The model did not run it.',
    `${OUTPUT_COMMAND}${line}`,
    how,
    ...(background ? ['A process that it started still runs in the background.'] : []),
    output === '' ? 'It printed nothing.' : `${OUTPUT_BEGIN}\n${terminalText(output)}`,
  ].join('\n');
}
