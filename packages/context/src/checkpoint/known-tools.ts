// Tools that are known by name: what a recording of another program has no `tool.started` for, and no metadata.

import type { EffectClass } from '@tidemark/log';
import { textIn } from './call-arguments.ts';

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
