// Defines the setting `hooks`: programs that are asked about calls, prompts and turns.

import type { HookEvent } from '@tidemark/agent';
import { HOOK_EVENTS, HOOK_NAME, hookProblems, MAX_HOOK_TIMEOUT_MS } from '@tidemark/agent';
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

const line = z.string().trim().min(1, 'expected a program').max(10_000, 'expected a shorter line');

const hook = z
  .strictObject({
    on: z.enum(HOOK_EVENTS),
    run: z.union([line, z.array(z.string().max(10_000)).min(1)], 'expected a program with its arguments, or a line'),
    name: z.string().regex(HOOK_NAME, 'expected a name of 1 to 60 visible ASCII characters').exactOptional(),
    tools: z.array(words).min(1).max(100).exactOptional(),
    timeoutMs: z.int().min(1).max(MAX_HOOK_TIMEOUT_MS, `expected at most ${MAX_HOOK_TIMEOUT_MS}`).exactOptional(),
    whenItFails: z.enum(['deny', 'continue']).exactOptional(),
    sandbox: z.boolean().exactOptional(),
  })
  .superRefine(({ run, ...rest }, { addIssue }) => {
    for (const [field, message] of hookProblems(rest)) addIssue({ code: 'custom', path: [field], message });
    if (typeof run !== 'string' && run[0]?.trim() === '')
      addIssue({ code: 'custom', path: ['run'], message: 'expected a program' });
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
