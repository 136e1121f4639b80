// Reads fields of foreign records: what is there and fits has a type, everything else is absent. Lenient coming in.

import type { Json, Timestamp } from '@tidemark/log';
import { timestamp } from '@tidemark/log';

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** Whether this is a JSON list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether this is a JSON object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** The object, or an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The list, or an empty one. */
export function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** The text, if it is one. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The text, if it is one and not empty. */
export function nameOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A count: an integer of 0 or more. Anything else is unknown. */
export function countOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A moment: RFC 3339 text or milliseconds since 1970. */
export function momentOf(value: Json | undefined): Timestamp | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const moment = new Date(value);
  const ms = moment.getTime();
  if (Number.isNaN(ms) || ms < Date.UTC(0) || ms > LAST_MOMENT) return undefined;
  return timestamp(moment.toISOString());
}

const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Returns 53 bits of a text (cyrb53, public domain), in place of a long id, so that an index over a large file stays small. It
 * avoids a clash of two ids in one file; it does not resist an attacker.
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
