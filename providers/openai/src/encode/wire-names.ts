// Ids and names of calls as the API accepts them. What fits goes as it is; what does not (an id of another provider like
// `call_1|fc_2`, one that is too long) is mapped to itself every time, and never onto what another one is mapped to.

import { createHash } from 'node:crypto';

const FITTING = /^[a-zA-Z0-9_-]{1,64}$/;
const MAPPED = /^tm_[a-zA-Z0-9_-]*_[0-9a-f]{16}$/;
const READABLE = 44;

/** The id of a call and of its result: at most 64 characters ("string too long" is a 400). */
export function wireId(id: string): string {
  return wireName(id);
}

/** The name of a called tool: 1 to 64 of a-z, A-Z, 0-9, _ and -. */
export function wireName(name: string): string {
  // What looks mapped already is mapped again: else a foreign id could collide with the map of another.
  return FITTING.test(name) && !MAPPED.test(name) ? name : mapped(name);
}

/** Whether the API takes this as a tool's name in the list of tools. */
export function isToolName(name: string): boolean {
  return FITTING.test(name);
}

function mapped(text: string): string {
  const readable = text.slice(0, READABLE).replace(/[^a-zA-Z0-9_-]/g, '_');
  const digest = createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 16);
  return `tm_${readable}_${digest}`;
}
