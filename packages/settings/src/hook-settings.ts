// Defines the setting `hooks`: programs that are asked about calls, prompts and turns.

import type { HookEvent } from '@tidemark/agent';
import { HOOK_EVENTS } from '@tidemark/agent';
import { z } from 'zod';

import { words } from './setting-values.ts';

/** A hook in the settings. */
export interface HookSetting {
  readonly on: HookEvent;
  /** Program with its arguments, or a line for the shell. */
  readonly run: string | readonly string[];
  /** Name for people and for the log. Default: the name of the script or the program. */
  readonly name?: string;
  /** Names of tools, with `*` for any text. Only for `before-tool` and `after-tool`. Default: all tools. */
  readonly tools?: readonly string[];
  /** Time limit in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Effect of a failure. Default: `deny` for `before-tool` and `before-prompt`. */
  readonly whenItFails?: 'deny' | 'continue';
  /**
   * True to run the program in the sandbox of commands, in the folder of the workspace and without a network. Always
   * true for a hook of a workspace. Otherwise the program runs in the folder of the user's own configuration.
   */
  readonly sandbox?: boolean;
}

const MAX_HOOKS = 100;
const MAX_TIMEOUT_MS = 60_000;

const line = z.string().trim().min(1, 'expected a program').max(10_000, 'expected a shorter line');

const hook = z
  .strictObject({
    on: z.enum(HOOK_EVENTS),
    run: z.union([line, z.array(z.string().max(10_000)).min(1)], 'expected a program with its arguments, or a line'),
    name: z
      .string()
      .regex(/^[\x21-\x7e][\x20-\x7e]{0,59}$/, 'expected a name of 1 to 60 visible ASCII characters')
      .exactOptional(),
    tools: z.array(words).min(1).max(100).exactOptional(),
    timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS, 'expected at most 60000').exactOptional(),
    whenItFails: z.enum(['deny', 'continue']).exactOptional(),
    sandbox: z.boolean().exactOptional(),
  })
  .superRefine(({ on, run, tools, whenItFails }, { addIssue }) => {
    const problem = (path: string, message: string): void => addIssue({ code: 'custom', path: [path], message });
    if (tools !== undefined && on !== 'before-tool' && on !== 'after-tool')
      problem('tools', `a hook on ${on} is not asked about tools: remove it`);
    if (whenItFails === 'deny' && on !== 'before-tool' && on !== 'before-prompt')
      problem('whenItFails', `a hook on ${on} cannot deny: remove it, or use "continue"`);
    if (typeof run !== 'string' && run[0]?.trim() === '') problem('run', 'expected a program');
  });

/** Schema of the setting `hooks`. */
export const hookSettings: z.ZodType<readonly HookSetting[]> = z.array(hook).max(MAX_HOOKS);

/** Returns the hooks in a tree of settings, or an empty list if they are not valid. */
export function hooksIn(tree: unknown): readonly HookSetting[] {
  return z.object({ hooks: hookSettings }).safeParse(tree).data?.hooks ?? [];
}

/**
 * Returns the hooks of a workspace as they run: always in the sandbox, and so in the folder in which their named files
 * were found for the digest.
 */
export function hooksInSandbox(hooks: unknown): readonly HookSetting[] {
  return hooksIn({ hooks }).map((one) => ({ ...one, sandbox: true }));
}
