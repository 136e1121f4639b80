// Ids and names of calls as the API accepts them. What fits goes as it is; what does not (an id of another provider like
// `call_1|fc_2`) is mapped to itself every time, and never onto what another one is mapped to or already is.

import { createHash } from 'node:crypto';

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MAPPED = /^tm_[a-zA-Z0-9_-]*_[0-9a-f]{16}$/;
const READABLE = 64;

/** The id of a call and of its result (`^[a-zA-Z0-9_-]+$`). */
export function wireId(id: string): string {
  return fits(id, ID) ? id : mapped(id);
}

/** The name of a called tool (`^[a-zA-Z0-9_-]{1,128}$`). */
export function wireName(name: string): string {
  return fits(name, NAME) ? name : mapped(name);
}

/** Whether the API takes this as a tool's name in the list of tools. */
export function isToolName(name: string): boolean {
  return NAME.test(name);
}

// What looks mapped already is mapped again: else a foreign id could collide with the map of another.
function fits(text: string, pattern: RegExp): boolean {
  return pattern.test(text) && !MAPPED.test(text);
}

function mapped(text: string): string {
  const readable = text.slice(0, READABLE).replace(/[^a-zA-Z0-9_-]/g, '_');
  const digest = createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 16);
  return `tm_${readable}_${digest}`;
}
