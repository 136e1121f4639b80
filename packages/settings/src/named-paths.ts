// Finds the paths that the command line and the environment of a program possibly name. A word is split into its
// possible parts and is not interpreted. If the digest for trust contains a file that is not needed, the only cost is a
// question to the user. If a file is missing, another program could replace a trusted one.

import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { CommandLine } from './command-line.ts';
import { programName } from './command-line.ts';
import { SettingsError } from './settings-error.ts';
import type { StartedProgram } from './started-programs.ts';

/** Path that a word possibly names. */
export interface NamedPath {
  /** Absolute path. It may contain `..`. After a link, `..` means the parent of the link's target. */
  readonly path: string;
  /**
   * `file`: the path is used only if it leads to a file. If a folder has the same name, its files are not included.
   * `any`: the path is used for a file and for a folder.
   */
  readonly as: 'any' | 'file';
  /** Set for a manifest if an interpreter runs its entry file, as in `node .`. */
  readonly runsEntry?: true;
}

/** Paths and files that a program names or reads. */
export interface NamedPaths {
  readonly paths: readonly NamedPath[];
  /**
   * Files that the program's task runner reads, such as `package.json`. It reads them in each folder that the program
   * runs in or names.
   */
  readonly runnerFiles: readonly string[];
  /** Parts into which the words of the program were split. A part can be the name of a script. */
  readonly pieces: ReadonlySet<string>;
  /** Task runners, such as `npm`, that take the name of a script. The script must be in a manifest that can be read. */
  readonly scriptRunners: readonly string[];
  /** Programs for which no file shows what they start, such as `make`. */
  readonly untold: readonly string[];
}

/**
 * Maximum number of parts (`pieces`) of a command line. A part is counted for every folder in which it is searched for.
 */
const MAX_PIECES = 10_000;

/**
 * Returns the paths that a program possibly names, in each of the folders in which its commands can run.
 *
 * @throws SettingsError `settings/too-much` if the words of the program have more than 10,000 parts. Each part is
 * counted for every folder.
 */
export function namedPaths(program: StartedProgram, folders: readonly string[], line: CommandLine): NamedPaths {
  const { command, args, env } = program;
  const pieces = new Set([command, ...args, ...Object.values(env), ...line.words].flatMap(piecesOf));
  if (pieces.size * folders.length > MAX_PIECES)
    throw new SettingsError('settings/too-much', `${program.by} has more words than the maximum of ${MAX_PIECES}`, {
      setting: program.by,
    });
  const runnerNames = [...new Set([...pieces].map(programName))].filter((name) => RUNNERS.has(name));
  const runners = runnerNames.flatMap((name) => RUNNERS.get(name) ?? []);
  const runsEntry = [...pieces].some((piece) => INTERPRETERS.has(programName(piece)));
  const names = [...pieces].filter((piece) => !piece.startsWith('-') && !piece.includes('\0') && piece !== '');
  // The name of a task (`npm run build`) is not a path. The exception is a shell that may use it as a path.
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

/**
 * Returns the folder of a manifest that is named directly (`--manifest-path tools/Cargo.toml`). The task runner also
 * reads files next to the manifest.
 */
function manifestFolder(name: string): readonly string[] {
  const [, above, file = ''] = /^(.*)\/([^/]+)$/s.exec(name) ?? [];
  const isManifest = [...RUNNERS.values()].some(({ reads }) => reads.includes(file));
  return above !== undefined && isManifest ? [above === '' ? '/' : above] : [];
}

function namedPath(path: string, fileOnly: boolean): NamedPath {
  return { path, as: fileOnly ? 'file' : 'any' };
}

/** Returns the paths that a word possibly names in any of the folders. */
export function placesIn(folders: readonly string[], name: string): readonly string[] {
  return [...new Set(folders.flatMap((folder) => placesOf(folder, name)))];
}

/**
 * Returns the path in the form in which the system follows it. If the path contains `..`, also returns a second form,
 * in which `..` is resolved without following links. Some programs use this second form.
 */
function placesOf(folder: string, name: string): readonly string[] {
  const [followed, lexical] = [name.startsWith(sep) ? name : `${folder}${sep}${name}`, resolve(folder, name)];
  return name.includes('..') ? [followed, lexical] : [lexical];
}

function isBare(name: string): boolean {
  return !name.startsWith('.') && !name.includes('/') && !name.includes(sep);
}

/**
 * Returns the word, its parts, and the file URLs in it. The word is split in three ways: as an option
 * (`--require=./x.js`, `-I./lib`), as a list and as a shell line.
 */
function piecesOf(word: string): readonly string[] {
  // An expansion of the shell can be the path of the current folder (`$PWD/x.js`). Therefore it is replaced by `.`.
  const expanded = word.replaceAll(/\$\{[^}]*\}|\$\([^)]*\)|\$\w+|%\w+%/g, '.');
  const parts = [word, expanded].flatMap((text) => [
    text,
    ...text.split(/[=,:;]+/),
    ...text.split(/['"`]+/),
    ...text.split(/[\s=,:;|&<>(){}'"`$]+/),
  ]);
  const attached = parts.flatMap((part) => /^(?:-\w|@)(.+)$/s.exec(part)?.[1] ?? []);
  // For a pattern such as `tools/*.js`, the folder is used.
  const globbed = parts.flatMap((part) => /^([^*?[]*)\/[^/]*[*?[]/s.exec(part)?.[1] ?? []);
  return [...parts, ...attached, ...globbed, ...fileUrlsIn(word)];
}

function fileUrlsIn(word: string): readonly string[] {
  return (word.match(/file:\/\/[^\s'"`,;]+/g) ?? []).flatMap((url) => {
    try {
      return [fileURLToPath(url)];
    } catch {
      // If a file URL contains the name of another machine, it means no file on this machine.
      return [];
    }
  });
}

/**
 * Returns the paths that an interpreter tries for a name without an extension: `node server`, `node tools`, `python -m
 * shop.server`.
 */
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

/** Task runner: a program whose commands are listed in a file of its folder. */
interface Runner {
  readonly reads: readonly string[];
  /** Folder in which the runner searches for programs that are called by name. */
  readonly bin?: string;
  /** Set if the tasks of the runner are scripts in a manifest, and `readManifest` can read the manifest. */
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

/** Task runners by the name of the program, or by the option (`--run`) that makes `node` a task runner. */
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

/** Programs that run the entry file of a folder. The folder's `package.json` names the entry file. */
const INTERPRETERS: ReadonlySet<string> = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node', 'nodemon']);

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'cmd', 'powershell', 'pwsh']);

/** Returns the usual program name of a package: `server` for `@shop/server@2`. */
function binName(name: string): string {
  return name.replace(/(?<=.)@[^/]*$/s, '').replace(/^.*\//s, '');
}
