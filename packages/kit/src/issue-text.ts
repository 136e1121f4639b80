// Texts for values that a zod schema refuses: what is expected, in plain words. They never contain the value, because a
// value can be a key.

import type { z } from 'zod';

/** Advice for a missing option, by its path. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['model', 'name a model, such as claude-sonnet-5-5'],
  ['workspace.folder', 'name the folder that the agent works in'],
  ['skills.roots', 'list the folders of skills, or use skillRoots'],
  ['mcp.servers', 'name the servers, such as { files: { command: "mcp-server-filesystem" } }'],
]);

/** Returns the text for an issue at this path in `given`. A text that the schema itself contains is kept. */
export function issueText(issue: z.core.$ZodIssue, place: string, given: unknown): string {
  if (valueAt(given, issue.path) === undefined && issue.code !== 'unrecognized_keys')
    return `is missing: ${ADVICE.get(place) ?? (expectedText(issue) || issue.message)}`;
  return (/^(Invalid|Too) /.test(issue.message) ? expectedText(issue) : undefined) ?? issue.message;
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = given;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = new Map(Object.entries(value)).get(String(key));
  }
  return value;
}

function expectedText(issue: z.core.$ZodIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${TYPES.get(issue.expected) ?? issue.expected}`;
    case 'invalid_value':
      return `expected one of ${issue.values.map((value) => JSON.stringify(String(value))).join(', ')}`;
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `expected at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'expected an address such as https://example.org' : undefined;
    default:
      return undefined;
  }
}

/** Types in plain words, by their names in zod. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['array', 'a list'],
]);
