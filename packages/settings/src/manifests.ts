// Reads the entry files and the scripts in a folder's manifest (`package.json`, `deno.json`). Runs nothing.

import { basename } from 'node:path';

import { DEEPEST_JSON, isTooDeep } from '@tidemark/log';
import { parse } from 'jsonc-parser';

import { readPlainFile } from './plain-files.ts';
import { SettingsError } from './settings-error.ts';

/** Entry files and scripts of a manifest. If parts of the manifest cannot be parsed, they are missing. */
export interface Manifest {
  /** Paths relative to the manifest's folder: the path in `main`, and the paths in `exports` for the package itself. */
  readonly entries: readonly string[];
  /** Shell lines by the name of the script or task. */
  readonly scripts: ReadonlyMap<string, string>;
}

/** Names of the files that `readManifest` can read. */
export const MANIFESTS: ReadonlySet<string> = new Set(['package.json', 'deno.json', 'deno.jsonc']);

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a manifest.
 *
 * @throws SettingsError `settings/too-much` above 4 MiB, or if the manifest has more than 500 nested levels.
 */
export async function readManifest(path: string): Promise<Manifest> {
  const text = (await readPlainFile(path, MAX_BYTES))?.toString('utf8') ?? '';
  // The program that reads the manifest may accept any depth. The files in such a manifest would then be unknown here,
  // so the manifest is refused.
  if (isTooDeep(text))
    throw new SettingsError(
      'settings/too-much',
      `${path} is nested deeper than the maximum of ${DEEPEST_JSON} levels`,
      { path },
    );
  // `parse` continues after an error and accepts comments.
  const tree: unknown = parse(text);
  const entries = basename(path) === 'package.json' ? [...textsIn(fieldOf(tree, 'main')), ...exportsIn(tree)] : [];
  return { entries, scripts: new Map([...scriptsIn(fieldOf(tree, 'scripts')), ...scriptsIn(fieldOf(tree, 'tasks'))]) };
}

/**
 * Scripts that a package manager runs for a command. The key is the command: `test` for `t`, and `stop` and `start` for
 * `restart`.
 */
const ALSO_RUN: ReadonlyMap<string, readonly string[]> = new Map([
  ['t', ['test']],
  ['tst', ['test']],
  ['restart', ['stop', 'start']],
  ...['i', 'install', 'ci', 'add', 'rebuild'].map((name): [string, readonly string[]] => [
    name,
    ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'],
  ]),
]);

/**
 * Returns the shell lines of scripts. A script is included if its name is one of the words of a command line. For each
 * included script, the scripts before and after it (`pretest`, `posttest`) are included too.
 */
export function scriptsNamed({ scripts }: Manifest, words: ReadonlySet<string>): readonly string[] {
  const named = [...words].flatMap((word) => [word, ...(ALSO_RUN.get(word) ?? [])]);
  const around = named.flatMap((name) => [`pre${name}`, name, `post${name}`]);
  return [...new Set(around)].flatMap((name) => scripts.get(name) ?? []);
}

/** Returns the words that run scripts: the names of the scripts, and short forms such as `t` for `test`. */
export function wordsForScripts({ scripts }: Manifest): readonly string[] {
  const others = [...ALSO_RUN].flatMap(([word, run]) => (run.some((name) => scripts.has(name)) ? [word] : []));
  return [...scripts.keys(), ...others];
}

function fieldOf(tree: unknown, name: string): unknown {
  return isObject(tree) && Object.hasOwn(tree, name) ? tree[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function exportsIn(tree: unknown): readonly string[] {
  const exported = fieldOf(tree, 'exports');
  const isByPath = isObject(exported) && Object.keys(exported).some((key) => key.startsWith('.'));
  return textsIn(isByPath ? fieldOf(exported, '.') : exported);
}

/** Returns every text in a value. For example, the conditions `import` and `require` each name a path. */
function textsIn(value: unknown): readonly string[] {
  const left: unknown[] = [value];
  const texts: string[] = [];
  // The list grows while the loop runs, so deep nesting cannot overflow the stack.
  for (const one of left) {
    if (typeof one === 'string') texts.push(one);
    else if (isObject(one)) left.push(...Object.values(one));
  }
  return texts;
}

function scriptsIn(value: unknown): readonly (readonly [string, string])[] {
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, script]) => [name, linesOf(script).join('\n')] as const);
}

/**
 * Returns the lines of a script. A task of Deno can be an object. It contains its line, and the names of the tasks that
 * run before it.
 */
function linesOf(script: unknown): readonly string[] {
  if (!isObject(script)) return textsIn(script);
  const before = textsIn(fieldOf(script, 'dependencies')).map((name) => `deno task ${name}`);
  return [...before, ...textsIn(fieldOf(script, 'command'))];
}
