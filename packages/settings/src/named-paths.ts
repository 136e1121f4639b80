// The paths that the command line and the environment of a program may name. A word is not understood, it is taken apart:
// to cover a file too many costs a question, to miss one lets a trusted program be replaced.

import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { CommandLine } from './command-line.ts';
import { programName } from './command-line.ts';
import { SettingsError } from './settings-error.ts';
import type { StartedProgram } from './started-programs.ts';

/** A path that may be named. */
export interface NamedPath {
  /** Absolute; `..` may stand in it, and means what a link before it makes of it. */
  readonly path: string;
  /** `file`: counts only where it is a file, so that a folder of the same name is not covered. */
  readonly as: 'any' | 'file';
  /** Set for a manifest whose entry file an interpreter runs, as in `node .`. */
  readonly runsEntry?: true;
}

/** What a program names. */
export interface NamedPaths {
  readonly paths: readonly NamedPath[];
  /** Files that its task runner reads in a folder that it works in or names, such as `package.json`. */
  readonly runnerFiles: readonly string[];
  /** Every piece of its words: the name of a script may be one. */
  readonly pieces: ReadonlySet<string>;
  /** Task runners that take the name of a script in a manifest that can be read, such as `npm`. */
  readonly scriptRunners: readonly string[];
  /** Programs of which no file tells what they start, such as `make`. */
  readonly untold: readonly string[];
}

/** More pieces than this, each counted once for every folder that it is looked for in, are no command line. */
const MOST_PIECES = 10_000;

/**
 * Returns what a program names in the folders in which its commands may run.
 *
 * @throws SettingsError `settings/too-much` for a program with more than 10,000 pieces of words, once for each folder.
 */
export function namedPaths(program: StartedProgram, folders: readonly string[], line: CommandLine): NamedPaths {
  const { command, args, env } = program;
  const pieces = new Set([command, ...args, ...Object.values(env), ...line.words].flatMap(piecesOf));
  if (pieces.size * folders.length > MOST_PIECES)
    throw new SettingsError(
      'settings/too-much',
      `${program.by} has more words than can be looked through: ${MOST_PIECES}`,
      { setting: program.by },
    );
  const runnerNames = [...new Set([...pieces].map(programName))].filter((name) => RUNNERS.has(name));
  const runners = runnerNames.flatMap((name) => RUNNERS.get(name) ?? []);
  const runsEntry = [...pieces].some((piece) => INTERPRETERS.has(programName(piece)));
  const names = [...pieces].filter((piece) => !piece.startsWith('-') && !piece.includes('\0') && piece !== '');
  // The name of a task (`npm run build`) is no path, unless a shell may make one of it.
  const hasTasks = runners.length > 0 && ![...pieces].some((piece) => SHELLS.has(programName(piece)));
  const paths = names.flatMap((name) => [
    ...placesIn(folders, name).map((path) => namedPath(path, isBare(name) && (hasTasks || name === command))),
    ...entriesOf(name).flatMap((entry) =>
      placesIn(folders, entry).map((path): NamedPath => ({
        ...namedPath(path, true),
        ...(runsEntry && entry.endsWith('/package.json') && { runsEntry }),
      })),
    ),
    ...manifestFolder(name).flatMap((above) => placesIn(folders, above).map((path) => namedPath(path, true))),
  ]);
  const bins = runners.flatMap(({ bin }) => (bin === undefined ? [] : names.map((name) => `${bin}/${binName(name)}`)));
  return {
    paths,
    runnerFiles: [...new Set([...runners.flatMap(({ reads }) => reads), ...bins])],
    pieces,
    scriptRunners: runnerNames.filter((name) => RUNNERS.get(name)?.scripts === true),
    untold: runnerNames.filter((name) => RUNNERS.get(name)?.scripts !== true),
  };
}

/** The folder of a manifest that is named itself (`--manifest-path tools/Cargo.toml`): files next to it are read too. */
function manifestFolder(name: string): readonly string[] {
  const [, above, file = ''] = /^(.*)\/([^/]+)$/s.exec(name) ?? [];
  const isManifest = [...RUNNERS.values()].some(({ reads }) => reads.includes(file));
  return above !== undefined && isManifest ? [above === '' ? '/' : above] : [];
}

function namedPath(path: string, fileOnly: boolean): NamedPath {
  return { path, as: fileOnly ? 'file' : 'any' };
}

/** Returns the paths that a word may mean in any of the folders. */
export function placesIn(folders: readonly string[], name: string): readonly string[] {
  return [...new Set(folders.flatMap((folder) => placesOf(folder, name)))];
}

/** As the system follows it, and as a program that resolves `..` by itself has it. */
function placesOf(folder: string, name: string): readonly string[] {
  const [followed, lexical] = [name.startsWith(sep) ? name : `${folder}${sep}${name}`, resolve(folder, name)];
  return name.includes('..') ? [followed, lexical] : [lexical];
}

function isBare(name: string): boolean {
  return !name.startsWith('.') && !name.includes('/') && !name.includes(sep);
}

/** The word; its parts, as an option (`--require=./x.js`, `-I./lib`), a list and a line for a shell have them; URLs of files. */
function piecesOf(word: string): readonly string[] {
  // Where a shell puts something in, it may be the folder: `$PWD/x.js`.
  const expanded = word.replaceAll(/\$\{[^}]*\}|\$\([^)]*\)|\$\w+|%\w+%/g, '.');
  const parts = [word, expanded].flatMap((text) => [
    text,
    ...text.split(/[=,:;]+/),
    ...text.split(/['"`]+/),
    ...text.split(/[\s=,:;|&<>(){}'"`$]+/),
  ]);
  const attached = parts.flatMap((part) => /^(?:-\w|@)(.+)$/s.exec(part)?.[1] ?? []);
  // Of a pattern such as `tools/*.js` the folder is named.
  const globbed = parts.flatMap((part) => /^([^*?[]*)\/[^/]*[*?[]/s.exec(part)?.[1] ?? []);
  return [...parts, ...attached, ...globbed, ...fileUrlsIn(word)];
}

function fileUrlsIn(word: string): readonly string[] {
  return (word.match(/file:\/\/[^\s'"`,;]+/g) ?? []).flatMap((url) => {
    try {
      return [fileURLToPath(url)];
    } catch {
      // An address of another machine names no file here.
      return [];
    }
  });
}

/** What an interpreter makes of a name that is no file itself: `node server`, `node tools`, `python -m shop.server`. */
export function entriesOf(name: string): readonly string[] {
  const dotted = name.includes('.') && isBare(name) ? [name.replaceAll('.', '/')] : [];
  return [name, ...dotted].flatMap((path) => ENTRIES.map((entry) => `${path}${entry}`));
}

const ENDINGS = ['.js', '.cjs', '.mjs', '.json', '.node', '.ts', '.cts', '.mts', '.py'];
const ENTRIES = [
  ...ENDINGS,
  '/package.json',
  '/index.js',
  '/index.json',
  '/index.node',
  '/index.ts',
  '/__main__.py',
  '/__init__.py',
];

/** A program that runs what a file in its folder says. */
interface Runner {
  readonly reads: readonly string[];
  /** Where it looks for the programs that it is given by name. */
  readonly bin?: string;
  /** Its tasks are scripts of a manifest that `readManifest` understands. */
  readonly scripts?: true;
}

const NPX: Runner = { reads: ['package.json', '.npmrc'], bin: 'node_modules/.bin' };
const NPM: Runner = { ...NPX, scripts: true };
const PNPM: Runner = { ...NPM, reads: [...NPM.reads, 'pnpm-workspace.yaml', '.pnpmfile.cjs'] };
const BUN: Runner = { ...NPM, reads: [...NPM.reads, 'bunfig.toml'] };
const MAKE: Runner = { reads: ['GNUmakefile', 'makefile', 'Makefile'] };
const UV: Runner = { reads: ['pyproject.toml', 'uv.toml'], bin: '.venv/bin' };

const CARGO: Runner = {
  reads: [
    'Cargo.toml',
    'build.rs',
    'src/main.rs',
    '.cargo/config.toml',
    '.cargo/config',
    'rust-toolchain.toml',
    'rust-toolchain',
  ],
};

/** By name of the program, or by the option of `node` that makes it one. */
const RUNNERS: ReadonlyMap<string, Runner> = new Map([
  ['npm', NPM],
  ['npx', NPX],
  ['pnpm', PNPM],
  ['pnpx', { reads: PNPM.reads, bin: 'node_modules/.bin' }],
  ['yarn', { ...NPM, reads: [...NPM.reads, '.yarnrc', '.yarnrc.yml', '.pnp.cjs'] }],
  ['bun', BUN],
  ['bunx', { reads: BUN.reads, bin: 'node_modules/.bin' }],
  ['--run', { reads: ['package.json'], scripts: true }],
  ['deno', { reads: ['deno.json', 'deno.jsonc', 'package.json'], scripts: true }],
  ['make', MAKE],
  ['gmake', MAKE],
  ['just', { reads: ['justfile', 'Justfile', '.justfile'] }],
  ['uv', UV],
  ['uvx', UV],
  ['poetry', { reads: ['pyproject.toml'], bin: '.venv/bin' }],
  ['cargo', CARGO],
  ['go', { reads: ['go.mod', 'go.work', 'main.go'] }],
  ['rake', { reads: ['Rakefile', 'rakefile', 'Rakefile.rb', 'rakefile.rb'] }],
]);

/** Programs that run the entry file of a folder by its `package.json`. */
const INTERPRETERS: ReadonlySet<string> = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node', 'nodemon']);

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'cmd', 'powershell', 'pwsh']);

/** Of a package (`@shop/server@2`) the name of the program that it usually brings. */
function binName(name: string): string {
  return name.replace(/(?<=.)@[^/]*$/s, '').replace(/^.*\//s, '');
}
