// Finds the commands that a command line runs, if its words show them. Also reads the line that a shell gets (`sh -c`),
// and the command that another program gets as its arguments (`env`, `timeout`). Runs no command.

import type { Command, Redirection, SyntaxNode, Word, WordPart } from 'unbash';
import { forEachChild, parse } from 'unbash';

export interface CommandWord {
  /**
   * Text without quotes. An expansion of the shell is replaced by `.`, because the expansion may be the path of the
   * current folder.
   */
  readonly text: string;
  /** False if a part of the word is known only when the shell runs. */
  readonly known: boolean;
}

/** A program and its arguments. */
export interface StartedCommand {
  readonly program: string;
  readonly args: readonly CommandWord[];
  /**
   * True for a shell, and for a program that runs another command. The commands that it runs are separate entries of
   * `CommandLine.commands`.
   */
  readonly launches: boolean;
}

/** Result of reading a command line: its commands, words and folders. */
export interface CommandLine {
  readonly commands: readonly StartedCommand[];
  /** Words of the lines that a shell runs, without their quotes. */
  readonly words: readonly string[];
  /**
   * Folders that the command line changes to, in order. A relative path in this list can be relative to any earlier
   * folder in it.
   */
  readonly folders: readonly string[];
  /** Shells and launchers whose commands are known only at run time: `sh` for `sh -c '$X'`. */
  readonly unread: readonly string[];
}

interface LineReading {
  readonly commands: StartedCommand[];
  readonly words: Set<string>;
  readonly folders: string[];
  readonly unread: Set<string>;
}

/** Maximum depth of commands inside commands (`sh -c 'env sh -c …'`). */
const DEEPEST = 5;
const MAX_COMMANDS = 2_000;

/** Reads the command line of a program and returns its commands, words and folders. The first word is the program. */
export function readCommandLine(words: readonly string[]): CommandLine {
  const reading: LineReading = { commands: [], words: new Set(), folders: [], unread: new Set() };
  const known = words.map((text) => ({ text, known: true }));
  readCommand(known, { reading, by: programName(words[0] ?? ''), depth: 0 });
  const { commands, folders } = reading;
  return { commands, words: [...reading.words], folders, unread: [...reading.unread] };
}

/** Returns the name of a program without its folder and extension: `npm` for `/usr/bin/npm` and for `npm.cmd`. */
export function programName(piece: string): string {
  return piece.replace(/^.*[/\\]/s, '').replace(/\.(?:exe|cmd|bat)$/i, '');
}

/**
 * Place of a command during the reading of a command line. `by` is the name of the program that runs the command.
 * `depth` is the number of commands around it, as in `sh -c 'env sh -c …'`.
 */
interface CommandPlace {
  readonly reading: LineReading;
  readonly by: string;
  readonly depth: number;
}

function readCommand([first, ...args]: readonly CommandWord[], at: CommandPlace): void {
  if (first === undefined) return;
  const { reading, by, depth } = at;
  if (!first.known || depth > DEEPEST || reading.commands.length >= MAX_COMMANDS) {
    reading.unread.add(by);
    return;
  }
  const name = programName(first.text);
  const below = { reading, by: name, depth: depth + 1 };
  const launcher = LAUNCHERS.get(name);
  if (SHELLS_READ.has(name)) readShell(args, below);
  else if (launcher !== undefined) readLauncher(args, launcher, below);
  else if (name === 'eval' || name === 'trap') readCode(name, args, { ...at, depth: depth + 1 });
  else if (CHANGE_FOLDER.has(name)) readFolder(args, at);
  else if ((name === '.' || name === 'source') && args[0]?.known !== true) reading.unread.add(by);
  reading.commands.push({ program: first.text, args, launches: SHELLS_READ.has(name) || launcher !== undefined });
}

/** Shells whose lines are read with the grammar of `bash`. */
const SHELLS_READ: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh']);

function readShell(args: readonly CommandWord[], at: CommandPlace): void {
  const { reading, by } = at;
  let takesLine = false;
  let index = 0;
  for (; index < args.length; index += 1) {
    const text = args[index]?.text ?? '';
    if (args[index]?.known !== true || !/^[-+]./.test(text)) break;
    if (text === '--') {
      index += 1;
      break;
    }
    if (/^-[A-Za-z]*c/.test(text)) takesLine = true;
    if (/^-[A-Za-z]*s/.test(text)) reading.unread.add(by);
    if (/^[-+][A-Za-z]*[oO]$/.test(text) || /^--(?:rcfile|init-file)$/.test(text)) index += 1;
  }
  const operand = args[index];
  // If a shell has no file as its argument, it runs the commands on its standard input.
  const readsInput = operand === undefined || /^(?:-$|\/dev\/|\/proc\/)/.test(operand.text);
  if (readsInput || !operand.known) reading.unread.add(by);
  else if (takesLine) readLine(operand.text, at);
}

/** Program that treats the words after its own options as a command and runs it. */
interface Launcher {
  /** Matches options that have no value, and options with the value in the same word. */
  readonly flag?: RegExp;
  /** Matches options whose value is the next word. */
  readonly valued?: RegExp;
  /** Matches options. If one of them is set, the program runs no command. */
  readonly only?: RegExp;
  /** Set if assignments may come before the command. */
  readonly assigns?: true;
  /** Number of words before the command, such as a duration. */
  readonly words?: number;
}

const LAUNCHERS: ReadonlyMap<string, Launcher> = new Map<string, Launcher>([
  [
    'env',
    { flag: /^(?:-|-[iv]+|--ignore-environment|--unset=.*)$/, valued: /^(?:-[uC]|--unset|--chdir)$/, assigns: true },
  ],
  ['cross-env', { assigns: true }],
  ['exec', { flag: /^-[cl]+$/, valued: /^-a$/ }],
  ['command', { flag: /^-p$/, only: /^-p?[vV]$/ }],
  ['builtin', {}],
  ['nohup', {}],
  ['time', { flag: /^-p$/ }],
  ['nice', { flag: /^(?:-n?-?\d+|--adjustment=.*)$/, valued: /^(?:-n|--adjustment)$/ }],
  [
    'timeout',
    { flag: /^(?:-v|--(?:foreground|preserve-status|verbose|(?:kill-after|signal)=.*))$/, valued: /^-[ks]$/, words: 1 },
  ],
  ['setsid', { flag: /^-[cfw]+$/ }],
  ['stdbuf', { flag: /^-[ioe]./ }],
  ['cmd', { flag: /^\/[cdsCDS]$/ }],
]);

function readLauncher(args: readonly CommandWord[], launcher: Launcher, at: CommandPlace): void {
  let index = 0;
  for (; index < args.length; index += 1) {
    const { text, known } = args[index] ?? { text: '', known: false };
    if (launcher.only?.test(text) === true) return;
    const chdir = at.by === 'env' ? /^(?:--chdir=|-C(?=.))(.*)$/s.exec(text)?.[1] : undefined;
    if (chdir !== undefined) readFolder([{ text: chdir, known }], at);
    else if (launcher.valued?.test(text) === true) {
      index += 1;
      if (/^(?:-C|--chdir)$/.test(text)) readFolder(args.slice(index, index + 1), at);
    } else if (text === '--') {
      index += 1;
      break;
    } else if (launcher.flag?.test(text) !== true && !(launcher.assigns === true && isAssignment(text))) break;
    if (launcher.assigns === true && DECIDES.test(text)) at.reading.unread.add(at.by);
  }
  const rest = args.slice(index + (launcher.words ?? 0));
  // After an unknown option, the command may begin at any later word, so the command cannot be read.
  if (rest[0]?.text.startsWith('-') === true || /\s/.test(rest[0]?.text ?? '')) at.reading.unread.add(at.by);
  else readCommand(rest, at);
}

function isAssignment(text: string): boolean {
  return /^\w+=/.test(text);
}

/** Matches an assignment to a variable that changes which file a word means. */
const DECIDES = /^(?:PATH|CDPATH|IFS)(?:=|$)/;

/**
 * Reads the shell lines in the arguments of `eval` and `trap`. `eval` runs all its words as one line. `trap` runs its
 * first word.
 */
function readCode(name: string, args: readonly CommandWord[], at: CommandPlace): void {
  const code = name === 'eval' ? args : args.slice(0, 1).filter(({ text }) => !text.startsWith('-'));
  if (code.every(({ known }) => known)) readLine(code.map(({ text }) => text).join(' '), at);
  else at.reading.unread.add(at.by);
}

const CHANGE_FOLDER: ReadonlySet<string> = new Set(['cd', 'pushd', 'chdir']);

function readFolder(args: readonly CommandWord[], { reading, by }: Pick<CommandPlace, 'reading' | 'by'>): void {
  const [target, ...more] = args.filter(({ text }) => !/^-./.test(text));
  if (target?.known === true && target.text !== '-' && more.length === 0) reading.folders.push(target.text);
  else reading.unread.add(by);
}

function readLine(line: string, at: CommandPlace): void {
  const visit = (node: SyntaxNode): void => {
    readNode(node, at);
    forEachChild(node, visit);
  };
  try {
    if (at.depth <= DEEPEST) visit(parse(line));
    else at.reading.unread.add(at.by);
  } catch {
    // The parser failed, but the shell may still run the line.
    at.reading.unread.add(at.by);
  }
}

function readNode(node: SyntaxNode, at: CommandPlace): void {
  const { unread, words } = at.reading;
  switch (node.type) {
    case 'Script':
      if ((node.errors ?? []).length > 0) unread.add(at.by);
      return;
    case 'Command':
      return readShellCommand(node, at);
    case 'Word':
      words.add(wordOf(node).text);
      return;
    case 'Assignment':
      if (DECIDES.test(node.name)) unread.add(at.by);
      return;
    case 'Function':
      // A function can have the same name as any program. Therefore it is unknown which programs the later commands
      // start.
      unread.add(at.by);
      return;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      if (node.script === undefined) unread.add(at.by);
      return;
    default:
      return;
  }
}

function readShellCommand({ name, suffix }: Command, at: CommandPlace): void {
  if (name === undefined) return;
  const args = suffix.filter((part) => !isRedirection(part));
  readCommand(
    [name, ...args].map((part) => (part.type === 'Word' ? wordOf(part) : { text: part.text, known: false })),
    at,
  );
}

function isRedirection(part: Command['suffix'][number]): part is Redirection {
  return part.type === 'Redirect' || part.type === 'HereString' || part.type === 'HereDoc';
}

function wordOf({ value, parts }: Word): CommandWord {
  const word = parts === undefined ? { text: value, known: true } : joinParts(parts);
  return { ...word, known: word.known && !value.startsWith('~') };
}

function joinParts(parts: readonly WordPart[]): CommandWord {
  const words = parts.map(wordOfPart);
  return { text: words.map(({ text }) => text).join(''), known: words.every(({ known }) => known) };
}

function wordOfPart(part: WordPart): CommandWord {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { text: part.value, known: true };
    case 'DoubleQuoted':
    case 'LocaleString':
      return joinParts(part.parts);
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return { text: part.text, known: false };
    default:
      return { text: '.', known: /^(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)$/.test(part.text) };
  }
}
