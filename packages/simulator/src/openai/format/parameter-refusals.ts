// Refusals about a parameter: it does not exist, is not there, is of the wrong kind, says what it cannot say. Texts and
// codes are the real service's where they are known (§2.5); the rest says what is wrong in its manner [I].

import { isList, isObject } from '../../core/wire.ts';
import { bad } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';

/** Kinds of values, as error texts tell them apart. */
export type ValueKind = 'string' | 'boolean' | 'integer' | 'number' | 'object' | 'array' | 'any';

/** The refusal of a parameter that does not exist. */
export function unknownParameter(path: string): OpenAIRefusal {
  return bad(`Unknown parameter: '${path}'.`, path, 'unknown_parameter');
}

/** The refusal of a parameter that is not there. */
export function missingParameter(path: string): OpenAIRefusal {
  return bad(`Missing required parameter: '${path}'.`, path, 'missing_required_parameter');
}

/** The refusal of a value of the wrong kind. */
export function wrongType(path: string, expected: string, value: unknown): OpenAIRefusal {
  return bad(
    `Invalid type for '${path}': expected ${expected}, but got ${kindOf(value)} instead.`,
    path,
    'invalid_type',
  );
}

/** The refusal of a value that is none of those that exist. */
export function wrongValue(path: string, value: string, supported: readonly string[]): OpenAIRefusal {
  const quoted = supported.map((each) => `'${each}'`);
  const list = quoted.length < 3 ? quoted.join(' and ') : `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
  return bad(`Invalid value: '${value}'. Supported values are: ${list}.`, path, 'invalid_value');
}

/** The refusal of a text beyond its greatest length, if it is. */
export function tooLong(path: string, text: string, most: number): OpenAIRefusal | undefined {
  if (text.length <= most) return undefined;
  return bad(
    `Invalid '${path}': string too long. Expected a string with maximum length ${most}, but got a string with length ${text.length} instead.`,
    path,
    'string_above_max_length',
  );
}

/** What each kind is called, and how it is recognised. */
export const KINDS: {
  readonly [kind in ValueKind]: { readonly said: string; readonly is: (value: unknown) => boolean };
} = {
  string: { said: 'a string', is: (value) => typeof value === 'string' },
  boolean: { said: 'a boolean', is: (value) => typeof value === 'boolean' },
  integer: { said: 'an integer', is: (value) => Number.isInteger(value) },
  number: { said: 'a decimal', is: (value) => typeof value === 'number' },
  object: { said: 'an object', is: isObject },
  array: { said: 'an array', is: isList },
  any: { said: 'a value', is: () => true },
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  const order = ['boolean', 'string', 'integer', 'number', 'array', 'object'] as const;
  const kind = order.find((each) => KINDS[each].is(value));
  return kind === undefined ? 'nothing' : KINDS[kind].said;
}
