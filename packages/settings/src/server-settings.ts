// Defines the settings of MCP servers and the form of their values.

import { resolve } from 'node:path';

import type { Tool } from '@tidemark/agent';
import { z } from 'zod';

import { address, budget, count, words } from './setting-values.ts';

const SERVER_NAME = /^(?=.{1,32}$)[a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*$/;

/** Names that mean something else in an object of JavaScript. */
const RESERVED: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Returns true if a configuration can contain a server with this name. */
export function isStorableServerName(name: string): boolean {
  return SERVER_NAME.test(name) && !RESERVED.includes(name);
}

/**
 * Value of a variable or a header of an MCP server: a text, or the environment variable that contains it. `prefix` is
 * put before the value of the variable, such as `Bearer ` in an `Authorization` header.
 */
export type ServerValue = string | { readonly variable: string; readonly prefix?: string };

/** Connection to an MCP server, by a command or a URL, with the effect class and the timeout of the server's tools. */
export type ServerSetting = (
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, ServerValue>>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, ServerValue>> }
) & {
  /** Effect class of all tools of the server, or of single tools by name. Default: `execute`. */
  readonly effect?: Tool['effect'] | Readonly<Record<string, Tool['effect']>>;
  /** Maximum time of a call without progress, in milliseconds. */
  readonly timeoutMs?: number;
};

const fromVariable = z.strictObject({
  variable: z.string().regex(/^[A-Za-z_]\w{0,199}$/, 'expected the name of an environment variable'),
  prefix: z
    .string()
    .regex(/^[\t\x20-\x7e]{1,100}$/, 'expected visible ASCII characters')
    .exactOptional(),
});
const named = z.record(
  z.string(),
  z.union([z.string(), fromVariable], 'expected a text, or { "variable": "NAME" } with an optional prefix'),
);
const effect = z.enum(['none', 'read', 'write', 'execute', 'network']);
const terms = {
  effect: z.union([effect, z.record(z.string(), effect)]).exactOptional(),
  timeoutMs: count.exactOptional(),
};
const folder = z.string().min(1, 'expected a folder').max(4_096, 'expected a shorter path');
const server = z.union(
  [
    z.strictObject({
      command: words,
      args: z.array(z.string()).exactOptional(),
      env: named.exactOptional(),
      cwd: folder.exactOptional(),
      ...terms,
    }),
    z.strictObject({ url: address, headers: named.exactOptional(), ...terms }),
  ],
  'expected { command, args, env, cwd } or { url, headers }, each with optional effect and timeoutMs',
);

/** Schema of a server name, as `tools/mcp` accepts it: no `_` at the beginning or the end, and no two `_` in a row. */
const serverName = z
  .string()
  .regex(SERVER_NAME, 'expected a server name of 1 to 32 letters, digits, "-", or single "_" between them');

/** Schema of the group `mcp`. */
export const mcpSettings: z.ZodObject<
  {
    servers: z.ZodOptional<z.ZodType<Readonly<Record<string, ServerSetting>>>>;
    toolBudget: z.ZodOptional<z.ZodType<number>>;
  },
  z.core.$strict
> = z.strictObject({ servers: z.record(serverName, server).optional(), toolBudget: budget.optional() });

/** Returns the MCP servers in a tree of settings, or an empty record if they are not valid. */
export function serversIn(tree: unknown): Readonly<Record<string, ServerSetting>> {
  return z.object({ mcp: mcpSettings }).safeParse(tree).data?.mcp.servers ?? {};
}

/**
 * For each server that a command starts, makes its folder absolute, relative to the workspace. Without an explicit
 * folder, such a server would run in the folder in which `tidemark` was started.
 */
export function serversRunIn(workspace: string, servers: unknown): Readonly<Record<string, ServerSetting>> {
  const given = Object.entries(serversIn({ mcp: { servers } }));
  return Object.fromEntries(
    given.map(([name, one]): [string, ServerSetting] => [
      name,
      'command' in one ? { ...one, cwd: resolve(workspace, one.cwd ?? '.') } : one,
    ]),
  );
}
