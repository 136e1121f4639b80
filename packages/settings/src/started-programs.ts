// Lists the programs that the settings of a workspace start, one entry per program. The list covers every kind of
// setting that starts a program.

import { defined } from '@tidemark/core';
import { parseJson } from '@tidemark/log';

import type { HookSetting } from './hook-settings.ts';
import { hooksIn } from './hook-settings.ts';
import type { ServerSetting } from './server-settings.ts';
import { serversIn } from './server-settings.ts';

/** A program with its arguments and environment. */
export interface StartedProgram {
  /** Setting that names the program: `mcp.servers.tax`, or `hooks.0` for the first hook. */
  readonly by: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Folder in which the program runs, relative to the workspace. Default: the workspace. */
  readonly cwd?: string;
}

/**
 * Returns the programs that a configuration starts. `configuration` is its text. If the configuration is invalid, the
 * list is empty.
 */
export function startedPrograms(configuration: string | undefined): readonly StartedProgram[] {
  // If a new kind of setting that starts a program is introduced, it must be added here.
  const tree = treeOf(configuration);
  return [
    ...Object.entries(serversIn(tree)).flatMap(([name, server]) => serverProgram(name, server)),
    ...hooksIn(tree).map(hookProgram),
  ];
}

/** Returns the program of a hook. A line runs in a shell, in the folder of the workspace. */
function hookProgram({ run }: HookSetting, index: number): StartedProgram {
  const [command = 'sh', ...args] = typeof run === 'string' ? ['sh', '-c', run] : run;
  return { by: `hooks.${index}`, command, args, env: {} };
}

function serverProgram(name: string, server: ServerSetting): readonly StartedProgram[] {
  if (!('command' in server)) return [];
  const { command, args = [], env = {}, cwd } = server;
  // The value of the user's own variable is not part of the workspace, so no file of the workspace is looked up for it.
  const texts = Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return [defined({ by: `mcp.servers.${name}`, command, args, env: Object.fromEntries(texts), cwd })];
}

function treeOf(configuration: string | undefined): unknown {
  try {
    return configuration === undefined ? undefined : parseJson(configuration);
  } catch {
    // If the text is not JSON, it is refused later, when the settings are read.
    return undefined;
  }
}
