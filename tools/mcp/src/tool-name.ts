// Creates the name by which a model calls a server's tool: `server__tool`, within the limits of all providers. The name
// depends only on the names of the server and of the tool. Therefore it does not change when another tool is added or
// removed.

import { createHash } from 'node:crypto';

/**
 * Pattern of a server name. `_` is not allowed at the beginning or the end, or two times in a row. Therefore the first
 * `__` in a tool's name always ends the name of the server.
 */
const SERVER = /^(?=.{1,32}$)[a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*$/;
const LONGEST = 64;
const MARK = 9;

/** True if the name is valid for a server. */
export function isServerName(name: string): boolean {
  return SERVER.test(name);
}

/** Returns the prefix of the names of all tools of a server. */
export function prefixOf(server: string): string {
  return `${server}__`;
}

/**
 * Returns `server__tool`. If this name is too long or has invalid characters, returns a shortened valid name. It
 * contains 8 hex digits of a digest of both names.
 */
export function toolName(server: string, tool: string): string {
  const plain = `${prefixOf(server)}${tool}`;
  if (plain.length <= LONGEST && /^[a-zA-Z0-9_-]+$/.test(tool)) return plain;
  const mark = createHash('sha256')
    .update(`${server}\0${tool}`)
    .digest('hex')
    .slice(0, MARK - 1);
  return `${plain.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - MARK)}_${mark}`;
}
