// Describes a problem that the schema found in a setting, in the words of this project.

import type { z } from 'zod';

/**
 * Returns the text for a problem with a value. The text describes the expected form. If the schema has its own message,
 * returns that message.
 */
export function issueText(issue: z.core.$ZodIssue): string {
  if (!/^(?:Invalid|Unrecognized|Too) /.test(issue.message)) return issue.message;
  if (issue.code === 'invalid_type') return `expected ${TYPES.get(issue.expected) ?? issue.expected}`;
  if (issue.code === 'invalid_value')
    return `expected ${choicesOf(issue.values.map((value) => JSON.stringify(value)))}`;
  if (issue.code === 'too_small') return `expected ${sizeOf(issue.origin, 'at least', least(issue))}`;
  if (issue.code === 'too_big') return `expected ${sizeOf(issue.origin, 'at most', String(issue.maximum))}`;
  return issue.message;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['array', 'an array'],
  ['boolean', 'true or false'],
  ['int', 'a whole number'],
  ['number', 'a number'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['string', 'a text'],
]);

function choicesOf(choices: readonly (string | undefined)[]): string {
  const last = choices.at(-1) ?? '';
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`;
}

function least({ minimum, inclusive }: { readonly minimum: number | bigint; readonly inclusive?: boolean }): string {
  return String(inclusive === false ? Number(minimum) + 1 : minimum);
}

function sizeOf(origin: string, bound: string, size: string): string {
  if (origin === 'string') return `a text of ${bound} ${size} characters`;
  if (origin === 'array') return `${bound} ${size} elements`;
  return `a number of ${bound} ${size}`;
}
