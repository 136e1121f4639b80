// The command line of `tidemark mcp`, and the checks that its actions share.

import { PROVIDERS } from '@tidemark/kit';
import type { ServerScope } from '@tidemark/settings';

import type { ServerEntry } from '../arguments/server-values.ts';
import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';

/** Options of `tidemark mcp`, as commander parses them. */
export interface McpFlags {
  readonly scope?: ServerScope['kind'];
  readonly header?: readonly ServerEntry[];
  readonly env?: readonly ServerEntry[];
  readonly trust?: true;
  /** File to which a resource is written. */
  readonly out?: string;
}

/** Command line of `tidemark mcp`. */
export interface McpRequest {
  readonly name: string | undefined;
  readonly target: readonly string[];
  readonly flags: McpFlags;
}

/** Names of the providers, which the settings are checked against. */
export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS);

/** Returns the configuration that a scope names. */
export function scopeOf(kind: ServerScope['kind'], context: CommandContext): ServerScope {
  return kind === 'workspace'
    ? { kind, workspace: context.folder }
    : { kind, folder: context.configFolder, file: context.configFile };
}

/** @throws CliError `cli/usage` if the command line has no name. */
export function requireName({ name }: McpRequest, action: string): string {
  if (name !== undefined) return name;
  throw new CliError(
    'cli/usage',
    `\`tidemark mcp ${action}\` needs the name of a server`,
    `\`tidemark mcp list\` lists them`,
  );
}

/** @throws CliError `cli/usage` for words or options that only `add` accepts. */
export function requireNoTarget({ target, flags }: McpRequest, action: string): void {
  const [word] = target;
  const option = flags.header !== undefined ? '--header' : flags.env !== undefined ? '--env' : undefined;
  const extra = option ?? word;
  if (extra === undefined) return;
  throw new CliError('cli/usage', `\`tidemark mcp ${action}\` does not accept ${extra}`, 'remove it');
}
