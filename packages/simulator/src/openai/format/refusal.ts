// Refusals of the OpenAI part. A refusal has a status, a type and a text, like a refusal of the Anthropic part, and
// also the parameter and the code that OpenAI's errors contain (provider-facts §2.5).

import { refuse } from '../../core/refusal.ts';
import type { MessageRefusal } from '../../core/refusal.ts';
import { isList, isObject } from '../../core/wire.ts';

/** Error of OpenAI. `param` and `code` are `null` if the real service sends `null`. */
export interface OpenAIRefusal extends MessageRefusal {
  readonly param: string | null;
  readonly code: string | null;
}

/** Optional parts of an error, in addition to its status and text. */
export interface AboutRefusal {
  /** Error type. Default: `invalid_request_error`. */
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
  readonly headers?: { readonly [name: string]: string };
}

/** Builds an error of OpenAI. The defaults are the type `invalid_request_error`, no parameter and no code. */
export function refuseOpenAI(status: number, message: string, about: AboutRefusal = {}): OpenAIRefusal {
  const { type = 'invalid_request_error', param = null, code = null, headers = {} } = about;
  return { ...refuse(status, type, message, headers), param, code };
}

/** Builds the most frequent error: 400 `invalid_request_error` about a parameter. */
export function bad(message: string, param: string | null, code: string | null = null): OpenAIRefusal {
  return refuseOpenAI(400, message, { param, code });
}

/** Returns the response body of an error as JSON text (provider-facts §2.5). */
export function openAIErrorBody({ message, type, param, code }: OpenAIRefusal): string {
  return JSON.stringify({ error: { message, type, param, code } });
}

// Refusals of a parameter that is unknown, missing, or has the wrong type or value. Known texts and codes are those of
// the real service (provider-facts §2.5). The other texts and codes follow the same style (inferred, [I]).

/** Type that a parameter's value must have. `any` accepts every value. */
export type ValueKind = 'string' | 'boolean' | 'integer' | 'number' | 'object' | 'array' | 'any';

/** Returns the refusal for a parameter that the endpoint does not know. `path` names the parameter. */
export function unknownParameter(path: string): OpenAIRefusal {
  return bad(`Unknown parameter: '${path}'.`, path, 'unknown_parameter');
}

/** Returns the refusal for a required parameter that is missing. `path` names the parameter. */
export function missingParameter(path: string): OpenAIRefusal {
  return bad(`Missing required parameter: '${path}'.`, path, 'missing_required_parameter');
}

/**
 * Returns the refusal for a value of the wrong type. `expected` names the right type in the words of the error text.
 */
export function wrongType(path: string, expected: string, value: unknown): OpenAIRefusal {
  return bad(
    `Invalid type for '${path}': expected ${expected}, but got ${kindOf(value)} instead.`,
    path,
    'invalid_type',
  );
}

/** Returns the refusal for a value that is not one of the supported values. */
export function wrongValue(path: string, value: string, supported: readonly string[]): OpenAIRefusal {
  const quoted = supported.map((each) => `'${each}'`);
  const list = quoted.length < 3 ? quoted.join(' and ') : `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
  return bad(`Invalid value: '${value}'. Supported values are: ${list}.`, path, 'invalid_value');
}

/** Returns a refusal if a text is longer than `most` characters, else `undefined`. */
export function tooLong(path: string, text: string, most: number): OpenAIRefusal | undefined {
  if (text.length <= most) return undefined;
  return bad(
    `Invalid '${path}': string too long. Expected a string with maximum length ${most}, but got a string with length ${text.length} instead.`,
    path,
    'string_above_max_length',
  );
}

/** Name of each value type in error texts, and the function that checks it. */
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
