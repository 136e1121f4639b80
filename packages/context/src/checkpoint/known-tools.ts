// Derives facts from the name and the arguments of a call. Other programs record no `tool.started` and no metadata, so
// their tools are recognized by name. The file also parses raw arguments and recognizes results that show only a part
// of a text.

import type { EffectClass } from '@tidemark/log';
import { parseJson } from '@tidemark/log';
import { oneLine } from './excerpt.ts';

/** Effect of a call: it read a file, changed a file, or ran a command. */
export type Deed = 'read' | 'changed' | 'ran';

const KNOWN: ReadonlyMap<string, Deed> = new Map([
  ['read', 'read'],
  ['Read', 'read'],
  ['edit', 'changed'],
  ['write', 'changed'],
  ['Edit', 'changed'],
  ['MultiEdit', 'changed'],
  ['NotebookEdit', 'changed'],
  ['Write', 'changed'],
  ['bash', 'ran'],
  ['Bash', 'ran'],
  ['shell', 'ran'],
  ['exec_command', 'ran'],
]);

const BY_EFFECT: Readonly<Record<EffectClass, Deed | undefined>> = {
  none: undefined,
  read: 'read',
  write: 'changed',
  execute: 'ran',
  network: undefined,
};

/**
 * Returns the effect of a call. It is found by the recorded effect class, or by the tool's name if no class was
 * recorded. Returns `undefined` for an unknown tool name and for the classes `none` and `network`.
 */
export function deedOf({ name, effect }: { readonly name: string; readonly effect?: EffectClass }): Deed | undefined {
  return effect === undefined ? KNOWN.get(name) : BY_EFFECT[effect];
}

/** Returns the path of the file that the arguments of a call name, or `undefined` if they name none. */
export function fileIn(name: string, deed: Deed, value: Readonly<Record<string, unknown>>): string | undefined {
  // For an unknown tool that reads, `path` is often a folder to search, so it is not used.
  const asPath = deed === 'changed' || KNOWN.get(name) === 'read';
  return textIn(value, asPath ? [...FILE_NAMES, 'path'] : FILE_NAMES);
}

const FILE_NAMES = ['file_path', 'filePath', 'notebook_path'];

/** Returns the arguments of a recorded call as an object, or `undefined` if they are not a JSON object. */
export function parseArguments(raw: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(raw);
    return isRecord(value) ? value : undefined;
  } catch {
    // A model's arguments can be cut or malformed. The log keeps them, and the event that closes the call reports the
    // fault.
    return undefined;
  }
}

/** Checks if a value is an object that is not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the value of the first field in `names` that contains a string with text. Returns `undefined` if there is no
 * such field.
 */
export function textIn(value: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof found === 'string' && found.trim() !== '') return found;
  }
  return undefined;
}

/**
 * Returns the command in the arguments of a call, as one line, or `undefined` if they contain no command. The argument
 * may be a string or a list of words.
 */
export function commandIn(value: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (value === undefined) return undefined;
  const words = value['command'];
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return oneLine(words.join(' '));
  const found = textIn(value, ['command', 'cmd']);
  return found === undefined ? undefined : oneLine(found);
}

/**
 * Returns the folder in which a call runs its command, as one line. The arguments of the call name this folder. Returns
 * `undefined` if they name none.
 */
export function folderIn(value: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const folder = value && textIn(value, ['cwd', 'workdir']);
  return folder && oneLine(folder);
}

/**
 * Pattern of the line with which tools mark an incomplete result: `[Showing lines 1-20 of 60…]`, `(truncated)`, `… 300
 * more lines`.
 */
const MARK = /^(?:[[(<…*]|\.\.\.|---).*(?:lines?|truncat|more|offset|showing|\bcut\b|limit|left out|omitted)/i;

/** Maximum length of a line that marks an incomplete result, in UTF-16 units. */
const LONGEST = 400;

/** Returns true if the last line of a result states that the result is incomplete. */
export function looksCut(text: string): boolean {
  const whole = text.trimEnd();
  const last = whole.slice(whole.lastIndexOf('\n') + 1).trim();
  return last.length <= LONGEST && MARK.test(last);
}
