// The canonical text of a JSON value as this side of the arch needs it: for render parameters and envelope fields, whose
// bytes go into requests and digests. The same rules as the log's own writer: keys by UTF-16 code unit, no white space.

import type { JsonValue } from './span.ts';

/**
 * Writes a value as canonical JSON: keys sorted by UTF-16 code unit, fields that are `undefined` left out, lone surrogates
 * replaced by U+FFFD. Equal values give equal text.
 *
 * @throws TypeError for a number that JSON has no form for.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return isList(value) ? `[${value.map(canonicalJson).join(',')}]` : canonicalRecord(value);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no form for the number ${value}`);
  return JSON.stringify(value);
}

function canonicalRecord(record: { readonly [key: string]: JsonValue | undefined }): string {
  const fields = Object.keys(record)
    .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap((key) => {
      const value = record[key];
      return value === undefined ? [] : [`${JSON.stringify(key.toWellFormed())}:${canonicalJson(value)}`];
    });
  return `{${fields.join(',')}}`;
}

// `Array.isArray` alone does not narrow a readonly array out of a union.
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
