// Texts for values that a schema refuses: the expected value in plain words. They never contain the value itself, because
// a value can be a key.

/**
 * Issue that a schema reports. Standard Schema defines `message` and `path`. The other fields are those of zod 4. An
 * issue of another library does not have them, and its own message is used.
 */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  readonly code?: string | undefined;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly inclusive?: boolean | undefined;
  readonly format?: string | undefined;
  readonly keys?: readonly string[];
}

/** Returns the path of an issue, such as `edits.0.path`. The path of the whole value is an empty text. */
export function issuePlace({ path = [] }: SchemaIssue): string {
  return path.map((part) => String(keyOf(part))).join('.');
}

/**
 * Returns the text of an issue in `given`, without its place. If the author of the schema wrote a text, that text is
 * kept. If a value is missing, `advice` replaces the expected value in the text.
 */
export function issueText(issue: SchemaIssue, given: unknown, advice?: string): string {
  const { message } = issue;
  const expected = isDefaultText(issue) ? expectedText(issue) : message;
  const value = valueAt(given, issue.path ?? []);
  if (value === undefined && issue.keys === undefined) {
    const next = advice ?? expected;
    if (next === undefined) return 'is missing';
    return advice !== undefined || next.startsWith('expected ') ? `is missing: ${next}` : next;
  }
  return issue.code === 'invalid_type' && expected !== message
    ? `${expected}, received ${typeText(value)}`
    : (expected ?? message);
}

/** Returns true for a text that zod wrote itself. */
function isDefaultText({ message }: SchemaIssue): boolean {
  return /^(Invalid|Too|Unrecognized) /.test(message);
}

function keyOf(part: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof part === 'object' ? part.key : part;
}

function valueAt(given: unknown, path: NonNullable<SchemaIssue['path']>): unknown {
  let value: unknown = given;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = new Map(Object.entries(value)).get(String(keyOf(part)));
  }
  return value;
}

function expectedText(issue: SchemaIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === undefined ? undefined : `expected ${TYPES.get(issue.expected) ?? issue.expected}`;
    case 'invalid_value':
      return valuesText(issue.values ?? []);
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${amountText(issue, issue.minimum)}`;
    case 'too_big':
      return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${amountText(issue, issue.maximum)}`;
    case 'unrecognized_keys':
      return `unknown ${issue.keys?.length === 1 ? 'name' : 'names'} ${quoted(issue.keys ?? [])}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'expected an address such as https://example.org' : undefined;
    default:
      return undefined;
  }
}

function valuesText(values: readonly unknown[]): string {
  return `expected ${values.length > 1 ? 'one of ' : ''}${quoted(values)}`;
}

function quoted(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value))).join(', ');
}

/** Returns a limit with its unit: characters of a string, items of a list. */
function amountText({ origin }: SchemaIssue, limit: number | bigint | undefined): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' || origin === 'set' ? 'item' : undefined;
  if (unit === undefined) return String(limit);
  return `${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}

/** Returns the type of a value in plain words. */
function typeText(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (Number.isNaN(value)) return 'NaN';
  return TYPES.get(typeof value) ?? `a ${typeof value}`;
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
