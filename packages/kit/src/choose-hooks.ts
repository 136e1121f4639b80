// Hooks of an agent: checks the option `hooks`, and makes the hooks of a runtime from functions and programs.

import { basename, resolve } from 'node:path';
import { defined } from '@tidemark/core';
import type { Hook, HookProblem } from '@tidemark/agent';
import { HOOK_EVENTS, HOOK_NAME, hookProblems, MAX_HOOK_TIMEOUT_MS } from '@tidemark/agent';
import type { HookPlace, HookProgram } from '@tidemark/tools-workspace';
import { createHookPrograms } from '@tidemark/tools-workspace';
import { z } from 'zod';
import type { AgentHook } from './agent-hook.ts';
import type { AgentOptions } from './agent-options.ts';
import { workspaceOf } from './agent-options.ts';
import { workspaceOptions } from './choose-tools.ts';

const words = z.string().min(1, 'expected a string that is not empty');
const isFunction = (value: unknown): boolean => typeof value === 'function';
const runForm = z.union(
  [words, z.array(words).min(1).readonly(), z.custom<Hook['run']>(isFunction)],
  'expected a function, a program with its arguments, or a line for the shell',
);

const hookSchema = z
  .strictObject({
    on: z.enum(HOOK_EVENTS),
    run: runForm,
    name: z.string().regex(HOOK_NAME, 'expected a name of 1 to 60 visible ASCII characters').optional(),
    tools: z.array(words).min(1).readonly().optional(),
    timeoutMs: z.int().min(1).max(MAX_HOOK_TIMEOUT_MS).optional(),
    whenItFails: z.enum(['deny', 'continue']).optional(),
    sandbox: z.boolean().optional(),
    folder: words.optional(),
  } satisfies { readonly [name in keyof Required<AgentHook>]: z.ZodType })
  .superRefine((hook, { addIssue }) => {
    const problem = hookProblems(hook)[0] ?? functionProblem(hook);
    if (problem !== undefined) addIssue({ code: 'custom', path: [problem[0]], message: problem[1] });
  });

/** Schema of one hook in the option `hooks`. */
export const hookOption: z.ZodType = hookSchema;

/** Names of the fields of a hook. */
export const HOOK_FIELDS: readonly string[] = Object.keys(hookSchema.shape);

/** Returns the field that a function as a hook cannot have, and the problem with it. */
function functionProblem(hook: {
  readonly run: unknown;
  readonly sandbox?: unknown;
  readonly folder?: unknown;
}): HookProblem | undefined {
  if (!isFunction(hook.run)) return undefined;
  if (hook.sandbox !== undefined) return ['sandbox', 'a function does not run in a sandbox: remove it'];
  return hook.folder === undefined ? undefined : ['folder', 'a function has no folder: remove it'];
}

/** Returns the hooks of an agent in their order. Returns `undefined` if there are none. */
export function chooseHooks(options: AgentOptions): readonly Hook[] | undefined {
  const { hooks = [] } = options;
  if (hooks.length === 0) return undefined;
  const programs = createHookPrograms(placeOf(options));
  return hooks.map(({ run, name, sandbox, folder, ...rest }, index): Hook => {
    const named = name ?? (typeof run === 'function' ? run.name || `hook ${index + 1}` : hookName(run));
    if (typeof run === 'function') return { ...rest, name: named, run };
    const program: HookProgram = { name: named, run, ...defined({ sandbox, folder: folder && resolve(folder) }) };
    return { ...rest, name: named, run: programs(program) };
  });
}

/** Returns the place in which programs run: the folder, the variables and the protected paths of commands. */
function placeOf(options: AgentOptions): HookPlace {
  const workspace = workspaceOf(options);
  if (workspace === undefined)
    return { workspace: resolve('.'), ...defined({ environment: options.host?.environment }) };
  const { folder, memory: _memory, network: _network, ...shell } = workspaceOptions(workspace, options);
  return { ...shell, workspace: folder };
}

/** Longest name made from a line, in characters. */
const LONGEST = 40;

/**
 * Returns a name for a program without a name: the file name of its script, otherwise of the program. For `["node",
 * "hooks/check.mjs"]` it is `check.mjs`.
 */
export function hookName(run: HookProgram['run']): string {
  const [program = '', ...rest] = typeof run === 'string' ? run.trim().split(/\s+/) : run;
  const script = rest.find((word) => /^[\w./~-]*[./][\w./-]*$/.test(word) && !word.startsWith('-'));
  const name = basename(script ?? program).replaceAll(/[^\x21-\x7e]/g, '?');
  return name === '' ? 'hook' : name.slice(0, LONGEST);
}
