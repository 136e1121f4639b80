// Reads fields of foreign records. Each function returns a field only if it has the right type. Any other field is
// treated as absent.

import type { Json, Timestamp } from '@tidemark/log';
import { timestamp } from '@tidemark/log';

/** JSON object whose fields have not been checked yet. */
export type JsonObject = { readonly [key: string]: Json | undefined };

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** Returns the value if it is an object, else an empty object. */
export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the value if it is a list, else an empty list. */
export function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** Returns the value if it is a string, else `undefined`. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the value if it is a string that is not empty, else `undefined`. */
export function nameOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the value if it is an integer of 0 or more, else `undefined`. */
export function countOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Returns the time of a date text or of a number of milliseconds since 1970. Returns `undefined` if the value is no
 * valid time, or is before 1900 or after 9999.
 */
export function momentOf(value: Json | undefined): Timestamp | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const moment = new Date(value);
  const ms = moment.getTime();
  if (Number.isNaN(ms) || ms < FIRST_MOMENT || ms > LAST_MOMENT) return undefined;
  return timestamp(moment.toISOString());
}

const FIRST_MOMENT = Date.UTC(1900);
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Returns a 53-bit hash of a text (cyrb53, public domain). The hash replaces a long id, so that the index of a large
 * file stays small. Two ids of one file practically never have the same hash. The hash does not protect against texts
 * that are made to collide.
 */
export function hashText(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
