// What the OpenAI part says when it does not answer: status, type and text as on every wire, and beside them the parameter
// and the code that this provider's errors carry (§2.5).

import { refuse } from '../../core/refusal.ts';
import type { MessageRefusal } from '../../core/refusal.ts';
import { isList, isObject } from '../../core/wire.ts';

/** An error of this provider. `param` and `code` are told as `null` where the real service tells none. */
export interface OpenAIRefusal extends MessageRefusal {
  readonly param: string | null;
  readonly code: string | null;
}

/** What an error says beside its status and text. */
export interface AboutRefusal {
  /** Default: `invalid_request_error`. */
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
  readonly headers?: { readonly [name: string]: string };
}

/** Builds an error of this provider. */
export function refuseOpenAI(status: number, message: string, about: AboutRefusal = {}): OpenAIRefusal {
  const { type = 'invalid_request_error', param = null, code = null, headers = {} } = about;
  return { ...refuse(status, type, message, headers), param, code };
}

/** Builds the most frequent one: 400 `invalid_request_error` about a parameter. */
export function bad(message: string, param: string | null, code: string | null = null): OpenAIRefusal {
  return refuseOpenAI(400, message, { param, code });
}

/** The body that carries an error (§2.5). */
export function openAIErrorBody({ message, type, param, code }: OpenAIRefusal): string {
  return JSON.stringify({ error: { message, type, param, code } });
}

// Refusals of a parameter that does not exist, is missing, or has the wrong kind or value. Texts and codes are the real
// service's where they are known (§2.5); the others follow its manner [I].

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
