// Whether a tree of values can be used as settings: each problem with its name and line, unknown keys with the nearest one.

import { nearestName } from '@tidemark/agent';
import type { z } from 'zod';

import { leavesOf, RENAMED_SETTINGS } from './settings.ts';
import type { SettingsSchema } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** Problems that are said; of more only how many. */
const MOST_SAID = 10;

/** A value of one setting, and where it stands. */
export interface Leaf {
  /** `limits.cost`. */
  readonly name: string;
  readonly value: unknown;
  /** A file with its line where that is known, a variable of the environment, a flag. */
  readonly place: string;
}

/** Where a key stands, for a message: by its path. */
export type PlaceOf = (path: readonly PropertyKey[]) => string;

/** @throws SettingsError `settings/not-usable`, naming each problem and its place, never a value. */
export function checkSettings(tree: unknown, schema: SettingsSchema, placeOf: PlaceOf): readonly Leaf[] {
  const parsed = schema.safeParse(tree);
  if (!parsed.success) {
    const found = parsed.error.issues.flatMap((issue) => problemsOf(issue, schema, placeOf));
    const problems = found.slice(0, MOST_SAID).map((say) => say());
    const more = found.length > MOST_SAID ? `; and ${found.length - MOST_SAID} more` : '';
    throw new SettingsError('settings/not-usable', `${problems.join('; ')}${more}`, { problems });
  }
  return leavesIn(parsed.data, schema, placeOf);
}

function leavesIn(tree: object, schema: SettingsSchema, placeOf: PlaceOf): readonly Leaf[] {
  return [...leavesOf(schema).keys()].flatMap((name) => {
    const path = name.split('.');
    const value = valueAt(tree, path);
    return value === undefined ? [] : [{ name, value, place: placeOf(path) }];
  });
}

function valueAt(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined), tree);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Each problem as it will be said: a hostile file may hold more than can be looked up. */
function problemsOf(issue: z.core.$ZodIssue, schema: SettingsSchema, placeOf: PlaceOf): readonly (() => string)[] {
  const name = issue.path.join('.');
  if (issue.code === 'invalid_key') {
    const above = issue.path.slice(0, -1);
    return issue.issues.map((each) => () => `${placeOf(issue.path)}: ${above.join('.')}: ${each.message}`);
  }
  if (issue.code !== 'unrecognized_keys')
    return [() => `${placeOf(issue.path)}: ${name || 'settings'}: ${issue.message}`];
  return issue.keys.map((key) => () => {
    const full = name === '' ? key : `${name}.${key}`;
    return `${placeOf([...issue.path, key])}: ${unknownKey(full, schema)}`;
  });
}

function unknownKey(name: string, schema: SettingsSchema): string {
  const renamed = RENAMED_SETTINGS.get(name);
  if (renamed !== undefined) return `the setting ${name} was renamed: use ${renamed}`;
  if (/key|secret|token$/i.test(name))
    return `there is no setting ${printableName(name)}: keys come from the environment or \`tidemark keys\``;
  const known = [...leavesOf(schema).keys()];
  const groups = known.flatMap((leaf) => (leaf.includes('.') ? [leaf.slice(0, leaf.indexOf('.'))] : []));
  const nearest = nearestName(name, [...new Set([...known, ...groups])]);
  return `there is no setting ${printableName(name)}${nearest === undefined ? '' : `, did you mean ${nearest}?`}`;
}

/** A name that somebody else may have chosen: short, on one line, nothing that steers a terminal. */
function printableName(name: string): string {
  return JSON.stringify(name.slice(0, 60).replaceAll(/[^\x20-\x7e]/g, '?'));
}
