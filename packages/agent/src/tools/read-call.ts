// From the call as the model wrote it to a tool with its arguments read, or to the words that say what is wrong with it.

import type { CallPart } from '@tidemark/model';
import { isBlank, parseJson } from '@tidemark/model';
import type { Secrets } from '../commit/secrets.ts';
import { messageOf } from './message-of.ts';
import { nearestName } from './nearest-name.ts';
import type { Tool, ToolProblem, ToolRun } from './tool.ts';

/** A call that could run. */
export interface CallRead {
  readonly tool: Tool;
  readonly run: ToolRun;
  /** The arguments as the tool read them. */
  readonly input: object;
}

/** The tool with its arguments read; or the problem, as the model is told it. Throws nothing. */
export async function readCall(
  call: CallPart,
  tools: readonly Tool[],
  secrets: Secrets,
): Promise<CallRead | ToolProblem> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return { problem: unknownTool(call.name, tools) };
  const input = readArguments(call);
  if ('problem' in input) return input;
  if (mayWrite(tool) && secrets.holdsPlaceholder(JSON.stringify(input.object))) {
    return { problem: writesPlaceholder(tool.name) };
  }
  try {
    const run = await tool.read(input.object);
    return 'problem' in run ? run : { tool, run, input: input.object };
  } catch (cause) {
    return { problem: `The arguments of "${tool.name}" could not be read: ${messageOf(cause)}` };
  }
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name).toSorted();
  if (names.length === 0) return `There is no tool named "${name}", nor any other: answer without one.`;
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `There is no tool named "${name}".${hint} The tools are: ${names.join(', ')}.`;
}

/** The arguments as an object. A call without any may come without a text: some providers stream none for `{}`. */
function readArguments(call: CallPart): { readonly object: object } | ToolProblem {
  const again = `Call "${call.name}" again with one JSON object.`;
  if (isBlank(call.arguments)) return { object: {} };
  let input: unknown;
  try {
    input = parseJson(call.arguments);
  } catch (cause) {
    return { problem: `The arguments are not valid JSON: ${messageOf(cause)}. ${again}` };
  }
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { object: input };
  return { problem: `The arguments are ${nameOfKind(input)}, not an object. ${again}` };
}

function nameOfKind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** A command writes files too: `cat > .env` is the shortest way to lose a key. */
function mayWrite({ effect }: Tool): boolean {
  return effect === 'write' || effect === 'execute';
}

function writesPlaceholder(name: string): string {
  return (
    `The arguments of "${name}" hold a placeholder, such as [secret:NAME], that stands for a secret you were not shown. ` +
    'Written to a file it would replace the secret by its name, so the call did not run. Call again with text that does ' +
    'not include the placeholder: for an edit, text that ends before it or begins after it. To change the secret itself, ' +
    'ask the user.'
  );
}
