// Reads settings from the environment. The variable is `TIDEMARK_` and the name of the setting: `TIDEMARK_LIMITS_MAX_COST`
// for `limits.maxCost`.

import { nearestName } from '@tidemark/agent';
import { parseJson } from '@tidemark/log';
import type { z } from 'zod';

import type { Leaf } from './check-settings.ts';
import { printableName } from './check-settings.ts';
import { issueText } from './issue-text.ts';
import { RENAMED_SETTINGS } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** Names and values of environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the name of the environment variable of a setting. */
export function variableOf(name: string): string {
  return `TIDEMARK_${name
    .replaceAll(/([A-Z])/g, '_$1')
    .replaceAll(/[.-]/g, '_')
    .toUpperCase()}`;
}

/**
 * Returns the settings in the environment.
 *
 * @throws SettingsError `settings/not-usable` for a wrong value. Also for a variable whose name is similar to the name
 * of a setting.
 */
export function environmentSettings(environment: Environment, leaves: ReadonlyMap<string, z.ZodType>): readonly Leaf[] {
  requireNoSlip(environment, [...leaves.keys()].map(variableOf));
  return [...leaves].flatMap(([name, schema]) => {
    const place = variableOf(name);
    const text = (Object.hasOwn(environment, place) ? environment[place]?.trim() : undefined) ?? '';
    return text === '' ? [] : [{ name, value: valueOf(text, schema, name), place }];
  });
}

function valueOf(text: string, schema: z.ZodType, name: string): unknown {
  const asText = schema.safeParse(text);
  if (asText.success) return asText.data;
  const json = jsonIn(text);
  // If the text is not JSON, the error of `asText` is reported. `undefined` must not be parsed, because an optional
  // setting would accept it.
  const read = json === undefined ? asText : schema.safeParse(json);
  if (read.success) return read.data;
  const variable = variableOf(name);
  const problem = read.error.issues.map((issue) => problemOf(issue, name))[0] ?? 'cannot be used';
  throw new SettingsError('settings/not-usable', `${variable}: ${problem}`, { variable });
}

function problemOf(issue: z.core.$ZodIssue, name: string): string {
  if (issue.code !== 'unrecognized_keys') return issueText(issue);
  const fields = issue.keys.map((key) => {
    const full = [name, ...issue.path.map(String), key].join('.');
    const renamed = RENAMED_SETTINGS.get(full);
    return renamed === undefined
      ? `there is no setting ${printableName(full)}`
      : `the setting ${full} was renamed: use ${renamed}`;
  });
  return fields.join('; ');
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function requireNoSlip(environment: Environment, known: readonly string[]): void {
  const others = Object.keys(environment).filter((name) => name.startsWith('TIDEMARK_') && !known.includes(name));
  for (const name of others.filter((each) => !KEY_OF_HOST.test(each))) {
    const renamed = RENAMED_VARIABLES.get(name);
    if (renamed !== undefined)
      throw new SettingsError('settings/not-usable', `the variable ${name} was renamed: use ${renamed}`);
    // The common prefix is removed, because it would make all names similar to each other.
    const [short, names] = [name.slice(PREFIX), known.map((each) => each.slice(PREFIX))];
    const nearest = nearestName(short, names);
    if (nearest === undefined) continue;
    throw new SettingsError('settings/not-usable', `there is no variable ${name}, did you mean TIDEMARK_${nearest}?`);
  }
}

/** Matches a variable with the key for a host: `TIDEMARK_LLM_EXAMPLE_COM_API_KEY`. */
const KEY_OF_HOST = /^TIDEMARK_\w+_API_KEY$/;

const PREFIX = 'TIDEMARK_'.length;

/** New names of renamed variables, by the old name. */
const RENAMED_VARIABLES: ReadonlyMap<string, string> = new Map([
  ['TIDEMARK_COMPACTION', 'TIDEMARK_COMPACTION_WHEN'],
  ['TIDEMARK_REWRITE_NOTICE_TOKENS', 'TIDEMARK_CACHE_REWRITE_NOTICE_TOKENS'],
  ['TIDEMARK_REWRITE_NOTICE_COST', 'TIDEMARK_CACHE_REWRITE_NOTICE_COST'],
  ...[...RENAMED_SETTINGS]
    // `subagents` is one setting, and one variable contains all of its fields. `rewriteNotice` itself had no variable.
    .filter(([before]) => !before.startsWith('subagents.') && before !== 'rewriteNotice')
    .map(([before, now]): [string, string] => [variableOf(before), variableOf(now)]),
]);
