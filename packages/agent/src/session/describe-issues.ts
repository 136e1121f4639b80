// Describes why a value does not match a schema, for the model that wrote the value. The texts of validation libraries
// are written for programmers. They are therefore replaced by the expected value and the given value.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonValue } from '@tidemark/model';
import { nearestName } from '../nearest-name.ts';

/** Beginnings of the default messages of zod and valibot. Any other message is kept, because its author wrote it. */
const LIBRARY_TEXT = /^(?:Invalid |Invalid$|Too small|Too big|Unrecognized key)/;

/**
 * Returns the issues of a value as one text without a full stop: "`offset` must be an integer ≥ 1, got "x"".
 *
 * @param schema JSON Schema of the value. If the schema does not explain an issue, the issue keeps the message of the
 *   library.
 */
export function describeIssues(issues: readonly StandardSchemaV1.Issue[], schema: JsonValue, given: unknown): string {
  return [...new Set(issues.map((issue) => describeIssue(issue, schema, given)))].join('; ');
}

function describeIssue({ message, path = [] }: StandardSchemaV1.Issue, schema: JsonValue, given: unknown): string {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  const place = keys.length === 0 ? undefined : `\`${pathText(keys)}\``;
  const kept = place === undefined ? message : `${place}: ${message}`;
  const part = LIBRARY_TEXT.test(message) ? schemaAt(schema, keys) : undefined;
  if (part === undefined) return kept;
  const value = valueAt(given, keys);
  const expected = expectedText(part, value);
  if (value === undefined)
    return `${place ?? 'the value'} is missing${expected === undefined ? '' : `: it must be ${expected}`}`;
  const unknown = unknownText(part, value, place);
  if (unknown !== undefined) return unknown;
  if (expected === undefined) return `${place ?? 'the value'} does not match its JSON Schema, got ${valueText(value)}`;
  if (matches(part, value)) return kept;
  const omit = value === null && isOptional(schema, keys) ? '; omit it if it is not needed' : '';
  return `${place ?? 'the value'} must be ${expected}, got ${valueText(value)}${omit}`;
}

function pathText(keys: readonly PropertyKey[]): string {
  return keys
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

/** Returns true for a field that may be absent. Models often pass null for such a field. */
function isOptional(schema: JsonValue, keys: readonly PropertyKey[]): boolean {
  const last = keys.at(-1);
  const required = schemaAt(schema, keys.slice(0, -1))?.get('required');
  return typeof last === 'string' && !(Array.isArray(required) && required.includes(last));
}

function valueAt(given: unknown, keys: readonly PropertyKey[]): unknown {
  return keys.reduce((value, key) => fieldsOf(value)?.get(String(key)), given);
}

/** Returns the part of a JSON Schema that describes the value at a path. `undefined` if the schema does not contain it. */
function schemaAt(schema: JsonValue, keys: readonly PropertyKey[]): Fields | undefined {
  let part = fieldsOf(schema);
  for (const key of keys) {
    const item = part?.get('items');
    part =
      typeof key === 'number' && item !== undefined
        ? fieldsOf(item)
        : fieldsOf(fieldsOf(part?.get('properties'))?.get(String(key)));
  }
  return part;
}

type Fields = ReadonlyMap<string, unknown>;

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

/** Returns the text about unknown fields of a value. A closed schema does not contain these fields. */
function unknownText(schema: Fields, value: unknown, place: string | undefined): string | undefined {
  const known = [...(fieldsOf(schema.get('properties'))?.keys() ?? [])];
  if (schema.get('additionalProperties') !== false || !isObject(value)) return undefined;
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const texts = unknown.map((name) => {
    const nearest = nearestName(name, known);
    return `\`${shortName(name)}\`${nearest === undefined ? '' : ` (did you mean \`${nearest}\`?)`}`;
  });
  return `${place === undefined ? 'there is' : `${place} has`} no field ${texts.join(' and no field ')}`;
}

function shortName(name: string): string {
  return name.length <= SHOWN ? name : `… of ${name.length} characters`;
}

/** Returns the expected value in words. `undefined` for a schema without a type or a list of values. */
function expectedText(schema: Fields, value: unknown): string | undefined {
  const values = schema.get('enum');
  if (Array.isArray(values))
    return `${values.length === 1 ? '' : 'one of '}${values.map((one) => JSON.stringify(one)).join(', ')}`;
  switch (schema.get('type')) {
    case 'string':
      return stringText(schema, value);
    case 'integer':
      return `an integer${rangeText(schema)}`;
    case 'number':
      return `a number${rangeText(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `an array${lengthText(schema, 'minItems', 'maxItems', 'item')}`;
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return undefined;
  }
}

function stringText(schema: Fields, value: unknown): string {
  const pattern = schema.get('pattern');
  if (typeof pattern === 'string') return `a string that matches ${pattern}`;
  const isBlank = typeof value === 'string' && value !== '' && value.trim() === '';
  if (schema.get('minLength') === 1 && (isBlank || !schema.has('maxLength')))
    return `a string that is not ${isBlank ? 'blank' : 'empty'}`;
  return `a string${lengthText(schema, 'minLength', 'maxLength', 'character')}`;
}

function lengthText(schema: Fields, least: string, most: string, noun: string): string {
  const [from, to] = [numberAt(schema, least), numberAt(schema, most)];
  const parts = [
    ...(from === undefined || from === 0 ? [] : [`at least ${from}`]),
    ...(to === undefined ? [] : [`at most ${to}`]),
  ];
  const last = to ?? from;
  return parts.length === 0 ? '' : ` of ${parts.join(' and ')} ${noun}${last === 1 ? '' : 's'}`;
}

function rangeText(schema: Fields): string {
  const parts = BOUNDS.flatMap(({ name, sign }) => {
    const bound = numberAt(schema, name);
    return bound === undefined ? [] : [`${sign} ${bound}`];
  });
  return parts.length === 0 ? '' : ` ${parts.join(' and ')}`;
}

const BOUNDS = [
  { name: 'minimum', sign: '≥', holds: (value: number, bound: number) => value >= bound },
  { name: 'exclusiveMinimum', sign: '>', holds: (value: number, bound: number) => value > bound },
  { name: 'maximum', sign: '≤', holds: (value: number, bound: number) => value <= bound },
  { name: 'exclusiveMaximum', sign: '<', holds: (value: number, bound: number) => value < bound },
] as const;

/** Returns a number of the schema. Bounds that zod adds to every integer are ignored. */
function numberAt(schema: Fields, name: string): number | undefined {
  const value = schema.get(name);
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

/**
 * Returns true if the constraints that `expectedText` names do not explain why the value was refused. There must be
 * another reason.
 */
function matches(schema: Fields, value: unknown): boolean {
  const values = schema.get('enum');
  if (Array.isArray(values)) return values.includes(value);
  switch (schema.get('type')) {
    case 'string':
      // White space at the beginning and the end is not counted for the minimum, because a schema may trim it.
      return (
        typeof value === 'string' &&
        !schema.has('pattern') &&
        isBetween(schema, 'minLength', 'maxLength', value.trim().length, value.length)
      );
    case 'integer':
      return Number.isInteger(value) && inRange(schema, value);
    case 'number':
      return inRange(schema, value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value) && isBetween(schema, 'minItems', 'maxItems', value.length, value.length);
    case 'object':
      return isObject(value);
    default:
      return value === null;
  }
}

function isBetween(schema: Fields, least: string, most: string, low: number, high: number): boolean {
  return low >= (numberAt(schema, least) ?? 0) && high <= (numberAt(schema, most) ?? Infinity);
}

function inRange(schema: Fields, value: unknown): boolean {
  return (
    typeof value === 'number' &&
    BOUNDS.every(({ name, holds }) => {
      const bound = numberAt(schema, name);
      return bound === undefined || holds(value, bound);
    })
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Maximum number of characters of a string or name that is shown. A longer one is not shown, because a part of it could
 * contain a part of a secret.
 */
const SHOWN = 80;

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string')
    return value.length <= SHOWN ? JSON.stringify(value) : `a string of ${value.length} characters`;
  return isObject(value) ? 'an object' : String(value);
}
