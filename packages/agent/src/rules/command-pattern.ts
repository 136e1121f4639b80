// Matches commands against the patterns of rules, such as `npm test` or `git status *`. A pattern that allows must
// match literally. A pattern that denies or asks matches everything that the command could mean.

import { foldName, matchStars } from './name-patterns.ts';
import { npmCommands } from './npm-commands.ts';
import type { PossibleCommand } from './ruled-call.ts';
import { isWayToRun, launches, passesOn, programName } from './ways-to-run.ts';

export interface CommandPattern {
  readonly words: readonly string[];
  /** True if the pattern ends in a separate `*`. This `*` matches any number of further words, or no word. */
  readonly open: boolean;
}

const PLAIN = /^[\w@%+=:,./*-]+$/;

/**
 * Parses a command pattern. If the pattern is invalid, returns the problem and the next action as a string. A pattern
 * that denies or asks may be wide. A pattern that allows must not be wide.
 */
export function readCommandPattern(text: string, decision: 'allow' | 'ask' | 'deny'): CommandPattern | string {
  const all = text.trim().split(/[ \t]+/);
  const strange = all.find((word) => !PLAIN.test(word));
  if (strange !== undefined)
    return `"${text}" is not a command in plain words, because of "${strange}": write one command, without quotes, variables or operators`;
  const open = all.length > 1 && all.at(-1) === '*';
  const words = open ? all.slice(0, -1) : all;
  const problem = unmatchableProblem(words) ?? (decision === 'allow' ? tooWide(words, open) : undefined);
  return problem === undefined ? { words, open } : `"${text}" ${problem}`;
}

/** Returns the problem with a pattern that no command can match. */
function unmatchableProblem(words: readonly string[]): string | undefined {
  const [program = ''] = words;
  if (/^\w+\+?=/.test(program)) return 'sets a variable, which is not part of a command: write the command without it';
  if (program.startsWith('-')) return `names no program, because "${program}" is an option: write the program first`;
  if (program.endsWith('/')) return `names no program, because "${program}" is a folder: write the path of the program`;
  const subcommand = programName(program) === 'git' ? words[subcommandAt(words)] : undefined;
  return subcommand === undefined || /^[\w*-]+$/.test(subcommand)
    ? undefined
    : `matches no command, because "${subcommand}" is not a subcommand of git: write the subcommand, such as "git push"`;
}

function tooWide([program = '', first]: readonly string[], open: boolean): string | undefined {
  if (program.includes('*')) return 'would allow any program: name the program';
  if (program.includes('=')) return 'sets a variable, which no rule can allow';
  const kind = open ? launches(program) : undefined;
  if (kind === 'launcher' || kind === 'changer')
    return `would allow any command, because ${program} runs or changes other commands: write the exact command, without *`;
  if (kind === undefined) return undefined;
  if (first === undefined || /^-|\*/.test(first) || isCodeWord(program, first))
    return `would allow any code, because ${program} runs code from its arguments: name the file first, as in "${program} scripts/build *"`;
  return kind === 'interpreter' && !passesOn(program)
    ? `would allow any code, because every argument of ${program} can be code: write the exact command, without *`
    : undefined;
}

/** Returns true if the word after this word is code or a package: `deno eval`, `bun x`. */
function isCodeWord(program: string, word: string): boolean {
  return /^(deno|bun)$/.test(programName(program)) && /^(eval|repl|x|create|init|install|exec)$/.test(word);
}

/**
 * Returns true if the pattern literally matches this command. If `*` matches a word, this word must not make the
 * command run another program. It must also not use `..` to leave the folder in the pattern.
 */
export function isCommand({ words, open }: CommandPattern, command: readonly string[]): boolean {
  if (open ? command.length < words.length : command.length !== words.length) return false;
  return command.every((word, index) => {
    const wanted = words[index];
    if (word === wanted) return true;
    if (isWayToRun(command, index)) return false;
    if (wanted === undefined) return true;
    // A `*` at the beginning of a word matches names but not options.
    return matchStars(wanted, word) && !(wanted.startsWith('*') && isOption(word)) && stepsUp(word) <= stepsUp(wanted);
  });
}

function stepsUp(word: string): number {
  return word.split(/[/=:,]/).filter((name) => name === '..').length;
}

/**
 * Returns true if the pattern could match this command. The path and the letter case of the program are ignored.
 * Options may be between the pattern's words, and any words may follow. Options of the pattern may be anywhere in the
 * command, combined (`-rf`), separate or shortened.
 */
export function couldBeCommand({ words }: CommandPattern, command: PossibleCommand): boolean {
  const options = words.slice(1).filter(isOption);
  const plain = words.filter((word, index) => index === 0 || !isOption(word));
  return couldFollow(plain, command) && options.every((option) => couldHold(command, foldName(option)));
}

/**
 * Progress of the match: the number of matched pattern words. Also true or false: the next word can be the value of an
 * option.
 */
interface Reached {
  readonly met: number;
  readonly isFree: boolean;
}

function couldFollow(wanted: readonly string[], command: PossibleCommand): boolean {
  let reached: readonly Reached[] = [{ met: 0, isFree: false }];
  for (const word of command) {
    if (reached.length === 0) return false;
    if (word === undefined) return true;
    const names = namesOf(word, command);
    const next = new Map(reached.flatMap((from) => stepsFrom(from, wanted, names)).map((to) => [keyOf(to), to]));
    if ([...next.values()].some(({ met }) => met === wanted.length)) return true;
    reached = [...next.values()];
  }
  return false;
}

function keyOf({ met, isFree }: Reached): number {
  return met * 2 + (isFree ? 1 : 0);
}

/** Returns a word of a command, with the npm commands that the word can name. */
function namesOf(word: string, [program]: PossibleCommand): Names {
  return { word, commands: programName(program ?? '') === 'npm' ? npmCommands(word) : [] };
}

/**
 * A word of a command, and the npm commands that the word can name. For another program the list of commands is empty.
 */
interface Names {
  readonly word: string;
  readonly commands: readonly string[];
}

function stepsFrom({ met, isFree }: Reached, wanted: readonly string[], names: Names): readonly Reached[] {
  const next = wanted[met] ?? '';
  const { word } = names;
  if (met === 0) return matchesWord(programName(next), programName(word)) ? [{ met: 1, isFree: false }] : [];
  return [
    ...(matchesWord(next, word) || (met === 1 && isSameCommand(next, names)) ? [{ met: met + 1, isFree: false }] : []),
    ...(isOption(word) ? [{ met, isFree: true }] : []),
    ...(isFree ? [{ met, isFree: false }] : []),
  ];
}

/** Returns true if the word of a pattern names one of the npm commands. The word can also be an alias. */
function isSameCommand(wanted: string, { commands }: Names): boolean {
  const own = wanted.includes('*') ? [] : npmCommands(wanted);
  return commands.some((command) => matchesWord(wanted, command) || (own.length === 1 && own[0] === command));
}

function couldHold(command: PossibleCommand, option: string): boolean {
  const words = command.slice(1).map((word) => (word === undefined ? undefined : foldName(word)));
  if (words.some((word) => word === undefined || matchStars(option, word) || isShortened(option, word))) return true;
  if (!/^-[a-z0-9]+$/.test(option)) return false;
  const letters = new Set(words.filter((word) => word !== undefined && /^-[^-]/.test(word)).join(''));
  return Array.from(option).every((letter) => letters.has(letter));
}

function isShortened(option: string, word: string): boolean {
  const name = word.replace(/=.*$/s, '');
  return name.length > 2 && name.startsWith('--') && option.startsWith(name);
}

function matchesWord(wanted: string, word: string): boolean {
  return matchStars(foldName(wanted), foldName(word));
}

function isOption(word: string): boolean {
  return word.startsWith('-');
}

const READING = ['status', 'diff', 'log', 'show', 'blame', 'ls-files', 'rev-parse'] as const;

/** Options of git that come before the subcommand. Their value is the next word. */
const BEFORE_SUBCOMMAND =
  /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix|--attr-source)$/;
/** Subcommands that write settings or run their arguments. A `*` after one of them would allow any code. */
const RUNS_ANY =
  /^(config|submodule|bisect|filter-branch|difftool|mergetool|send-email|instaweb|daemon|hook|shell|for-each-repo)$/;
/**
 * Forms of the subcommands in `RUNS_ANY` that only read, or only mark a commit. The key is the subcommand. The pattern
 * matches the next word.
 */
const NAMED: ReadonlyMap<string, RegExp> = new Map([
  ['config', /^(get|list|-l|--(list|get|get-all|get-regexp|get-urlmatch))$/],
  ['submodule', /^(status|summary)$/],
  ['bisect', /^(good|bad|old|new|skip|start|reset|log|terms)$/],
]);

/**
 * Returns an error text for an allow pattern that lets git run other programs. The text suggests subcommands that only
 * read. Returns `undefined` if the pattern is safe.
 */
export function openGitProblem({ words, open }: CommandPattern): string | undefined {
  if (programName(words[0] ?? '') !== 'git' || !leavesGitOpen(words, open)) return undefined;
  const subcommands = READING.map((subcommand) => `"git ${subcommand} *"`).join(', ');
  return `would allow any code, because git runs programs that its settings and options name: allow subcommands that only read, such as ${subcommands}; or write one exact command`;
}

function leavesGitOpen(words: readonly string[], open: boolean): boolean {
  const at = subcommandAt(words);
  if (words.slice(0, at === -1 ? undefined : at + 1).some((word) => word.includes('*'))) return true;
  if (!open || at === -1) return open;
  const [subcommand = '', next = ''] = words.slice(at);
  return RUNS_ANY.test(subcommand) && NAMED.get(subcommand)?.test(next) !== true;
}

/** Returns the index of git's subcommand in a pattern, or -1. */
function subcommandAt(words: readonly string[]): number {
  return words.findIndex(
    (word, index) => index > 0 && !word.startsWith('-') && !BEFORE_SUBCOMMAND.test(words[index - 1] ?? ''),
  );
}
