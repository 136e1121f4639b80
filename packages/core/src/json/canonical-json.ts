// JSON values, and the one canonical way this project writes them: keys sorted by UTF-16 code unit, no white
// space, no locale, numbers as ECMAScript prints them. Two equal values always give the same bytes.

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Canonical JSON text, and how many strings had lone surrogates that were replaced by U+FFFD. */
export interface CanonicalJson {
  readonly text: string;
  readonly replaced: number;
}

/**
 * Writes a value as canonical JSON. Keys are sorted by UTF-16 code unit; keys whose value is `undefined` are left
 * out; `-0` is written as `0`. Lone surrogates have no UTF-8 form: they are replaced and counted.
 *
 * @throws TypeError for what JSON cannot hold: a non-finite number, a function, a symbol, a bigint, a circle; and for a value
 * that is nested deeper than 1,000 levels.
 */
export function canonicalJson(value: unknown): CanonicalJson {
  const quick = quickText(value);
  if (quick !== undefined) return { text: quick, replaced: 0 };
  const writer = { replaced: 0, open: new Set<object>() };
  return { text: write(value, writer), replaced: writer.replaced };
}

/** The text of `canonicalJson`, where what was replaced does not matter. */
export function canonicalText(value: unknown): string {
  return canonicalJson(value).text;
}

/** What the engine's own writer makes of it; nothing where that could differ from the canonical form. */
function quickText(value: unknown): string | undefined {
  const ordered = orderedCopy(value);
  if (ordered === NO_COPY) return undefined;
  const text = JSON.stringify(ordered);
  // The engine writes a lone surrogate as an escape, where the canonical form has U+FFFD.
  return text.includes('\\ud') ? undefined : text;
}

/** Twice what `parseJson` lets in: what came from outside may stand in a record or a request. */
const DEEPEST = 1_000;

interface Writer {
  replaced: number;
  readonly open: Set<object>;
}

function write(value: unknown, writer: Writer): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, writer);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no form for the number ${value}`);
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeObject(value, writer);
    default:
      throw new TypeError(`canonical JSON has no form for a ${typeof value}`);
  }
}

function writeString(value: string, writer: Writer): string {
  if (value.isWellFormed()) return JSON.stringify(value);
  writer.replaced += 1;
  return JSON.stringify(value.toWellFormed());
}

function writeObject(value: object, writer: Writer): string {
  if (writer.open.has(value)) throw new TypeError('canonical JSON has no form for a value that contains itself');
  if (writer.open.size === DEEPEST)
    throw new TypeError(`canonical JSON has no form for a value that is nested deeper than ${DEEPEST} levels`);
  writer.open.add(value);
  const text = Array.isArray(value) ? writeArray(value, writer) : writeRecord(value, writer);
  writer.open.delete(value);
  return text;
}

function writeArray(values: readonly unknown[], writer: Writer): string {
  return `[${values.map((value) => write(value ?? null, writer)).join(',')}]`;
}

function writeRecord(value: object, writer: Writer): string {
  const entries: string[] = [];
  const fields: readonly (readonly [string, unknown])[] = Object.entries(value);
  for (const [key, field] of fields.toSorted(([a], [b]) => byCodeUnit(a, b))) {
    if (field !== undefined) entries.push(`${writeString(key, writer)}:${write(field, writer)}`);
  }
  return `{${entries.join(',')}}`;
}

// A copy of a value with its keys in order, for the engine's own writer: five times as fast as writing text by hand.
// What that writer would write otherwise than the canonical one has no such copy.

/** Deeper than any record; a circle is deeper than that. */
const DEEPEST_COPY = 64;

/** Stands for "no copy": the value itself may be `undefined`. */
const NO_COPY: unique symbol = Symbol('no copy');

/** The value with the keys of every object sorted by UTF-16 code unit, or `NO_COPY`. Objects in order are not copied. */
function orderedCopy(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : NO_COPY;
    case 'object':
      if (value === null) return value;
      if (depth === DEEPEST_COPY || 'toJSON' in value) return NO_COPY;
      return Array.isArray(value) ? orderedList(value, depth) : orderedRecord(value, depth);
    default:
      return NO_COPY;
  }
}

function orderedList(values: readonly unknown[], depth: number): unknown {
  let copy: unknown[] | undefined;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    const ordered = value === undefined ? null : orderedCopy(value, depth + 1);
    if (ordered === NO_COPY) return NO_COPY;
    if (copy === undefined && ordered !== value) copy = values.slice(0, index);
    copy?.push(ordered);
  }
  return copy ?? values;
}

function orderedRecord(record: object, depth: number): unknown {
  const keys = Object.keys(record);
  if (!keys.every(isPlainKey)) return NO_COPY;
  let copy: Record<string, unknown> | undefined = isInOrder(keys) ? undefined : {};
  if (copy !== undefined) keys.sort(byCodeUnit);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    const value: unknown = Reflect.get(record, key);
    if (value === undefined) continue;
    const ordered = orderedCopy(value, depth + 1);
    if (ordered === NO_COPY) return NO_COPY;
    if (copy === undefined && ordered !== value) copy = fieldsOf(record, keys.slice(0, index));
    if (copy !== undefined) copy[key] = ordered;
  }
  return copy ?? record;
}

function fieldsOf(record: object, keys: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const key of keys) fields[key] = Reflect.get(record, key);
  return fields;
}

/** Keys that look like integers come first in any object, and `__proto__` is none. */
function isPlainKey(key: string): boolean {
  const first = key.charCodeAt(0);
  return (first < 0x30 || first > 0x39) && key !== '__proto__';
}

function isInOrder(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1) if ((keys[index - 1] ?? '') > (keys[index] ?? '')) return false;
  return true;
}

/** Sorts by UTF-16 code unit, whatever the locale. */
function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
