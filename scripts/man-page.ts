// Writes the man page of the command from the declarations of its commands.
//
// - `node scripts/man-page.ts` writes `apps/cli/man/tidemark.1`.
// - `node scripts/man-page.ts -` prints the page. A test compares it with the file.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Argument, Command, Option } from 'commander';

import { COMMANDS } from '../apps/cli/src/commands.ts';
import { createProgram } from '../apps/cli/src/program.ts';

const FILE = fileURLToPath(new URL('../apps/cli/man/tidemark.1', import.meta.url));

/** Files and variables of the environment that are no part of the declarations. */
const AFTERWARDS = `.SH FILES
.TP
.I ~/.tidemark
Sessions, artifacts, grants and the catalog of the user.
.TP
.I ~/.config/tidemark/tidemark.config.json
Settings of the user.
.TP
.I .tidemark/config.json
Settings of a folder. They are used only after the user trusted the folder.
.SH ENVIRONMENT
.TP
.B TIDEMARK_HOME
Folder that replaces
.IR ~/.tidemark .
.TP
.BR ANTHROPIC_API_KEY ", " OPENAI_API_KEY ", " OPENROUTER_API_KEY
Keys of the providers.
.TP
.B NO_COLOR
Switches colours off.
.SH EXIT STATUS
0 done, 1 difference or failed check, 2 wrong usage, 3 refused or not found, 4 damaged data, 5 provider error, 6 busy, 70 bug, 130 interrupted, 141 output closed.
`;

const page = manPage(createProgram(COMMANDS, '', { write: () => undefined, columns: 80 }, async () => undefined));
if (process.argv[2] === '-') process.stdout.write(page);
else {
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, page);
  console.log(FILE);
}

function manPage(program: Command): string {
  const examples = new Map(COMMANDS.map((command) => [command.name, command.examples]));
  return [
    '.\\" Made by scripts/man-page.ts from the declarations of the commands.',
    '.TH TIDEMARK 1 "" "Tidemark" "User Commands"',
    '.SH NAME',
    `tidemark \\- ${roff(program.description()).replace(/\.$/, '')}`,
    '.SH SYNOPSIS',
    '.B tidemark',
    '.RI [ options ] " prompt" ...',
    '.br',
    '.B tidemark',
    '.I command',
    '.RI [ options ] " " [ arguments ]',
    '.SH DESCRIPTION',
    'A line that does not begin with a command is a prompt and has the options of',
    '.BR run .',
    'At a terminal and without a prompt, the command opens an interactive session.',
    'Each command has the options',
    '.B \\-\\-json',
    'and',
    '.BR \\-\\-help .',
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => commandLines(command, examples.get(command.name()) ?? [])),
    AFTERWARDS,
  ].join('\n');
}

function commandLines(command: Command, examples: (typeof COMMANDS)[number]['examples']): readonly string[] {
  const usage = command.registeredArguments.map(argumentUsage).join(' ');
  return [
    `.SS "${roff(`tidemark ${command.name()}${usage === '' ? '' : ` ${usage}`}`).replaceAll('"', '""')}"`,
    sentence(command.description()),
    ...command.registeredArguments.flatMap((one) => item(`.I ${quoted(one.name())}`, withChoices(one))),
    ...command.options
      .filter(({ hidden, long }) => !hidden && long !== '--json')
      .flatMap((one) => item(`.B ${quoted(one.flags)}`, withChoices(one))),
    '.PP',
    'Examples:',
    ...examples.flatMap(([line, effect]) => item(`.B ${quoted(line)}`, effect)),
  ];
}

function argumentUsage(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function withChoices({ description, argChoices, defaultValue }: Argument | Option): string {
  const choices = argChoices === undefined ? '' : ` Values: ${argChoices.join(', ')}.`;
  const value =
    typeof defaultValue === 'string' || typeof defaultValue === 'number' ? ` Default: ${defaultValue}.` : '';
  return `${sentence(description, false)}${choices}${value}`;
}

function item(tag: string, text: string): readonly string[] {
  return ['.TP', tag, sentence(text)];
}

/** Returns the text as a sentence. A text that is already escaped is passed with `escapes` set to false. */
function sentence(text: string, escapes = true): string {
  const whole = /[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
  const upper = /^[a-z]+ /.test(whole) ? `${whole[0]?.toUpperCase()}${whole.slice(1)}` : whole;
  return escapes ? guarded(roff(upper)) : upper;
}

/** Escapes characters that roff interprets. A backtick opens and closes a name alike, so quotes become plain. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('…', '\\[u2026]')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha');
}

/** Prevents a line that begins with a dot from being a request. */
function guarded(text: string): string {
  return text.startsWith('.') ? `\\&${text}` : text;
}

function quoted(text: string): string {
  return `"${roff(text).replaceAll('"', '\\(dq')}"`;
}
