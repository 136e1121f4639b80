// What calls say by themselves: tools that are known by name, where a recording of another program has no `tool.started` and no
// metadata; raw arguments; results that are one page of more.

import type { EffectClass } from '@tidemark/log';
import { parseJson } from '@tidemark/log';
import { oneLine } from './excerpt.ts';

/** What a call did. */
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

/** By the effect that was recorded, else by its name; `undefined` where neither tells. */
export function deedOf({ name, effect }: { readonly name: string; readonly effect?: EffectClass }): Deed | undefined {
  return effect === undefined ? KNOWN.get(name) : BY_EFFECT[effect];
}

/** The file that arguments name. */
export function fileIn(name: string, deed: Deed, value: Readonly<Record<string, unknown>>): string | undefined {
  // To a reading tool that is not known, `path` is often a folder to search.
  const asPath = deed === 'changed' || KNOWN.get(name) === 'read';
  return textIn(value, asPath ? [...FILE_NAMES, 'path'] : FILE_NAMES);
}

const FILE_NAMES = ['file_path', 'filePath', 'notebook_path'];

/**
 * Returns the arguments of a recorded call as an object; `undefined` where they do not parse to one. Nothing is guessed from
 * prose.
 */
export function parseArguments(raw: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(raw);
    return isRecord(value) ? value : undefined;
  } catch {
    // A model's arguments may be cut or malformed: the log keeps them, and its closing event says so.
    return undefined;
  }
}

/** Whether it is an object with names. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of these that is a text, and not blank. */
export function textIn(value: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof found === 'string' && found.trim() !== '') return found;
  }
  return undefined;
}

/** The command that a call ran: a text, or the words of one. */
export function commandIn(value: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (value === undefined) return undefined;
  const words = value['command'];
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return oneLine(words.join(' '));
  const found = textIn(value, ['command', 'cmd']);
  return found === undefined ? undefined : oneLine(found);
}

/** The folder that a call names for its command. */
export function folderIn(value: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const folder = value && textIn(value, ['cwd', 'workdir']);
  return folder && oneLine(folder);
}

/** Words of the line with which tools end a page: `[Showing lines 1-20 of 60…]`, `(truncated)`, `… 300 more lines`. */
const MARK = /^(?:[[(<…*]|\.\.\.|---).*(?:lines?|truncat|more|offset|showing|\bcut\b|limit|left out|omitted)/i;

/** Longest such line, in UTF-16 units. */
const LONGEST = 400;

/** Returns true where the last line of a result says that there is more. */
export function looksCut(text: string): boolean {
  const whole = text.trimEnd();
  const last = whole.slice(whole.lastIndexOf('\n') + 1).trim();
  return last.length <= LONGEST && MARK.test(last);
}
