// What the raw arguments of a recorded call say, where they parse: never guessed from prose.

import { parseJson } from '@tidemark/log';
import { oneLine } from './excerpt.ts';

/** The arguments as an object; `undefined` where they are none. */
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
