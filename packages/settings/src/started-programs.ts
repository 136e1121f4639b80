// The programs that a workspace's settings start, one row each, whatever kind of setting names them.

import { defined } from '@tidemark/core';
import { parseJson } from '@tidemark/log';

import type { ServerSetting } from './settings.ts';
import { serversIn } from './settings.ts';

/** A program and what it is started with. */
export interface StartedProgram {
  /** The setting that names it: `mcp.servers.tax`. */
  readonly by: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder it runs in, from the workspace on: the workspace where none is named. */
  readonly cwd?: string;
}

/** Returns the programs in the text of a configuration. One that cannot be used starts none. */
export function startedPrograms(configuration: string | undefined): readonly StartedProgram[] {
  // A new kind of setting that starts a program, such as a hook, is one more list here.
  return Object.entries(serversIn(treeOf(configuration))).flatMap(([name, server]) => serverProgram(name, server));
}

function serverProgram(name: string, server: ServerSetting): readonly StartedProgram[] {
  if (!('command' in server)) return [];
  const { command, args = [], env = {}, cwd } = server;
  return [defined({ by: `mcp.servers.${name}`, command, args, env, cwd })];
}

function treeOf(configuration: string | undefined): unknown {
  try {
    return configuration === undefined ? undefined : parseJson(configuration);
  } catch {
    // Settings that are no JSON are refused where they are read.
    return undefined;
  }
}
