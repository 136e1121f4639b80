// Checks if a tree of values can be used as settings. The error names the setting and the line of each problem. For an
// unknown key, the error also contains the nearest known key.

import { nearestName } from '@tidemark/agent';
import type { z } from 'zod';

import { issueText } from './issue-text.ts';
import { leavesOf, RENAMED_SETTINGS } from './settings.ts';
import type { SettingsSchema } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/**
 * Maximum number of problems that the message describes. For further problems, the message contains only their number.
 */
const MAX_PROBLEMS = 10;

/** Value of one setting, and the place where it is set. */
export interface Leaf {
  /** Name of the setting, such as `limits.maxCost`. */
  readonly name: string;
  readonly value: unknown;
  /** Place where the value is set: a file (with the line if it is known), an environment variable, or a flag. */
  readonly place: string;
}

/**
 * Function that returns the place of a key, for a message. `path` contains the names of the objects above the key,
 * followed by the key.
 */
export type PlaceOf = (path: readonly PropertyKey[]) => string;

/**
 * Checks a tree of values against the schema and returns its settings.
 *
 * @throws SettingsError `settings/not-usable`. The message contains each problem and its place, but never a value.
 */
export function checkSettings(tree: unknown, schema: SettingsSchema, placeOf: PlaceOf): readonly Leaf[] {
  const parsed = schema.safeParse(tree);
  if (!parsed.success) {
    const found = parsed.error.issues.flatMap((issue) => problemsOf(issue, schema, placeOf));
    const problems = found.slice(0, MAX_PROBLEMS).map((problem) => problem());
    const more = found.length > MAX_PROBLEMS ? `; and ${found.length - MAX_PROBLEMS} more` : '';
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

/**
 * Returns one function per problem, in order. Each function creates the message of its problem only when it is called.
 * A hostile file can contain so many problems that creating all messages would be too slow.
 */
function problemsOf(issue: z.core.$ZodIssue, schema: SettingsSchema, placeOf: PlaceOf): readonly (() => string)[] {
  const name = issue.path.join('.');
  if (issue.code === 'invalid_key') {
    const above = issue.path.slice(0, -1);
    return issue.issues.map((each) => () => `${placeOf(issue.path)}: ${above.join('.')}: ${each.message}`);
  }
  if (issue.code !== 'unrecognized_keys')
    return [() => `${placeOf(issue.path)}: ${name || 'settings'}: ${issueText(issue)}`];
  return issue.keys.map((key) => () => {
    const full = name === '' ? key : `${name}.${key}`;
    return `${placeOf([...issue.path, key])}: ${unknownKey(full, schema)}`;
  });
}

function unknownKey(name: string, schema: SettingsSchema): string {
  const renamed = RENAMED_SETTINGS.get(name);
  if (renamed !== undefined) return `the setting ${name} was renamed: use ${renamed}`;
  if (/key|secret|token$/i.test(name))
    return `there is no setting ${printableName(name)}: set keys in the environment or with \`tidemark keys\``;
  const known = [...leavesOf(schema).keys()];
  const groups = known.flatMap((leaf) => (leaf.includes('.') ? [leaf.slice(0, leaf.indexOf('.'))] : []));
  const nearest = nearestName(name, [...new Set([...known, ...groups])]);
  return `there is no setting ${printableName(name)}${nearest === undefined ? '' : `, did you mean ${nearest}?`}`;
}

/**
 * Returns a name for a message. The result has at most 60 characters, is on one line, and has no characters that
 * control a terminal. The name may come from another person, such as the author of the workspace.
 */
export function printableName(name: string): string {
  return JSON.stringify(name.slice(0, 60).replaceAll(/[^\x20-\x7e]/g, '?'));
}
