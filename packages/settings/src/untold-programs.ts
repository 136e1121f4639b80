// Decides if the files of a workspace that a command starts are known. They count as known only for the programs that
// are listed in this file. Therefore a new tool is not treated as harmless.

import type { CommandWord, StartedCommand } from './command-line.ts';
import { programName } from './command-line.ts';

/** Checks of a word of a command. Their results depend on the files of the workspace. */
export interface WorkspaceLook {
  /**
   * Returns true if a word leads to a file. An interpreter may add an extension to the word: `server` leads to
   * `server.js`.
   */
  readonly isFile: (word: string) => boolean;
  /**
   * Returns true if a word leads into the workspace. The file at that path is part of the digest for trust, even if it
   * does not exist yet.
   */
  readonly isInside: (word: string) => boolean;
  /** Returns true for the name of a script in a manifest that was read. */
  readonly isScript: (name: string) => boolean;
}

/**
 * Returns the name of the program if no file shows what it starts. If a file shows it, or if the program starts no
 * other program, returns `undefined`. For a shell and a launcher, also returns `undefined`, because the commands that
 * they run are checked separately.
 */
export function untoldProgram({ program, args, launches }: StartedCommand, look: WorkspaceLook): string | undefined {
  const name = programName(program);
  if (/[/\\]/.test(program) && look.isInside(program)) return RUN_A_BUILD.has(name) ? name : undefined;
  return launches || startsNone(name, args, look) ? undefined : name;
}

/**
 * Names of build tools. A file of the workspace with such a name is part of the digest for trust. However, it also runs
 * commands from other files of the workspace.
 */
const RUN_A_BUILD: ReadonlySet<string> = new Set(['gradlew', 'mvnw', 'rails', 'rake', 'mill', 'sbt', 'pants', 'bazel']);

function startsNone(name: string, args: readonly CommandWord[], look: WorkspaceLook): boolean {
  if (START_NONE.has(name)) return true;
  if (isRunner(name, args)) return isToldScript(name, args, look) || isToldFile(name, args, look);
  if (name === 'docker' || name === 'podman') return isPlainContainer(args);
  return interpreterOf(name) !== undefined && isToldFile(name, args, look);
}

/**
 * Builtins of shells, and programs that never start another program. `.` runs a file, but this file is part of the
 * digest for trust. `eval` and `trap` run a shell line, but this line was already read.
 */
const START_NONE: ReadonlySet<string> = new Set(
  (
    ': . source [ [[ test true false echo printf cat ls cd pushd popd chdir pwd mkdir rmdir rm cp mv ln touch chmod sleep exit ' +
    'return break continue shift set unset export readonly declare typeset local read wait kill umask ulimit eval trap type which ' +
    'head tail grep cut tr uniq wc date dirname basename realpath readlink mktemp seq tee uname id whoami hostname curl'
  ).split(' '),
);

/** Names of shell builtins. A file in `PATH` cannot replace them. */
export const BUILTINS: ReadonlySet<string> = new Set(
  (
    ': . source [ [[ test true false echo printf cd pushd popd pwd exit return break continue shift set unset export readonly ' +
    'declare typeset local read wait kill umask ulimit eval trap type exec command builtin'
  ).split(' '),
);

function isRunner(name: string, args: readonly CommandWord[]): boolean {
  return SCRIPT_RUNNERS.has(name) || (isNode(name) && args.some(({ text }) => /^--run(?:=|$)/.test(text)));
}

const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'deno']);
/** Runners that need only the name of a script to run it. Other runners need a word such as `run` before the name. */
const NAME_ALONE: ReadonlySet<string> = new Set(['pnpm', 'yarn', 'bun']);
const RUN_WORDS = /^(?:run|run-script|task|start|stop|test|t|tst|restart|--run)$/;
/** Matches subcommands that start programs from packages. */
const OTHER_WORDS =
  /^(?:i|install|ci|add|update|up|upgrade|rebuild|exec|x|dlx|create|init|link|publish|pack|install-test|it|cit)$/;
/**
 * Matches options and subcommands that select other packages of the workspace. Such a package may have a script with
 * the same name.
 */
const OTHER_PACKAGES =
  /^(?:-w.*|-ws|--workspaces?(?:=.*)?|--include-workspace-root|-r|--recursive|-F.*|--filter(?:-prod)?(?:=.*)?|workspaces?|foreach)$/;

function isToldScript(name: string, args: readonly CommandWord[], { isScript }: WorkspaceLook): boolean {
  const end = args.findIndex(({ text }) => text === '--');
  const own = end === -1 ? args : args.slice(0, end);
  // `bun test` and `deno test` run their own test runner and no script.
  if ((name === 'bun' || name === 'deno') && own[0]?.text === 'test') return false;
  if (own.some(({ text, known }) => !known || OTHER_WORDS.test(text) || OTHER_PACKAGES.test(text))) return false;
  if (!NAME_ALONE.has(name) && !own.some(({ text }) => RUN_WORDS.test(text) || text.startsWith('--run='))) return false;
  return own.some(({ text }) => isScript(text.replace(/^--run=/, '')));
}

/**
 * Returns true for a container that mounts no folder of the local machine. All files of such a container are inside its
 * image.
 */
function isPlainContainer(args: readonly CommandWord[]): boolean {
  const isMount = /^(?:-[A-Za-z]*v|--volume|--mount|--env-file)/;
  return args[0]?.text === 'run' && args.every(({ text, known }) => known && !isMount.test(text));
}

/** Options that give an interpreter its code. */
interface Interpreter {
  /** Matches options with code as their value. */
  readonly code?: RegExp;
  /** Matches the option with the name of a module. The module can be a file. */
  readonly module?: RegExp;
  /** Matches options that name a module to load first. `./x.js` is a file, `x` is a package. */
  readonly preload?: RegExp;
  /** Matches options whose value is the next word. That value is not the file that the interpreter runs. */
  readonly valued?: RegExp;
}

const NODE: Interpreter = {
  code: /^(?:-e|--eval|-p|--print|-pe|--test|--run|-i|--interactive)(?:=|$)/,
  preload: /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=(.*))?$/s,
  valued:
    /^(?:-[rC]|--(?:require|import|(?:experimental-)?loader|conditions|.*-(?:dir|path|file|config|exists|blob)))$/,
};

const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  ['node', NODE],
  ['nodejs', NODE],
  ['tsx', NODE],
  ['ts-node', NODE],
  ['bun', { ...NODE, code: /^(?:-e|--eval|-p|--print|test|build|x)$/ }],
  ['deno', { code: /^(?:eval|repl|test|bench|compile|install|x)$/ }],
  ['python', { code: /^-[A-Za-z]*c/, module: /^-[A-Za-z]*m(.*)$/s, valued: /^-[WX]$/ }],
  ['ruby', { code: /^-[A-Za-z]*[eS]/, valued: /^-[IrC]$/ }],
  ['perl', { code: /^-[A-Za-z]*[eES]/, valued: /^-I$/ }],
  ['php', { code: /^-[rBREFS]/, valued: /^-[cdz]$/ }],
  ['lua', { code: /^-[el]/ }],
  ['Rscript', { code: /^-e$/ }],
  ['java', { valued: /^(?:-cp|-classpath|--class-path|-p|--module-path)$/ }],
]);

function interpreterOf(name: string): Interpreter | undefined {
  return INTERPRETERS.get(
    /^(?:python|pypy)[\d.]*$/.test(name) ? 'python' : name.replace(/(?<=^(?:lua|ruby|perl|php))[\d.]+$/, ''),
  );
}

function isNode(name: string): boolean {
  return INTERPRETERS.get(name) === NODE;
}

/**
 * Returns true if the arguments name a file for the interpreter, and no earlier argument makes the interpreter run
 * other code.
 */
function isToldFile(name: string, args: readonly CommandWord[], look: WorkspaceLook): boolean {
  const interpreter = interpreterOf(name);
  if (interpreter === undefined) return false;
  const { code, module, preload, valued } = interpreter;
  let isValue = false;
  for (const [index, { text, known }] of args.entries()) {
    const next = args[index + 1]?.text ?? '';
    if (isValue) {
      isValue = false;
      continue;
    }
    const ofModule = module?.exec(text)?.[1];
    if (ofModule !== undefined) return look.isFile(ofModule === '' ? next : ofModule);
    if (code?.test(text) === true || text === '-') return false;
    const loaded = preload?.exec(text) ?? undefined;
    if (loaded !== undefined && !isPath(loaded[1] ?? next, look)) return false;
    isValue = valued?.test(text) === true;
    if (known && !text.startsWith('-') && isPath(text, look)) return true;
  }
  return false;
}

/** Returns true for a word that names a file: the word leads to a file, or it is written as a path and not as a URL. */
function isPath(word: string, { isFile }: WorkspaceLook): boolean {
  if (/^(?!file:)[A-Za-z][A-Za-z+.-]+:/.test(word)) return false;
  return isFile(word) || /^\.{1,2}$|\/|\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|R|jar|java)$/.test(word);
}
