// The ten tools of the benchmarks' agents. The benchmark supplies the function that a call runs.

import { newHash } from '@tidemark/agent';
import type { Tool, ToolContext } from '@tidemark/agent';
import type { FrontTexts } from '@tidemark/context';
import { composeFront } from '@tidemark/context';
import type { EffectClass } from '@tidemark/log';

/** Arguments that the model passes in a call. */
export interface MadeArguments {
  readonly path: string;
  /** Number of bytes that the call must return. */
  readonly bytes: number;
}

/** Runs a call and returns its result. */
export type MadeRun = (given: MadeArguments, effect: EffectClass, context: ToolContext) => string | Promise<string>;

/** System text of the benchmarks' agents. */
export const ROLE = 'You keep the tax code of a shop right. Its rules stand in docs/tax.md.';

const WRITING: readonly number[] = [3, 7];

/** Returns the name of a tool. Indexes above 9 start again at 0. */
export function toolName(index: number): string {
  return `tool_${index % 10}`;
}

/** Creates `tool_0` to `tool_9`, of which `tool_3` and `tool_7` write. `effect` sets the effect class of all tools. */
export function madeTools(run: MadeRun, effect?: EffectClass): readonly Tool[] {
  return Array.from({ length: 10 }, (_, index) =>
    madeTool(index, effect ?? (WRITING.includes(index) ? 'write' : 'read'), run),
  );
}

/** Creates a tool named `history_read`. Old results can be shortened only if a tool with this name is offered. */
export function readsBack(run: MadeRun): Tool {
  return { ...madeTool(10, 'read', run), name: 'history_read' };
}

/** Name of the tool that loads a skill. It accepts the same arguments as the other tools. */
export const SKILL_LOAD = 'skill_load';

/** Creates additional tools that no model calls, and `skill_load` if `skills` is true. */
export function moreTools(count: number, skills: boolean, run: MadeRun): readonly Tool[] {
  const extra = Array.from({ length: count }, (_, index) => madeTool(20 + index, 'read', run));
  return skills ? [...extra, { ...madeTool(10, 'read', run), name: SKILL_LOAD }] : extra;
}

function madeTool(index: number, effect: EffectClass, run: MadeRun): Tool {
  const verb = effect === 'write' ? 'Changes' : 'Reads';
  return {
    name: index < 10 ? toolName(index) : `more_${index}`,
    description: `${verb} part ${index} of the workspace. Give a path relative to its root, and how much is needed.`,
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the root of the workspace.' },
        bytes: { type: 'integer', description: 'How much is needed.' },
      },
      required: ['path', 'bytes'],
    },
    effect,
    read: (input) => {
      const given = madeArguments(input);
      if (given === undefined) return { problem: 'give path and bytes' };
      return { title: given.path, run: async (context) => ({ text: await run(given, effect, context) }) };
    },
  };
}

function madeArguments(input: unknown): MadeArguments | undefined {
  if (typeof input !== 'object' || input === null || !('path' in input && 'bytes' in input)) return undefined;
  const { path, bytes } = input;
  return typeof path === 'string' && typeof bytes === 'number' ? { path, bytes } : undefined;
}

/** Composes the front of an agent with the ten tools and with `ROLE`. */
export function madeFront(): FrontTexts {
  const tools = madeTools(() => '').map(({ name, description, schema }) => ({ name, description, schema }));
  return composeFront({ tools, role: ROLE }, newHash);
}
