// Whether it can be told which files of a workspace a command starts. A program counts as one that cannot be told, unless it is
// known: a new tool must not pass for a harmless one.

import type { CommandWord, StartedCommand } from './command-line.ts';
import { programName } from './command-line.ts';

/** What the workspace says of words of a command. */
export interface WorkspaceLook {
  /** True where a word leads to a file, as it stands or as an interpreter completes it. */
  readonly isFile: (word: string) => boolean;
  /** True where a word leads into the workspace: what lies there is covered, there or not yet. */
  readonly isInside: (word: string) => boolean;
  /** True for a script of a manifest that was read. */
  readonly isScript: (name: string) => boolean;
}

/** Returns the name of the program where nothing tells which files it starts. */
export function untoldProgram({ program, args, launches }: StartedCommand, look: WorkspaceLook): string | undefined {
  const name = programName(program);
  if (/[/\\]/.test(program) && look.isInside(program)) return RUN_A_BUILD.has(name) ? name : undefined;
  return launches || startsNone(name, args, look) ? undefined : name;
}

/** Files of a workspace that run what other files of it say. */
const RUN_A_BUILD: ReadonlySet<string> = new Set(['gradlew', 'mvnw', 'rails', 'rake', 'mill', 'sbt', 'pants', 'bazel']);

function startsNone(name: string, args: readonly CommandWord[], look: WorkspaceLook): boolean {
  if (START_NONE.has(name)) return true;
  if (isRunner(name, args)) return isToldScript(name, args, look) || isToldFile(name, args, look);
  if (name === 'docker' || name === 'podman') return isPlainContainer(args);
  return interpreterOf(name) !== undefined && isToldFile(name, args, look);
}

/**
 * Builtins of shells, and programs that start no other program whatever they are given. `.` runs the file that it names; `eval`
 * and `trap` run what was read as a line.
 */
const START_NONE: ReadonlySet<string> = new Set(
  (
    ': . source [ [[ test true false echo printf cat ls cd pushd popd chdir pwd mkdir rmdir rm cp mv ln touch chmod sleep exit ' +
    'return break continue shift set unset export readonly declare typeset local read wait kill umask ulimit eval trap type which ' +
    'head tail grep cut tr uniq wc date dirname basename realpath readlink mktemp seq tee uname id whoami hostname curl'
  ).split(' '),
);

/** Names of builtins, which no file in `PATH` replaces. */
export const BUILTINS: ReadonlySet<string> = new Set(
  (
    ': . source [ [[ test true false echo printf cd pushd popd pwd exit return break continue shift set unset export readonly ' +
    'declare typeset local read wait kill umask ulimit eval trap type exec command builtin'
  ).split(' '),
);

function isRunner(name: string, args: readonly CommandWord[]): boolean {
  return SCRIPT_RUNNERS.has(name) || (isNode(name) && args.some(({ text }) => /^--run(?:=|$)/.test(text)));
}

/** Programs that run a script of a manifest. */
const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'deno']);
/** Runners that need no word before the name of a script. */
const NAME_ALONE: ReadonlySet<string> = new Set(['pnpm', 'yarn', 'bun']);
const RUN_WORDS = /^(?:run|run-script|task|start|stop|test|t|tst|restart|--run)$/;
/** What these start is in packages. */
const OTHER_WORDS =
  /^(?:i|install|ci|add|update|up|upgrade|rebuild|exec|x|dlx|create|init|link|publish|pack|install-test|it|cit)$/;
/** Another package of the workspace may have a script of the same name. */
const OTHER_PACKAGES =
  /^(?:-w.*|-ws|--workspaces?(?:=.*)?|--include-workspace-root|-r|--recursive|-F.*|--filter(?:-prod)?(?:=.*)?|workspaces?|foreach)$/;

function isToldScript(name: string, args: readonly CommandWord[], { isScript }: WorkspaceLook): boolean {
  const end = args.findIndex(({ text }) => text === '--');
  const own = end === -1 ? args : args.slice(0, end);
  // They have a runner of tests of their own.
  if ((name === 'bun' || name === 'deno') && own[0]?.text === 'test') return false;
  if (own.some(({ text, known }) => !known || OTHER_WORDS.test(text) || OTHER_PACKAGES.test(text))) return false;
  if (!NAME_ALONE.has(name) && !own.some(({ text }) => RUN_WORDS.test(text) || text.startsWith('--run='))) return false;
  return own.some(({ text }) => isScript(text.replace(/^--run=/, '')));
}

/** A container without a folder of this machine holds its own files. */
function isPlainContainer(args: readonly CommandWord[]): boolean {
  const isMount = /^(?:-[A-Za-z]*v|--volume|--mount|--env-file)/;
  return args[0]?.text === 'run' && args.every(({ text, known }) => known && !isMount.test(text));
}

/** How an interpreter is given what it runs. */
interface Interpreter {
  /** Options with code. */
  readonly code?: RegExp;
  /** Option with the name of a module, which may be a file. */
  readonly module?: RegExp;
  /** Options with a module that is loaded first; `./x.js` names a file, `x` a package. */
  readonly preload?: RegExp;
  /** Options whose value is the next word, and is not what runs. */
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

/** True where an interpreter is given a file, and nothing that may start another one. */
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

/** A word that names a file: it leads to one, or is written as a path and not as an address. */
function isPath(word: string, { isFile }: WorkspaceLook): boolean {
  if (/^(?!file:)[A-Za-z][A-Za-z+.-]+:/.test(word)) return false;
  return isFile(word) || /^\.{1,2}$|\/|\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|R|jar|java)$/.test(word);
}
