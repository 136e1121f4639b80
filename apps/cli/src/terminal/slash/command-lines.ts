// Slash commands that print the output of the command of the same name. They run the same code, in this process and with
// the store of the terminal. The output does not enter the context.

import type { LinePlace } from '../../frame/command.ts';
import { EXIT } from '../../frame/exit-codes.ts';
import { CliError } from '../../frame/failure.ts';
import { capturedLines } from './captured-lines.ts';
import { showLines } from './shown-lines.ts';
import type { SlashCommand, SlashGroup, SlashPlace } from './slash-command.ts';
import { shownSession } from './slash-command.ts';

/** Describes a slash command that runs the command of the same name. */
interface LineSpec {
  readonly group: SlashGroup;
  readonly summary: string;
  readonly argument?: string;
  /** Changes the output, so that it names commands that work in the terminal. */
  inTerminal?(text: string): string;
  /** Returns the arguments of the command line after the name of the command. */
  line(words: readonly string[], place: SlashPlace): readonly string[];
}

/** Returns the words, with the shown session before them. */
const withSession: LineSpec['line'] = (words, place) => [shownSession(place), ...words];

/** Returns the words, with the shown session before them if they name no session. `all` means every session. */
const withDefaultSession: LineSpec['line'] = (words, place) => {
  const [first] = words;
  if (first === 'all') return words.slice(1);
  return first === undefined || first.startsWith('-') ? withSession(words, place) : words;
};

/** As `withDefaultSession`, but every session before the first prompt. */
const withSessionIfAny: LineSpec['line'] = (words, place) =>
  place.controller.state.get().session === undefined && words[0] !== 'all' ? words : withDefaultSession(words, place);

const asTyped: LineSpec['line'] = (words) => words;

/** Returns true if the line is about the shown session. */
function needsSession(line: LineSpec['line'], words: readonly string[]): boolean {
  const [first] = words;
  return line === withSession || (line === withDefaultSession && (first === undefined || first.startsWith('-')));
}

/** Id that no session has. */
const NO_SESSION = '0.no-session-yet';

/**
 * Reads a line about a session that has no records yet, so that wrong words are reported before the missing session.
 *
 * @throws CliError `cli/usage` with the complaint of the command.
 */
async function requireGoodWords(args: readonly string[], place: SlashPlace): Promise<void> {
  const { text, exit } = await captureLine(args, place, 'file');
  if (exit !== EXIT.usage) return;
  const [, message = text, next = ''] = /^error: (.*?)\n(?:next: (.*))?/s.exec(text) ?? [];
  throw new CliError('cli/usage', message, next.trim());
}

function lineCommand(name: string, spec: LineSpec): SlashCommand {
  const { line, inTerminal, ...described } = spec;
  return {
    name,
    ...described,
    async run({ words }, place) {
      const title = `/${[name, ...words].join(' ')}`;
      if (needsSession(line, words) && place.controller.state.get().session === undefined)
        await requireGoodWords([name, NO_SESSION, ...words], place);
      await showLine([name, ...line(words, place)], title, place, inTerminal);
    },
  };
}

/** Runs a command line and shows its output. */
export async function showLine(
  args: readonly string[],
  title: string,
  place: SlashPlace,
  inTerminal = (text: string): string => text,
): Promise<void> {
  const { text } = await captureLine(args, place);
  await showLines(title, capturedLines(inTerminal(text)), place);
}

/** Runs a command line, and returns its output and its exit code. */
export async function captureLine(
  args: readonly string[],
  { context, controller, size }: SlashPlace,
  form: 'screen' | 'file' = 'screen',
): Promise<{ readonly text: string; readonly exit: number }> {
  const pieces: string[] = [];
  const colour = form === 'screen' && context.output.colour;
  const sink: LinePlace['err'] = { write: (text) => void pieces.push(text), terminal: false, colour };
  const exit = await context.runLine(args, {
    out: { ...sink, terminal: form === 'screen', columns: size().columns },
    err: sink,
    folder: controller.workspace(),
    signal: context.signal,
  });
  return { text: pieces.join(''), exit };
}

/** Slash commands that print the output of the command of the same name. */
export const LINE_COMMANDS: readonly SlashCommand[] = [
  lineCommand('cost', {
    group: 'cost',
    summary: 'show what the session and its line cost, and the same calls uncached or ideally cached',
    argument: '[session|all] [--by <what>]',
    line: withDefaultSession,
  }),
  lineCommand('cache', {
    group: 'cost',
    summary: 'show the hit rate, wasted writes, and what was paid again and why',
    argument: '[session|all] [--requests]',
    line: withDefaultSession,
  }),
  lineCommand('why', {
    group: 'cost',
    summary: 'show each break and miss of the cache with its place, cause and price',
    argument: '[step]',
    line: withSession,
  }),
  lineCommand('show', {
    group: 'context',
    summary: 'show the steps of the session, or one request block by block',
    argument: '[step] [--diff]',
    line: withSession,
  }),
  lineCommand('context', {
    group: 'context',
    summary: 'show what fills the context window: layers, files, tools and turns',
    argument: '[session]',
    line: withDefaultSession,
  }),
  lineCommand('skills', {
    group: 'context',
    summary: 'list the skills that the session loaded; `all` also lists the installed ones',
    argument: '[session|all]',
    line: withSessionIfAny,
  }),
  lineCommand('models', {
    group: 'model',
    summary: 'list the models with prices and efforts, and the providers; words limit the list',
    argument: '[provider] [word]',
    line: asTyped,
  }),
  lineCommand('grants', {
    group: 'terminal',
    summary: 'list or revoke the permissions that apply to every session in this folder',
    argument: '[--revoke <number>] [--all]',
    line: asTyped,
  }),
  lineCommand('config', { group: 'terminal', summary: 'show every setting with its source', line: asTyped }),
  lineCommand('doctor', {
    group: 'terminal',
    summary: 'check the installation, the settings and every session, and show problems; `--all` shows all',
    argument: '[--all]',
    line: (words) => (words[0] === '--all' ? words.slice(1) : ['--problems', ...words]),
    // All options of the command work in the terminal too.
    inTerminal: (text) =>
      text.replaceAll('`tidemark doctor`', '`/doctor --all`').replaceAll('tidemark doctor --', '/doctor --'),
  }),
];
