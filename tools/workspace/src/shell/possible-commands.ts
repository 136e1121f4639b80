// Possible commands: finds every command that a line could run, at any depth. This includes commands that the line
// passes to programs which run other commands. If a command cannot be known, the result contains a command of unknown
// words. Every deny rule matches such a command.

import type { PossibleCommand } from '@tidemark/agent';
import type { Assignment, Command, SyntaxNode } from 'unbash';
import { forEachChild, parse } from 'unbash';
import type { Handed } from './handed-on.ts';
import { DECIDES, decides } from './deciding-variables.ts';
import { handedOn } from './handed-on.ts';
import { textOf } from './word-text.ts';

/** A command whose words are all unknown. */
const ANY: PossibleCommand = [undefined];
const DEEPEST = 5;
/**
 * Maximum number of commands of one line. No ordinary line could run more. If a line could run more, a command with no
 * known words is added to the result. Every deny rule matches this command.
 */
const MAX_COMMANDS = 2_000;
/** Maximum number of words of code that are examined. If code is longer, it counts as code that could run anything. */
const MAX_WORDS = 500;

/**
 * Returns every command that a line could run, at any depth. This includes commands passed to programs that run other
 * commands.
 *
 * @throws any error of the grammar.
 */
export function possibleCommands(source: string): readonly PossibleCommand[] {
  const reading: CommandReading = { found: [] };
  readScript(source, { reading, depth: 0 });
  return reading.found.length < MAX_COMMANDS ? reading.found : [...reading.found, ANY];
}

interface CommandReading {
  readonly found: PossibleCommand[];
}

/**
 * Place in the analysis of a line. `depth` counts how often a command was passed to another program before this place.
 * `open` is true if more words may be added at run time. `fed` is true if the commands read a pipe or a file.
 */
interface ReadingPlace {
  readonly reading: CommandReading;
  readonly depth: number;
  readonly open?: boolean;
  readonly fed?: boolean;
}

function add(commands: readonly PossibleCommand[], { reading, open = false }: ReadingPlace): void {
  for (const command of commands) {
    if (reading.found.length >= MAX_COMMANDS) return;
    reading.found.push(open ? [...command, undefined] : command);
  }
}

function readScript(source: string, at: ReadingPlace): void {
  if (at.depth > DEEPEST) return add([ANY], at);
  const visit = (node: SyntaxNode, place: ReadingPlace): void => {
    if (at.reading.found.length >= MAX_COMMANDS) return;
    readNode(node, place);
    const piped = node.type === 'Pipeline' ? new Set<SyntaxNode>(node.commands.slice(1)) : undefined;
    forEachChild(node, (child) => visit(child, piped?.has(child) === true ? { ...place, fed: true } : place));
  };
  visit(parse(source), at);
}

function readNode(node: SyntaxNode, at: ReadingPlace): void {
  switch (node.type) {
    case 'Script':
      return (node.errors ?? []).length > 0 ? add([ANY], at) : undefined;
    case 'Command':
      return readCommand(node, at);
    case 'Assignment':
      return readVariable(node, at);
    case 'For':
    case 'Select':
      return DECIDES.test(textOf(node.name) ?? '') ? add([ANY], at) : undefined;
    case 'Word':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'Literal':
      return SUBSCRIPT.test(node.value) ? readHanded({ as: 'script', text: node.value }, at) : undefined;
    default:
      return isUnread(node) ? add([ANY], at) : undefined;
  }
}

/**
 * Matches a substitution in the index of an array. If bash expects a number, it runs this substitution, even inside
 * quotes: `test -v 'a[$(id)]'`.
 */
const SUBSCRIPT = /\w\[[^\]]*(\$\(|`)/;
const SUBSTITUTION = /\$\(|`/;

/**
 * Returns true for an expansion that the grammar did not parse. Also returns true for an expansion that evaluates a
 * text like a shell prompt (`@P`). Both may run a substitution.
 */
function isUnread(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script === undefined;
    case 'ArithmeticExpansion':
      return node.expression === undefined;
    case 'ParameterExpansion':
      return node.operation?.type === 'Unknown' || isPrompt(node.operation);
    default:
      return false;
  }
}

function isPrompt(operation: Extract<SyntaxNode, { type: 'ParameterExpansion' }>['operation']): boolean {
  return operation?.type === 'Transform' && (textOf(operation.operand) ?? 'P').includes('P');
}

function readCommand({ name, prefix, args, redirects }: Command, at: ReadingPlace): void {
  if (name === undefined) return;
  const words = [textOf(name), ...args.map((word) => (word.type === 'Word' ? textOf(word) : textOfSetting(word)))];
  add([words], at);
  const fed = at.fed === true || redirects.some(readsFile);
  for (const handed of handedOn(words, redirects, fed)) readHanded(handed, { ...at, fed });
  for (const one of [...prefix, ...args]) if (one.type === 'Assignment') readSetting(textOfSetting(one), at);
}

/** Returns true for a redirection of the input, unless the input is `/dev/null`. */
function readsFile(redirect: Command['redirects'][number]): boolean {
  if (!redirect.operator.startsWith('<')) return false;
  return redirect.type === 'HereDoc' || redirect.target === undefined || textOf(redirect.target) !== '/dev/null';
}

/** Returns an assignment as one word, because `alias` and `export` receive it as an argument. */
function textOfSetting({ name, value }: Assignment): string | undefined {
  const text = value.type === 'Word' ? textOf(value) : undefined;
  return text === undefined ? undefined : `${name}=${text}`;
}

/** Examines the value of a variable as a script and as code. A program may run this value: `LESSOPEN='|x' less`. */
function readSetting(setting: string | undefined, at: ReadingPlace): void {
  if (setting === undefined) return;
  const text = setting.slice(setting.indexOf('=') + 1);
  readHanded({ as: 'script', text, open: true }, at);
  readHanded({ as: 'code', text }, at);
}

function readHanded(handed: Handed, at: ReadingPlace): void {
  if (at.reading.found.length >= MAX_COMMANDS) return;
  switch (handed.as) {
    case 'anything':
      return add([ANY], at);
    case 'code':
      return add(commandsInCode(handed.text), at);
    case 'script':
      return readScript(handed.text, { ...at, depth: at.depth + 1, open: handed.open ?? at.open ?? false });
    case 'words':
      return readWords(handed.words, { ...at, depth: at.depth + 1 });
  }
}

function readWords(words: PossibleCommand, at: ReadingPlace): void {
  if (at.depth > DEEPEST) return add([ANY], at);
  add([words], at);
  for (const handed of handedOn(words, [], at.fed === true)) readHanded(handed, at);
}

/**
 * Returns the commands that code in another language could run. These are every sequence of names in the code, and
 * every sequence of texts in a list. Examples are `run(['git', 'push'])`, `spawn('git', { args: ['push'] })` and
 * `s/x/git push/e`.
 */
function commandsInCode(code: string): readonly PossibleCommand[] {
  const names = code.match(/[\w@%+:,./-]+/g) ?? [];
  const listed = (code.replaceAll(/\b\w+\s*[=:]\s*(?=[[({'"`])/g, ' ').match(/[\w@%+=.-]+/g) ?? []).filter((name) =>
    /\w/.test(name),
  );
  if (Math.max(names.length, listed.length) > MAX_WORDS) return [ANY];
  const isSame = names.length === listed.length && names.every((name, index) => name === listed[index]);
  return [names, isSame ? [] : listed].flatMap((run) => run.map((_, index) => [...run.slice(index), undefined]));
}

const HOLDS_COMMAND =
  /^(GIT_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|.*_COMMAND|.*_WRAPPER|.*_RSH|SHELL|MAKEFLAGS|GNUMAKEFLAGS|TAR_OPTIONS|LESS)$/;

function readVariable({ name, value }: Assignment, at: ReadingPlace): void {
  const text = value.type === 'Word' ? textOf(value) : undefined;
  if (decides(name, text, value.type === 'Word' ? value.text : '')) return add([ANY], at);
  if (HOLDS_COMMAND.test(name)) return text === undefined ? add([ANY], at) : readSetting(text, at);
  // Bash may later evaluate the value as a number or as a prompt. It then runs the substitution in the value.
  if (text !== undefined && SUBSTITUTION.test(text)) readHanded({ as: 'script', text }, at);
}
