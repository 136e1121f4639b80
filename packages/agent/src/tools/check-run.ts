// Checks the values that a tool returns for a call before the call runs: title, effects and preview. The author of a
// tool can return any value. A wrong value must fail only the call and not the session.

import type { Notice } from '../ports/session-event.ts';
import type { ToolPreview, ToolRun } from '../ports/tool.ts';
import type { CallEffects, CommandEffects, PathEffect } from '../rules/ruled-call.ts';
import type { TurnContext } from '../session/turn-context.ts';

/** Fields that are checked. They are from all objects that a tool returns. */
type Unchecked = {
  readonly [name in keyof (ToolRun & ToolPreview & CallEffects & CommandEffects & PathEffect)]?: unknown;
};

/** Returns the problem with the return value of a tool's `read`. Returns `undefined` if the value is a `ToolRun`. */
export function problemOfRun(value: unknown): string | undefined {
  if (!isObject(value)) return '`read` did not return an object with `title` and `run`';
  const { title, confined, sensitive, sandboxed, beyond, effects, preview, run } = value;
  if (typeof title !== 'string') return `\`title\` returned ${kindOf(title)}: return a string`;
  if (!isFlag(confined)) return `\`confined\` returned ${kindOf(confined)}: return true or false`;
  if (!isFlag(sensitive)) return `\`sensitive\` is ${kindOf(sensitive)}: use true or false`;
  if (!isFlag(sandboxed)) return `\`sandboxed\` is ${kindOf(sandboxed)}: use true or false`;
  if (beyond !== undefined && !isListOf(beyond, isText)) return `\`beyond\` is not a list of strings`;
  if (preview !== undefined && typeof preview !== 'function') return '`preview` is not a function';
  if (typeof run !== 'function') return '`run` is not a function';
  return effects === undefined ? undefined : problemOfEffects(effects);
}

/** Returns the problem with the return value of `preview`. Returns `undefined` if the value is a `ToolPreview`. */
export function problemOfPreview(value: unknown): string | undefined {
  const isPreview =
    isObject(value) &&
    (value.kind === 'diff' || value.kind === 'command' || value.kind === 'arguments') &&
    isText(value.text) &&
    [value.unseen, value.base].every((one) => one === undefined || isText(one));
  return isPreview
    ? undefined
    : `\`preview\` returned ${kindOf(value)}: return { kind: "diff", "command" or "arguments", text } with a string as \`text\``;
}

/** Reports an error of a tool to its author, and returns the text for the model. */
export async function reportBadTool(
  { session, tell }: Pick<TurnContext, 'session' | 'tell'>,
  tool: string,
  problem: string,
): Promise<string> {
  const message = await session.secrets.mask(`the tool "${tool}" has an error: ${problem}`);
  const notice: Notice = { code: 'tools/bad-tool', message, next: 'The call failed and did not run. Fix the tool.' };
  tell({ type: 'notice.raised', notice });
  return `The call of "${tool}" did not run, because the tool has an error that only its author can fix: ${problem}`;
}

function problemOfEffects(effects: unknown): string | undefined {
  if (!isObject(effects)) return `\`effects\` is ${kindOf(effects)}: use an object`;
  const { commands, paths, hosts, beyond } = effects;
  if (paths !== undefined && !isListOf(paths, isPath))
    return `\`describeEffects.paths\` returned ${kindOf(paths)}: return a list of { path } with a string as \`path\``;
  if (hosts !== undefined && !isListOf(hosts, isText))
    return `\`describeEffects.hosts\` returned ${kindOf(hosts)}: return a list of strings`;
  if (beyond !== undefined && !isListOf(beyond, isText)) return '`effects.beyond` is not a list of strings';
  return commands === undefined || isCommands(commands)
    ? undefined
    : `\`describeEffects.commands\` returned ${kindOf(commands)}: return { plain, possible } with lists of words`;
}

function isObject(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => value === undefined || typeof value === 'boolean';
const isListOf = (value: unknown, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne);

function isPath(value: unknown): boolean {
  return isObject(value) && isText(value.path) && isFlag(value.below);
}

function isCommands(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { plain, possible, script } = value;
  const isWords = (words: unknown): boolean => isListOf(words, isText);
  const isPossible = (words: unknown): boolean => isListOf(words, (word) => word === undefined || isText(word));
  const isScript = script === undefined || isText(script);
  return isScript && (plain === undefined || isListOf(plain, isWords)) && isListOf(possible, isPossible);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value instanceof Promise) return 'a promise';
  if (Array.isArray(value)) return 'a list with a wrong entry';
  return typeof value === 'object' ? 'an object with wrong fields' : `a ${typeof value}`;
}
