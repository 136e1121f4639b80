// The ten tools of the benchmarks' agents. What a call comes to is the benchmark's own business.

import { newHash } from '@tidemark/agent';
import type { Tool, ToolContext } from '@tidemark/agent';
import type { FrontTexts } from '@tidemark/context';
import { composeFront } from '@tidemark/context';
import type { EffectClass } from '@tidemark/log';

/** What a model gives with a call. */
export interface MadeArguments {
  readonly path: string;
  /** Bytes that the call is to return. */
  readonly bytes: number;
}

/** Does the work of a call. */
export type MadeRun = (given: MadeArguments, effect: EffectClass, context: ToolContext) => string | Promise<string>;

/** The system text of the benchmarks' agents. */
export const ROLE = 'You keep the tax code of a shop right. Its rules stand in docs/tax.md.';

/** Tools that change something; the others only read. */
const WRITING: readonly number[] = [3, 7];

/** Name of a tool, counted round. */
export function toolName(index: number): string {
  return `tool_${index % 10}`;
}

/** `tool_0` to `tool_9`; of these `tool_3` and `tool_7` write. `effect` makes all of them alike. */
export function madeTools(run: MadeRun, effect?: EffectClass): readonly Tool[] {
  return Array.from({ length: 10 }, (_, index) =>
    madeTool(index, effect ?? (WRITING.includes(index) ? 'write' : 'read'), run),
  );
}

/** A tool that a session's history is said to be read back with: where it is offered, old results may be shortened. */
export function readsBack(run: MadeRun): Tool {
  return { ...madeTool(10, 'read', run), name: 'history_read' };
}

/** Loads a skill: its arguments are those of the others. */
export const SKILL_LOAD = 'skill_load';

/** So many tools more, of which `skill_load` may be one; no model calls the others. */
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

/** The front of an agent with these tools and this role. */
export function madeFront(): FrontTexts {
  const tools = madeTools(() => '').map(({ name, description, schema }) => ({ name, description, schema }));
  return composeFront({ tools, role: ROLE }, newHash);
}
