// JSON text as every API takes it: strings without lone surrogates, names that fit, members with their bytes as they were.

import { rawMembers } from '@tidemark/core';
import { createHash } from 'node:crypto';

/** A JSON string. Lone surrogates become U+FFFD: a server may refuse a body that has one, even escaped. */
export function jsonString(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** A text part without its closing brace: the slot for a marker comes after it. */
export function textHead(text: string): string {
  return `{"type":"text","text":${jsonString(text)}`;
}

const MAPPED = /^tm_[a-zA-Z0-9_-]*_[0-9a-f]{16}$/;

/**
 * Returns an id or a name that an API accepts. One that fits stays as it is. Any other, such as an id of another provider
 * (`call_1|fc_2`), becomes `tm_<readable>_<hash>`, the same every time, and no two become the same. `readable` is the number of
 * characters that are kept of it.
 */
export function fittingName(name: string, fits: RegExp, readable: number): string {
  // A name that looks mapped is mapped again: else a foreign id could collide with the map of another.
  if (fits.test(name) && !MAPPED.test(name)) return name;
  const kept = name.slice(0, readable).replace(/[^a-zA-Z0-9_-]/g, '_');
  const digest = createHash('sha256').update(name, 'utf8').digest('hex').slice(0, 16);
  return `tm_${kept}_${digest}`;
}

/** Returns the members of a body that are taken, as `"key":value` with the bytes of each value as they were. */
export function membersOf(body: Uint8Array, takes: (key: string) => boolean): readonly string[] {
  const members = rawMembers(new TextDecoder().decode(body)).filter(({ key }) => takes(key));
  return members.map(({ key, raw }) => `${JSON.stringify(key)}:${raw}`);
}

/** Returns the body of a token count: the same body with the fields that the endpoint takes. */
export function countBody(body: Uint8Array, fields: ReadonlySet<string>): Uint8Array {
  return new TextEncoder().encode(`{${membersOf(body, (key) => fields.has(key)).join(',')}}`);
}
