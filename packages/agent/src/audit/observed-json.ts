// Writes the JSON of observed requests by the rules of the form `sorted-json/1`. Keys are sorted by UTF-16 code unit,
// there is no white space, and each other value is written as `JSON.stringify` writes it. In canonical JSON a lone
// surrogate is different: here it stays an escape, because the program that computed the digest wrote an escape.

import type { Json, ObservedMarker } from '@tidemark/log';

/** Form of the body of an observed request that this version can write. */
export const SORTED_JSON = 'sorted-json/1';

/** Name of the field that contains a cache marker. */
const MARKER = 'cache_control';

/** Writes a value as JSON with sorted keys. With `unmarked`, cache markers are left out. */
export function sortedJson(value: Json | undefined, unmarked = false): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (isList(value)) return `[${value.map((one) => sortedJson(one, unmarked)).join(',')}]`;
  const fields = Object.entries(value)
    .filter(([key, one]) => one !== undefined && !(unmarked && key === MARKER))
    .toSorted(([a], [b]) => byCodeUnit(a, b))
    .map(([key, one]) => `${JSON.stringify(key)}:${sortedJson(one, unmarked)}`);
  return `{${fields.join(',')}}`;
}

/**
 * Returns a copy of a value with markers at their places. `depth` is the number of path elements that lead to the value
 * itself. A marker whose path does not exist is left out.
 */
export function withMarkers(value: Json, markers: readonly ObservedMarker[], depth: number): Json {
  return markers.reduce((marked, marker) => setMarker(marked, marker.path.slice(depth), marker.value), value);
}

function setMarker(value: Json, [key, ...rest]: readonly (string | number)[], marker: Json): Json {
  if (key === undefined) return isList(value) || !isRecord(value) ? value : { ...value, [MARKER]: marker };
  if (isList(value))
    return typeof key === 'number' && key in value
      ? value.with(key, setMarker(value[key] ?? null, rest, marker))
      : value;
  if (!isRecord(value) || !Object.hasOwn(value, key)) return value;
  return { ...value, [key]: setMarker(value[key] ?? null, rest, marker) };
}

/** True for a JSON list. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Fields of a JSON object. */
export type ObservedFields = { readonly [name: string]: Json | undefined };

/** Returns the fields of an object, or no fields for any other value. */
export function fieldsOf(value: Json | undefined): ObservedFields {
  return value !== undefined && isRecord(value) ? value : {};
}

function isRecord(value: Json): value is ObservedFields {
  return typeof value === 'object' && value !== null && !isList(value);
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
