// Every command that a line could run: those in it at any depth, and those that it hands to programs that run others. Where
// that cannot be told, a command of unknown words, which any rule that forbids matches.

import type { PossibleCommand } from '@tidemark/agent';
import { launches, programName } from '@tidemark/agent';
import type { Assignment, Command, Redirection, SyntaxNode } from 'unbash';
import { forEachChild, parse } from 'unbash';
import { textOf } from './word-text.ts';

/** A command of which nothing is known. */
const ANY: PossibleCommand = [undefined];
const DEEPEST = 5;
/** So many words of a launcher, or of code, are looked at from each one on. */
const MOST_WORDS = 500;
const PLAIN_WORD = /^[\w@%+:,./-]*$/;

/** See the head of this file. `depth`: how many commands handed on lead here. @throws what the grammar throws. */
export function possibleCommands(source: string, depth = 0): readonly PossibleCommand[] {
  if (depth > DEEPEST) return [ANY];
  const found: PossibleCommand[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Script' && (node.errors ?? []).length > 0) found.push(ANY);
    if (node.type === 'Command') found.push(...commandsOf(node, depth));
    if (node.type === 'Assignment') found.push(...commandsOfVariable(node, depth));
    if (isUnread(node)) found.push(ANY);
    forEachChild(node, visit);
  };
  visit(parse(source));
  return found;
}

/** A substitution is one also where the grammar did not look into it. */
function isUnread(node: SyntaxNode): boolean {
  if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') return node.script === undefined;
  return node.type === 'ArithmeticExpansion' && node.expression === undefined;
}

function commandsOf({ name, args, redirects }: Command, depth: number): readonly PossibleCommand[] {
  if (name === undefined) return [];
  const words = [textOf(name), ...args.map((word) => (word.type === 'Word' ? textOf(word) : textOfSetting(word)))];
  return [words, ...handedOn(words, redirects, depth)];
}

/** What `alias` and `export` are given is a word of theirs too. */
function textOfSetting({ name, value }: Assignment): string | undefined {
  const text = value.type === 'Word' ? textOf(value) : undefined;
  return text === undefined ? undefined : `${name}=${text}`;
}

function handedOn(
  words: PossibleCommand,
  redirects: readonly Redirection[],
  depth: number,
): readonly PossibleCommand[] {
  const [program = '', ...given] = words;
  if (given.length > MOST_WORDS) return [ANY];
  switch (launches(program)) {
    case 'launcher':
      return [...launched(programName(program), given), ...scriptsIn(given, depth)];
    case 'shell':
      return [...(readsInput(given) ? commandsOfInput(redirects, depth) : []), ...scriptsIn(given, depth)];
    case 'interpreter':
      return [...(readsInput(given) ? codeOfInput(redirects) : []), ...given.flatMap(commandsInCode)];
    case 'changer':
      return [];
    case undefined:
      // A setting of git may be a command: an alias, a pager, a helper.
      return programName(program) === 'git' ? settingsOf(given).flatMap(commandsInCode) : [];
  }
}

/** These give their command more words, or begin it anywhere. */
const OPEN: ReadonlySet<string> = new Set(['xargs', 'parallel', 'find', 'fd', 'alias', 'su', 'ssh']);

/** The command may begin at any word. One that is unknown may be its beginning, as long as no other surely is. */
function launched(program: string, given: PossibleCommand): readonly PossibleCommand[] {
  const isOpen = OPEN.has(program);
  const begin = isOpen ? -1 : given.findIndex((word, index) => isSurelyProgram(word, given[index - 1]));
  return given.flatMap((word, index) => {
    if (word === undefined) return begin === -1 || index < begin ? [ANY] : [];
    return [isOpen ? [...given.slice(index), undefined] : given.slice(index)];
  });
}

function isSurelyProgram(word: string | undefined, before: string | undefined): boolean {
  return word !== undefined && /^[A-Za-z./]/.test(word) && !word.includes('=') && !(before ?? '').startsWith('-');
}

/** Words that may be scripts, whole or behind a `=`: `sh -c '…'`, `alias x='…'`. */
function scriptsIn(given: PossibleCommand, depth: number): readonly PossibleCommand[] {
  return given.flatMap((word, index) => {
    if (word === undefined) return (given[index - 1] ?? '').startsWith('-') || index === 0 ? [ANY] : [];
    const value = word.slice(word.indexOf('=') + 1);
    return [...(PLAIN_WORD.test(word) ? [] : possibleCommands(word, depth + 1)), ...valueOf(word, value, depth)];
  });
}

function valueOf(word: string, value: string, depth: number): readonly PossibleCommand[] {
  return value === word ? [] : possibleCommands(value, depth + 1).map((command) => [...command, undefined]);
}

/** Whether a shell or an interpreter that is given this takes its script from what it reads. */
function readsInput(given: PossibleCommand): boolean {
  const isCode = (word: string | undefined): boolean =>
    word !== undefined && /^--?[a-z]*[ceEp](=|$)|^--eval/.test(word);
  if (given.some((word) => word === '-s' || word === '-' || word?.startsWith('/dev/') || word?.startsWith('/proc/')))
    return true;
  return !given.some((word) => isCode(word) || word === undefined || !word.startsWith('-'));
}

function commandsOfInput(redirects: readonly Redirection[], depth: number): readonly PossibleCommand[] {
  const text = inputOf(redirects);
  return text === undefined ? [ANY] : possibleCommands(text, depth + 1);
}

function codeOfInput(redirects: readonly Redirection[]): readonly PossibleCommand[] {
  const text = inputOf(redirects);
  return text === undefined ? [ANY] : commandsInCode(text);
}

/** What a here-document or here-string gives, where the shell leaves it as it stands. */
function inputOf(redirects: readonly Redirection[]): string | undefined {
  const [only, ...others] = redirects.filter(({ type }) => type !== 'Redirect');
  if (only === undefined || others.length > 0) return undefined;
  if (only.type === 'HereString') return only.target === undefined ? undefined : textOf(only.target);
  const isPlain = only.type === 'HereDoc' && (only.delimiter?.quoted === true || !/[$`\\]/.test(only.body.text));
  return isPlain && only.type === 'HereDoc' ? only.body.text : undefined;
}

/** What code in another language could hand on: any run of its names. */
function commandsInCode(code: string | undefined): readonly PossibleCommand[] {
  if (code === undefined) return [];
  if (PLAIN_WORD.test(code)) return [];
  const names = code.match(/[\w@%+=:,./-]+/g) ?? [];
  if (names.length > MOST_WORDS) return [ANY];
  return names.map((_, index) => [...names.slice(index), undefined]);
}

function settingsOf(given: PossibleCommand): PossibleCommand {
  return given.filter((_, index) => /^(-c|--config-env|--exec-path)$/.test(given[index - 1] ?? ''));
}

/** Variables that decide what runs: by where it is found, or by being a command. */
const DECIDES = /^(PATH|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|IFS|PS4|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON.*|PERL5.*|RUBY.*)$/;
const HOLDS_COMMAND = /^(GIT_.*|.*PAGER|.*EDITOR|.*_COMMAND|SHELL)$/;

function commandsOfVariable({ name, value }: Assignment, depth: number): readonly PossibleCommand[] {
  if (DECIDES.test(name)) return [ANY];
  if (!HOLDS_COMMAND.test(name)) return [];
  const text = value.type === 'Word' ? textOf(value) : undefined;
  return text === undefined ? [ANY] : possibleCommands(text, depth + 1).map((command) => [...command, undefined]);
}
