// Handed-on commands: finds the commands that a command passes to a program which runs commands. Such a program is a
// shell, `sudo`, `xargs` or an alias of git. The result is a list of texts and words, and the caller parses each of
// them. If the passed commands cannot be known, the result is `anything`.

import type { PossibleCommand } from '@tidemark/agent';
import { handsOn, launches, programName } from '@tidemark/agent';
import type { Redirection } from 'unbash';
import { DECIDES, decides } from './deciding-variables.ts';
import { readsShellInput } from './fed-shells.ts';
import { sedRuns, sedScripts } from './sed-runs.ts';
import { textOf } from './word-text.ts';

/**
 * A command that is passed on: separate words, a shell script, or code in another language. With `anything`, the
 * command cannot be known. With `open`, more words may be added to the script at run time.
 */
export type Handed =
  | { readonly as: 'words'; readonly words: PossibleCommand }
  | { readonly as: 'script'; readonly text: string; readonly open?: boolean }
  | { readonly as: 'code'; readonly text: string }
  | { readonly as: 'anything' };

const ANYTHING: Handed = { as: 'anything' };
/**
 * Maximum number of words of a command that are examined. If a command is longer, it counts as a command that could run
 * anything.
 */
const MAX_WORDS = 500;
const PLAIN_WORD = /^[\w@%+:,./-]*$/;

/**
 * Returns the commands that a command passes to programs which run other commands: a shell, `sudo`, `xargs`, an alias
 * of git. If the passed commands cannot be known, returns `ANYTHING`. The first of the `words` is the program. `fed` is
 * true if the command reads a pipe or a file.
 */
export function handedOn(words: PossibleCommand, redirects: readonly Redirection[], fed: boolean): readonly Handed[] {
  const [program = '', ...given] = words;
  if (given.length > MAX_WORDS) return [ANYTHING];
  const name = programName(program);
  switch (launches(program)) {
    case 'launcher':
      // `command -v` only prints the path of a program and runs nothing.
      if (name === 'command' && /^-[pvV]*[vV]$/.test(given[0] ?? '')) return [];
      return [
        ...launchedPrograms(name, given),
        ...textsIn(name, given),
        ...given.flatMap(settingOf),
        ...renamedPrograms(name, given),
        ...ofInput(name, given, redirects, fed),
      ];
    case 'shell':
      return [
        ...(readsInput(given) ? input(redirects) : []),
        ...textsIn(name, given),
        // These shells join all words after their option to one command: `pwsh -c git push`.
        ...(JOIN_WORDS.has(name) ? launchedPrograms(name, given) : []),
      ];
    case 'interpreter':
      return [
        ...codeOfInput(name, given, redirects),
        ...(name === 'sed'
          ? ofSed(given)
          : isPlainAwk(name, given)
            ? []
            : [...given.flatMap(codeIn), ...ofCode(given)]),
      ];
    case 'changer':
      return given.flatMap(decidedPrograms);
    case undefined:
      return [...ofGit(name, given), ...byWays(words), ...ofBuild(name, given, redirects)];
  }
}

const JOIN_WORDS: ReadonlySet<string> = new Set(['pwsh', 'powershell']);
/** Programs that read commands from their input. */
const READ_INPUT: ReadonlySet<string> = new Set(['at', 'batch', 'crontab']);
/**
 * Programs that join their words and parse them again. An unknown word may end the command, and then a second command
 * begins.
 */
const READ_AGAIN: ReadonlySet<string> = new Set(['eval', 'ssh', 'watch']);
/** Programs that append more words to their command. */
const APPEND: ReadonlySet<string> = new Set(['xargs', 'parallel', 'find', 'fd', 'fdfind', 'alias', 'su', 'ssh']);
/** Programs whose command may begin at any word. */
const ANYWHERE: ReadonlySet<string> = new Set(['find', 'fd', 'fdfind', 'alias', 'su', 'ssh']);
/**
 * Builtins that run other builtins. After these builtins, the word `.` means the builtin that runs a file. After other
 * programs, `.` means a folder.
 */
const OF_BUILTINS: ReadonlySet<string> = new Set(['command', 'builtin', 'time', 'coproc', 'alias', 'trap', 'eval']);
/** Programs whose first word is one of their own subcommands, such as `docker rm`. */
const HAVE_SUBCOMMANDS: ReadonlySet<string> = new Set([
  'docker',
  'podman',
  'nerdctl',
  'docker-compose',
  'heroku',
  'doppler',
]);
/**
 * Programs that run a command. The command begins at the first word that is certainly a program. The words after it are
 * arguments of that command.
 */
const FIRST_PROGRAM: ReadonlySet<string> = new Set(
  'sudo doas env nice nohup timeout time stdbuf setsid ionice chrt xargs command exec builtin caffeinate'.split(' '),
);

/**
 * Returns the commands that a launcher may run. There is one command for each word at which a command may begin. An
 * unknown word may be such a word, unless a command certainly begins at an earlier word.
 */
function launchedPrograms(program: string, asGiven: PossibleCommand): readonly Handed[] {
  const given = withInput(program, asGiven);
  if (READ_AGAIN.has(program) && given.includes(undefined)) return [ANYTHING];
  const begin = beginOf(program, given);
  const subcommand = HAVE_SUBCOMMANDS.has(program) ? given.findIndex((word) => word?.startsWith('-') === false) : -1;
  // If no command is given, these programs run the lines that they read from their input.
  if (RUN_LINES.has(program) && begin === -1) return [ANYTHING];
  return given.flatMap((word, index): Handed[] => {
    if (word === undefined) return begin === -1 || index < begin ? [ANYTHING] : [];
    if (word === '.' && !OF_BUILTINS.has(program)) return [];
    if (begin !== -1 && index > begin && FIRST_PROGRAM.has(program)) return [];
    if (index === subcommand) return [];
    const rest = given.slice(index);
    return [{ as: 'words', words: APPEND.has(program) ? [...rest, undefined] : rest }];
  });
}

/** Returns the index at which the command certainly begins. If the beginning is uncertain, returns -1. */
function beginOf(program: string, given: PossibleCommand): number {
  if (ANYWHERE.has(program)) return -1;
  return given.findIndex((word, index) => {
    const before = given[index - 1] ?? '';
    // These options of `xargs` include their value or have no value. Therefore the next word is not the value of an
    // option.
    return isSurelyProgram(word, program === 'xargs' && /^-([0rt]|[IiLnPs].+)$/.test(before) ? '' : before);
  });
}

/**
 * Returns the words. If the launcher inserts text that it reads or finds into a word, this word is replaced by
 * `undefined`.
 */
function withInput(program: string, given: PossibleCommand): PossibleCommand {
  if (program === 'find' || program.startsWith('fd'))
    return given.map((word, index) => (word === '{}' && /^--?[eoxX]/.test(given[index - 1] ?? '') ? undefined : word));
  if (RUN_LINES.has(program)) return withMarks(given.filter((word) => word === undefined || !/^::::?\+?$/.test(word)));
  return program === 'xargs' ? withMarks(given) : given;
}

/** Programs that read lines from their input and run each line as a command. */
const RUN_LINES: ReadonlySet<string> = new Set(['parallel', 'sem', 'env_parallel']);

function withMarks(given: PossibleCommand): PossibleCommand {
  const marks = given.flatMap((word, index) => (/^-[IJ]$/.test(given[index - 1] ?? '') ? [word ?? '{}'] : []));
  const attached = given.flatMap((word) => /^-[IJi](.+)$/s.exec(word ?? '')?.[1] ?? []);
  return given.map((word, index) => {
    if (word === undefined || word.startsWith('-') || /^-[IJ]$/.test(given[index - 1] ?? '')) return word;
    return ['{}', ...marks, ...attached].some((mark) => mark !== '' && word.includes(mark)) ? undefined : word;
  });
}

function isSurelyProgram(word: string | undefined, before: string | undefined): boolean {
  return word !== undefined && /^[A-Za-z./]/.test(word) && !word.includes('=') && !(before ?? '').startsWith('-');
}

/** Returns `ANYTHING` for a variable that changes what the started command runs: `env PATH=. npm test`. */
function settingOf(word: string | undefined): readonly Handed[] {
  const at = word?.indexOf('=') ?? -1;
  return word !== undefined && at > 0 && decides(word.slice(0, at), word.slice(at + 1)) ? [ANYTHING] : [];
}

/**
 * After `hash -p /usr/bin/git x`, a shell runs a program under another name. Returns this program. For `enable -f
 * ./x.so x`, returns `ANYTHING`, because it loads a builtin from a file.
 */
function renamedPrograms(program: string, given: PossibleCommand): readonly Handed[] {
  if (program === 'enable') return given.some((word) => word === undefined || /^-[a-z]*f/.test(word)) ? [ANYTHING] : [];
  if (program !== 'hash') return [];
  return given.flatMap((word, index): readonly Handed[] => {
    const attached = /^-[a-z]*p(.*)$/s.exec(word ?? '')?.[1];
    if (attached === undefined) return [];
    return [{ as: 'words', words: [attached === '' ? given[index + 1] : attached, undefined] }];
  });
}

/**
 * Returns the commands in the input of a launcher. The launcher is a scheduler such as `at`, or it opens a shell on
 * this machine or on another machine.
 */
function ofInput(
  name: string,
  given: PossibleCommand,
  redirects: readonly Redirection[],
  fed: boolean,
): readonly Handed[] {
  if (READ_INPUT.has(name)) return given.includes('-l') ? [] : input(redirects);
  const opensShell =
    OPEN_SHELL.has(name) || (/^(sudo|doas)$/.test(name) && given.every((word) => word?.startsWith('-')));
  const text = opensShell ? inputOf(redirects) : undefined;
  if (text !== undefined) return [{ as: 'script', text }];
  return fed && readsShellInput(name, given) ? [ANYTHING] : [];
}

/** Programs that open a shell if they have no command. The shell runs on this machine or on another machine. */
const OPEN_SHELL: ReadonlySet<string> = new Set(['ssh', 'su', 'wsl', 'newgrp', 'mosh', 'sg']);

/** Programs that receive their command as separate words and parse no text. */
const TAKE_WORDS: ReadonlySet<string> = new Set(['find', 'fd', 'fdfind', 'xargs']);

/**
 * Returns the words that may contain scripts. A script may be a whole word, may follow a `=`, or may be attached to an
 * option: `sh -c '…'`, `alias x='…'`, `env -S'…'`.
 */
function textsIn(program: string, given: PossibleCommand): readonly Handed[] {
  if (TAKE_WORDS.has(program)) return [];
  const known = given.filter((word) => word !== undefined);
  const together: Handed[] = program === 'eval' ? [{ as: 'script', text: known.join(' ') }] : [];
  const each = given.flatMap((word, index): Handed[] => {
    if (word === undefined) return (given[index - 1] ?? '').startsWith('-') || index === 0 ? [ANYTHING] : [];
    const joined = /^-[A-Za-z0-9]*?[cS](.+)$/s.exec(word)?.[1];
    return [
      ...(PLAIN_WORD.test(word) ? [] : [{ as: 'script' as const, text: word }]),
      ...(joined === undefined ? [] : [{ as: 'script' as const, text: joined, open: true }]),
      ...behindSign(word),
    ];
  });
  return [...together, ...each];
}

function behindSign(word: string): readonly Handed[] {
  const at = word.indexOf('=');
  return at === -1 ? [] : [{ as: 'script', text: word.slice(at + 1), open: true }];
}

/** Options of shells whose value is the next word. This word is not a file. */
const WITH_VALUE = /^[-+][oO]$/;

/** Returns true if a shell or an interpreter with these arguments reads its script from its input. */
function readsInput(given: PossibleCommand): boolean {
  const isCode = (word: string | undefined): boolean =>
    word !== undefined && /^--?[a-z]*[ceEp](=|$)|^--eval/.test(word);
  if (given.some((word) => word === '-s' || word === '-' || word?.startsWith('/dev/') || word?.startsWith('/proc/')))
    return true;
  const words = given.filter((_, index) => !WITH_VALUE.test(given[index - 1] ?? ''));
  return !words.some((word) => isCode(word) || word === undefined || !/^[-+]/.test(word));
}

function input(redirects: readonly Redirection[]): readonly Handed[] {
  const text = inputOf(redirects);
  return [text === undefined ? ANYTHING : { as: 'script', text }];
}

/**
 * Returns the code in the input of an interpreter. A here-document or here-string always counts as code, for any
 * arguments: `sqlite3 shop.db <<< '.shell …'`.
 */
function codeOfInput(name: string, given: PossibleCommand, redirects: readonly Redirection[]): readonly Handed[] {
  const text = inputOf(redirects);
  if (text !== undefined) return [{ as: 'code', text }];
  const tellsOfItself = given.some((word) => TELLS.test(word ?? '') || (word === '-v' && SHORT_VERSION.test(name)));
  return readsInput(given) && !tellsOfItself ? [ANYTHING] : [];
}

/**
 * Options with which an interpreter reads no code from its input. It prints information about itself, or runs the tests
 * that it finds.
 */
const TELLS = /^(--(version|help|test|test-[\w-]+=.*)|-V)$/;
/** Interpreters for which `-v` prints the version. For other interpreters, `-v` means verbose output. */
const SHORT_VERSION = /^(node|nodejs|deno|bun|ruby|php|perl)$/;

/**
 * Returns the text of a here-document or here-string. Returns `undefined` if there is no such text or more than one.
 * Also returns `undefined` if the running shell expands a part of the text.
 */
function inputOf(redirects: readonly Redirection[]): string | undefined {
  const [only, ...others] = redirects.filter(({ type }) => type !== 'Redirect');
  if (only === undefined || others.length > 0) return undefined;
  if (only.type === 'HereString') return only.target === undefined ? undefined : textOf(only.target);
  const isPlain = only.type === 'HereDoc' && (only.delimiter?.quoted === true || !/[$`\\]/.test(only.body.text));
  return isPlain && only.type === 'HereDoc' ? only.body.text : undefined;
}

/**
 * Returns true for an awk program that starts no other program. Such a program contains no `system`, pipe, `@` or
 * `getline`.
 */
function isPlainAwk(name: string, given: PossibleCommand): boolean {
  return /^[gmn]?awk$/.test(name) && given.every((word) => word !== undefined && !/system|[|@]|getline/.test(word));
}

function ofSed(given: PossibleCommand): readonly Handed[] {
  return sedScripts(given).some((script) => script !== undefined && sedRuns(script)) ? [ANYTHING] : [];
}

/** Options that pass code to an interpreter, in the next word or in the same word. */
const CODE_OPTION = /^(-[A-Za-z]*[ceErp]|--(eval|print|execute|command))(=|$)/;

/**
 * Returns the commands that the words after an interpreter's code could form, because the code may run these words. If
 * only the running shell knows the code, returns `ANYTHING`.
 */
function ofCode(given: PossibleCommand): readonly Handed[] {
  const at = given.findIndex((word) => CODE_OPTION.test(word ?? ''));
  if (at === -1) return [];
  if (given[at + 1] === undefined && at + 1 < given.length) return [ANYTHING];
  const behind = given.slice(at + 2);
  return behind.map((_, index) => ({ as: 'words', words: behind.slice(index) }));
}

/** Build programs. They run the commands in a file, and they can read that file from their input. */
const BUILDERS: ReadonlySet<string> = new Set(['make', 'bmake', 'just', 'ninja', 'rake', 'task']);

function ofBuild(name: string, given: PossibleCommand, redirects: readonly Redirection[]): readonly Handed[] {
  if (!BUILDERS.has(name)) return [];
  const files = given.flatMap((word, index) => {
    if (/^(-[A-Za-z]*f|--(file|makefile|justfile|rakefile|taskfile))$/.test(given[index - 1] ?? '')) return [word];
    return /^(?:-[A-Za-z]*?f|--(?:file|makefile|justfile|rakefile|taskfile)=)(.+)$/s.exec(word ?? '')?.slice(1) ?? [];
  });
  if (files.includes(undefined)) return [ANYTHING];
  if (!files.some((file) => file === '-' || /^\/(dev|proc)\//.test(file ?? ''))) return [];
  const text = inputOf(redirects);
  return [text === undefined ? ANYTHING : { as: 'code', text }];
}

function codeIn(word: string | undefined): readonly Handed[] {
  return word === undefined || PLAIN_WORD.test(word) ? [] : [{ as: 'code', text: word }];
}

/**
 * If a word of a builtin sets or names a variable that changes what runs, returns `ANYTHING`. Examples are `read PATH`
 * and `declare -n x=PATH`.
 */
function decidedPrograms(word: string | undefined): readonly Handed[] {
  const [name = ''] = word?.split(/[=[]/, 1) ?? [];
  const at = word?.indexOf('=') ?? -1;
  const value = at === -1 ? undefined : word?.slice(at + 1);
  const [named = ''] = value?.split(/[=[]/, 1) ?? [];
  return decides(name, value) || DECIDES.test(named) ? [ANYTHING] : [];
}

/**
 * Returns the commands that git may run. A setting of git may be a command (an alias, a pager, a helper). The commands
 * of git also exist as separate programs, such as `git-push`.
 */
function ofGit(name: string, given: PossibleCommand): readonly Handed[] {
  if (name.startsWith('git-')) return [{ as: 'words', words: ['git', name.slice(4), ...given] }];
  if (name !== 'git') return [];
  const settings = given.filter((_, index) => /^(-c|--config|--config-env|--exec-path)$/.test(given[index - 1] ?? ''));
  if (given.some((word) => /^--(exec-path|config-env)(=|$)/.test(word ?? ''))) return [ANYTHING];
  const all = given.map((word) => word?.replace(/^--config=/, '') ?? '');
  // An included settings file may define any alias.
  if (all.some((word) => /^include(if)?\./i.test(word))) return [ANYTHING];
  if (given.includes('config')) return given.flatMap((word, index) => ofSetting(word, given[index - 1]));
  return settings.flatMap((word) => ofSetting(word?.slice(word.indexOf('=') + 1), word));
}

function ofSetting(value: string | undefined, name: string | undefined): readonly Handed[] {
  if (value === undefined) return [ANYTHING];
  if (name?.toLowerCase().startsWith('alias.') !== true) return codeIn(value);
  return [...codeIn(value), { as: 'words', words: ['git', ...value.split(' '), undefined] }];
}

/**
 * Finds the first word with which a program runs another program. `handsOn` recognizes such words. Returns the commands
 * in this word and in the words after it.
 */
function byWays(words: PossibleCommand): readonly Handed[] {
  const at = words.findIndex((word, index) => word !== undefined && handsOn(words, index));
  const word = words[at];
  if (word === undefined) return [];
  const behind = words.slice(at + 1);
  const attached = [...codeIn(word.replace(/^-[A-Za-z]/, ' ')), ...codeIn(behind[0])];
  const itself: readonly Handed[] =
    programName(words[0] ?? '') === 'corepack' ? [{ as: 'words', words: [word, ...behind] }] : [];
  return [...itself, ...behindSign(word), ...attached, ...launchedPrograms('', behind), ...textsIn('', behind)];
}
