// Stores accepted tool definitions in a file of the user. If a definition changes between two sessions, the change is
// noticed.

import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolderSync, readRegularFileSync } from '@tidemark/files';
import { parseJson } from '@tidemark/log';
import { z } from 'zod';
import type { Approvals, Definition } from './approvals.ts';
import { McpError } from './mcp-server.ts';

/** Largest file that is read, in bytes. */
const MAX_BYTES = 64 * 1_024 * 1_024;

const fileSchema = z.strictObject({
  revision: z.literal(1),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string(), schema: z.json() })),
});

/**
 * Opens the file. If it does not exist, it is created later. The file is read again before each write, because another
 * process may have changed it.
 *
 * @throws McpError `mcp/approvals-damaged` if the file is damaged. Without this error, any definition that a server
 *   sends now would be accepted.
 * @throws FileError if the path is a pipe, a device or a folder.
 */
export function openApprovals(path: string): Approvals {
  let kept = readAll(path);
  return {
    get: (name) => kept.get(name),
    take(definitions) {
      const taken = definitions.map((one) => [one.name, one] as const);
      kept = new Map([...kept, ...taken]);
      kept = new Map([...kept, ...readAll(path), ...taken]);
      writeAll(path, kept);
    },
  };
}

function readAll(path: string): ReadonlyMap<string, Definition> {
  const text = readIfThere(path);
  if (text === undefined) return new Map();
  try {
    const { tools } = fileSchema.parse(parseJson(text));
    return new Map(tools.map((one) => [one.name, one]));
  } catch (cause) {
    const message = `${path} does not contain valid definitions of accepted tools: fix it, or remove it and review the definitions that the servers send`;
    throw new McpError('mcp/approvals-damaged', message, { path }, cause);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readRegularFileSync(path, { most: MAX_BYTES }).toString('utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function writeAll(path: string, all: ReadonlyMap<string, Definition>): void {
  const tools = [...all.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  makeFolderSync(dirname(path), 0o700);
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, `${JSON.stringify({ revision: 1, tools }, undefined, 1)}\n`, { mode: 0o600 });
  chmodSync(part, 0o600);
  renameSync(part, path);
}
