// The name that a model calls a server's tool by: `server__tool`, within what every provider takes. It depends on the two
// names alone, never on what else is listed, so that no tool is renamed by another that comes or goes.

import { createHash } from 'node:crypto';

/** No `_` at either end and no two in a row, so that the first `__` of a tool's name is where the server's ends. */
const SERVER = /^(?=.{1,32}$)[a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*$/;
const LONGEST = 64;
const MARK = 9;

/** Whether a server may be called so. */
export function isServerName(name: string): boolean {
  return SERVER.test(name);
}

/** What all names of a server's tools begin with. */
export function prefixOf(server: string): string {
  return `${server}__`;
}

/** `server__tool`; where that cannot stand, what can of it and 8 hex digits of both names. */
export function toolName(server: string, tool: string): string {
  const plain = `${prefixOf(server)}${tool}`;
  if (plain.length <= LONGEST && /^[a-zA-Z0-9_-]+$/.test(tool)) return plain;
  const mark = createHash('sha256')
    .update(`${server}\0${tool}`)
    .digest('hex')
    .slice(0, MARK - 1);
  return `${plain.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - MARK)}_${mark}`;
}
