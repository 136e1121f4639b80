// Reads one configuration file. The file is JSON, or the user's own TypeScript file, whose code is executed. The
// configuration of a workspace is only read as text and never executed.

import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { FileError, openRegularFile, readRegularFile } from '@tidemark/files';
import { isTooDeep } from '@tidemark/log';
import type { Node, ParseError } from 'jsonc-parser';
import { findNodeAtLocation, parseTree, printParseErrorCode } from 'jsonc-parser';

import type { Leaf, PlaceOf } from './check-settings.ts';
import { checkSettings } from './check-settings.ts';
import type { SettingsSchema } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/**
 * Returns the settings in a JSON text. `path` is used in messages. @throws SettingsError `settings/unreadable`,
 * `settings/not-usable`.
 */
export function parseConfiguration(text: string, path: string, schema: SettingsSchema): readonly Leaf[] {
  if (isTooDeep(text))
    throw new SettingsError('settings/unreadable', `${path} cannot be used: it is nested too deep`, { path });
  const errors: ParseError[] = [];
  const tree = treeOf(text, path, errors);
  const [first] = errors;
  if (first !== undefined || tree === undefined) {
    const reason = first === undefined ? 'the file is empty' : parseProblem(first);
    throw new SettingsError(
      'settings/unreadable',
      `${path}:${lineAt(text, first?.offset ?? 0)} is not JSON: ${reason}`,
    );
  }
  const again = keyAgain(tree);
  if (again !== undefined) {
    const message = `${path}:${lineAt(text, again.offset)}: ${JSON.stringify(again.value)} occurs twice in one object, so the first value would be lost`;
    throw new SettingsError('settings/unreadable', message, { path });
  }
  const value: unknown = JSON.parse(text);
  const placeOf: PlaceOf = (keys) => {
    const node = findNodeAtLocation(tree, keys.map(String));
    return `${path}:${lineAt(text, (node?.parent ?? node ?? tree).offset)}`;
  };
  return checkSettings(value, schema, placeOf);
}

/** Returns the text for an error of the JSON parser: `ValueExpected` becomes "value expected". */
function parseProblem({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
}

function treeOf(text: string, path: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true });
  } catch (error) {
    // The parser overflowed the stack.
    throw new SettingsError('settings/unreadable', `${path} cannot be used: it is nested too deep`, { path }, error);
  }
}

/**
 * Returns a key that occurs two times in its object. JSON parsers use only the last of two equal keys. A rule under the
 * first key, such as one that forbids something, would be lost.
 */
function keyAgain(tree: Node): Node | undefined {
  const nodes = [tree];
  // The list grows while the loop runs, so deep nesting cannot overflow the stack.
  for (const { type, children = [] } of nodes) {
    const known = new Set<unknown>();
    for (const child of children) {
      const key = type === 'object' ? child.children?.[0] : undefined;
      if (key !== undefined && known.has(key.value)) return key;
      if (key !== undefined) known.add(key.value);
      nodes.push(child);
    }
  }
  return undefined;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/**
 * Returns the settings in a file of the user. A TypeScript or JavaScript file is executed, and its default export is
 * used.
 *
 * @throws SettingsError `settings/unreadable`, `settings/not-usable`.
 */
export async function readConfiguration(path: string, schema: SettingsSchema): Promise<readonly Leaf[]> {
  if (extname(path) === '.json') return parseConfiguration(await textOf(path), path, schema);
  return checkSettings(await exportOf(path), schema, () => path);
}

/**
 * Returns the configuration in the user's own folder. If the folder contains no configuration, returns an empty list.
 *
 * @throws SettingsError as `readConfiguration` does, and `settings/unreadable` if the folder contains two
 * configurations.
 */
export async function readOwnConfiguration(folder: string, schema: SettingsSchema): Promise<readonly Leaf[]> {
  const [only, other] = await ownConfigurationPaths(folder);
  if (only === undefined) return [];
  if (other !== undefined)
    throw new SettingsError(
      'settings/unreadable',
      `there are two configuration files, ${only} and ${other}: remove one`,
    );
  return readConfiguration(only, schema);
}

/** Returns the paths of the configuration files in the user's own folder. More than one is an error for the reader. */
export async function ownConfigurationPaths(folder: string): Promise<readonly string[]> {
  const paths = OWN_NAMES.map((name) => join(folder, name));
  return (await Promise.all(paths.map(async (path) => ((await isThere(path)) ? [path] : [])))).flat();
}

const MAX_BYTES = 16 * 1_024 * 1_024;

const OWN_NAMES = ['tidemark.config.ts', 'tidemark.config.json'] as const;

async function isThere(path: string): Promise<boolean> {
  try {
    await (await openRegularFile(path)).close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return false;
    throw unreadable(path, error);
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return (await readRegularFile(path, { most: MAX_BYTES })).toString('utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function exportOf(path: string): Promise<unknown> {
  try {
    // The file type is checked before the import. If Node imports a pipe, it waits for input.
    await (await openRegularFile(path)).close();
    const loaded: unknown = await import(/* @vite-ignore */ pathToFileURL(path).href);
    if (typeof loaded === 'object' && loaded !== null && 'default' in loaded) return loaded.default;
  } catch (error) {
    throw unreadable(path, error);
  }
  throw new SettingsError('settings/unreadable', `${path} has no default export: end it with \`export default { … }\``);
}

function unreadable(path: string, error: unknown): SettingsError {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    return new SettingsError('settings/unreadable', `${path} does not exist`, { path }, error);
  const reason =
    error instanceof FileError ? `it ${error.what}` : error instanceof Error ? error.message : String(error);
  return new SettingsError('settings/unreadable', `${path} cannot be used: ${reason}`, { path }, error);
}
