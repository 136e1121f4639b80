// Checks the arguments of a session's commands before they reach the actor. A program in JavaScript can pass any value.
// A wrong value must not stop the session.

import { canonicalText } from '@tidemark/core';
import type { NotificationReceived, RenderParameters } from '@tidemark/log';
import { isBlank } from '@tidemark/model';
import { AgentError, messageOf } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import type {
  AgentForkOptions,
  CompactOptions,
  PromptOptions,
  ResumeOptions,
  SideCall,
  Words,
} from '../ports/live-session.ts';
import type { ForecastOptions, ModelReach, OtherModel } from '../ports/other-model.ts';
import type { Mode } from '../ports/permissions.ts';
import type { Tool } from '../ports/tool.ts';

const MODES: readonly Mode[] = ['read-only', 'ask', 'accept-edits', 'auto'];

/** @throws AgentError `agent/bad-argument` for a value that is not a mode. */
export function requireMode(mode: Mode): void {
  if (MODES.includes(mode)) return;
  throw badArgument(`there is no mode ${JSON.stringify(mode)}: use one of ${MODES.join(', ')}`);
}

/**
 * Option names of other libraries. Each name has the option or call of this library that an error message suggests
 * instead.
 */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['schema', 'output'],
  ['outputSchema', 'output'],
  ['abortSignal', 'signal'],
  ['model', 'session.setModel(…)'],
  ['inPlace', 'setModel without it, which switches this session; fork({ model }) opens another session'],
  ['limits', 'the option limits of createAgent'],
  ['maxOutputTokens', 'the option maxOutputTokens of createAgent'],
  ['outputLimit', 'maxOutputTokens'],
  ['maxTokens', 'maxOutputTokens'],
  ['words', 'prompt'],
  ['messages', 'prompt'],
  ['fromMessage', 'beforePrompt'],
  ['apiKey', 'host.environment of createAgent'],
]);

/** Values of `ELSEWHERE` that are themselves options. They are suggested only if the command has this option. */
const NAMES_OF_OPTIONS: ReadonlySet<string> = new Set([
  'output',
  'signal',
  'maxOutputTokens',
  'prompt',
  'beforePrompt',
]);

/** Advice for callbacks of other libraries. */
const EVENTS = 'iterate the turn: for await (const event of session.prompt(…))';

/** Advice for an option of one command. */
const ELSEWHERE_IN: ReadonlyMap<string, string> = new Map([
  ['side.model', 'a side call uses the model of the session; use session.fork({ model })'],
  ['side.system', 'a side call uses the system text of the session; put the text into `prompt`'],
  ['side.output', 'ask for JSON in `prompt`, or use session.prompt(…, { output })'],
  ['side.schema', 'ask for JSON in `prompt`, or use session.prompt(…, { output })'],
  ['resume.output', 'parse `text` of the finished turn with the schema'],
  ['prompt.system', 'use the option instructions of createAgent'],
  ['prompt.instructions', 'use the option instructions of createAgent'],
  ['prompt.tools', 'use session.setTools(…)'],
  ['prompt.effort', 'use session.setReasoning({ effort })'],
  ['prompt.reasoning', 'use session.setReasoning({ effort })'],
  ['prompt.onChunk', EVENTS],
  ['prompt.onStepFinish', EVENTS],
  ['prompt.onFinish', EVENTS],
  ['prompt.maxTokens', 'use the option maxOutputTokens of createAgent'],
  ['prompt.maxSteps', 'use the option limits.maxSteps of createAgent'],
  ['prompt.timeout', 'use the option limits.maxDurationMs of createAgent, or `signal`'],
]);

/** Check of an option. `expected` describes the accepted values in the error message. */
type OptionCheck = readonly [accepts: (value: unknown) => boolean, expected: string];

/** Type of a table with one check for each option of a command. */
type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

const aText: OptionCheck = [(value) => typeof value === 'string', 'a string'];
const aName: OptionCheck = [(value) => typeof value === 'string' && value !== '', 'a string that is not empty'];
const flag: OptionCheck = [(value) => typeof value === 'boolean', 'true or false'];
const count: OptionCheck = [(value) => Number.isSafeInteger(value) && Number(value) > 0, 'a whole number above 0'];
const names: OptionCheck = [
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  'a list of names',
];
const signal: OptionCheck = [(value) => value instanceof AbortSignal, 'an AbortSignal'];
const oneOf = (...values: readonly string[]): OptionCheck => [
  (value) => typeof value === 'string' && values.includes(value),
  `one of ${values.join(', ')}`,
];
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const anything: OptionCheck = [() => true, 'a value'];

/** Options of `prompt`. `createAnswerSchema` checks the schema. */
export const PROMPT_OPTIONS: OptionChecks<PromptOptions> = { skills: names, output: anything, signal };

/** Options of `resume`. */
export const RESUME_OPTIONS: OptionChecks<ResumeOptions> = { signal };

/** Options that locate a model. */
export const REACH_OPTIONS: OptionChecks<ModelReach> = {
  provider: [(value) => typeof value === 'string' || isObject(value), 'the name of a provider, or a provider'],
  baseURL: aText,
  contextWindow: count,
};

/** Options of `fork`. `planFork` checks that the record and the prompt exist. */
export const FORK_OPTIONS: OptionChecks<AgentForkOptions> = {
  at: [Number.isSafeInteger, 'the number of a record'],
  beforePrompt: [Number.isSafeInteger, 'the number of a prompt, such as 1 or -1'],
  summarize: flag,
  title: aText,
  model: [(value) => typeof value === 'string' || isObject(value), 'the name of a model, or a model'],
  ...REACH_OPTIONS,
};

/** Options of `forecast`. */
export const FORECAST_OPTIONS: OptionChecks<ForecastOptions> = {
  model: FORK_OPTIONS.model,
  reasoning: [isObject, 'an object with parameters, such as { effort: "low" }'],
  skills: names,
  notifications: [Array.isArray, 'a list of notifications'],
  mode: oneOf(...MODES),
  ...REACH_OPTIONS,
};

/** Options of `compact`. */
export const COMPACT_OPTIONS: OptionChecks<CompactOptions> = {
  tailTokens: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number of tokens'],
  checkpointTokens: count,
  by: oneOf('auto', 'model', 'deterministic'),
  fresh: flag,
  dryRun: flag,
};

/** Options of `setTools`. */
export const TOOLS_OPTIONS: OptionChecks<{ readonly when?: 'now' | 'next-epoch' }> = {
  when: oneOf('now', 'next-epoch'),
};

/** Fields of a side call. `partsOf` checks the prompt. */
export const SIDE_CALL: OptionChecks<SideCall> = {
  purpose: aName,
  prompt: anything,
  history: oneOf('main', 'none'),
  maxOutputTokens: count,
  signal,
};

/** Fields of a notification. */
export const NOTIFICATION: OptionChecks<NotificationReceived> = { source: aName, body: aText, provenance: aText };

/**
 * Checks the options of a command: their names and their values. An option that is `undefined` counts as absent.
 *
 * @throws AgentError `agent/bad-argument`.
 */
export function requireOptions(command: string, given: object, checks: Readonly<Record<string, OptionCheck>>): void {
  if (!isObject(given)) throw badArgument(`${command} takes an object with ${Object.keys(checks).join(', ')}`);
  const known = new Map(Object.entries(checks));
  for (const [option, value] of Object.entries(given)) {
    const check = known.get(option);
    if (check === undefined) throw unknownOption(command, option, [...known.keys()]);
    const [accepts, expected] = check;
    if (value !== undefined && !accepts(value)) throw badArgument(`${command}: \`${option}\` has to be ${expected}`);
  }
}

function unknownOption(command: string, option: string, known: readonly string[]): AgentError {
  const own = ELSEWHERE_IN.get(`${command}.${option}`);
  if (own !== undefined) return badArgument(`${command} has no option ${option}: ${own}`);
  const elsewhere = ELSEWHERE.get(option);
  const reachable = elsewhere === undefined || !NAMES_OF_OPTIONS.has(elsewhere) || known.includes(elsewhere);
  const use =
    (reachable ? elsewhere : undefined) ??
    nearestName(option, known) ??
    (known.length === 1 ? known.join() : `one of ${known.join(', ')}`);
  return badArgument(`${command} has no option ${option}: use ${use}`);
}

/**
 * Checks a notification. Every field is required.
 *
 * @throws AgentError `agent/bad-argument`.
 */
export function requireNotification(given: NotificationReceived): void {
  requireOptions('notify', given, NOTIFICATION);
  const present = new Map(Object.entries(given));
  const missing = Object.keys(NOTIFICATION).find((field) => present.get(field) === undefined);
  if (missing !== undefined) throw badArgument(`notify: \`${missing}\` is missing`);
}

/** Checks a side call. @throws AgentError `agent/bad-argument`. */
export function requireSideCall(given: SideCall): void {
  requireOptions('side', given, SIDE_CALL);
  if (given.purpose === undefined) throw badArgument('side: `purpose` is missing, such as "title"');
  if (given.prompt === undefined) throw badArgument('side: `prompt` is missing: pass a text, or a list of parts');
}

/** @throws AgentError `agent/bad-argument` for a value that is not the name of a context source. */
export function requireSourceName(source: string): void {
  if (typeof source !== 'string') throw badArgument('refresh takes the name of a context source');
}

/**
 * Checks the tools of `setTools`.
 *
 * @throws AgentError `agent/bad-argument` if the value is not a list of tools, or if two tools have the same name.
 */
export function requireTools(tools: readonly Tool[]): void {
  const isTool = (tool: unknown): boolean =>
    isObject(tool) &&
    'name' in tool &&
    typeof tool.name === 'string' &&
    'read' in tool &&
    typeof tool.read === 'function';
  if (!Array.isArray(tools) || !tools.every(isTool))
    throw badArgument('setTools takes a list of tools: use defineTool');
  const found = tools.map((tool: Tool) => tool.name);
  const twice = found.find((one, index) => found.indexOf(one) !== index);
  if (twice !== undefined) throw badArgument(`setTools: two tools have the name ${twice}: rename one of them`);
}

/**
 * Checks render parameters.
 *
 * @throws AgentError `agent/bad-argument` if the value is not an object, or if JSON cannot represent it.
 */
export function requireParameters(parameters: RenderParameters): void {
  if (!isObject(parameters))
    throw badArgument('setReasoning takes an object with parameters, such as { effort: "low" }');
  try {
    canonicalText(parameters);
  } catch (error) {
    throw badArgument(`the parameters of setReasoning are not JSON: ${messageOf(error)}`);
  }
}

/**
 * Checks a model that is passed as an object.
 *
 * @throws AgentError `agent/bad-argument` if the value is not a model, or if a reach is also given. The reach would
 *   have no effect.
 */
export function requireOtherModel(model: OtherModel, reach: ModelReach): void {
  if (typeof model !== 'object' || model === null || !('provider' in model) || !('capabilities' in model))
    throw badArgument('a model is its name, or an object with `provider` and `capabilities`');
  const [idle] = Object.keys(reach);
  if (idle === undefined) return;
  throw badArgument(`\`${idle}\` has no effect next to a model object, which has its own provider: remove it`);
}

/**
 * Returns a prompt as a list of parts. A text becomes one text part.
 *
 * @throws AgentError `agent/bad-argument` for a value that is not a prompt; `agent/nothing-to-send` for a blank prompt,
 *   which providers refuse.
 */
export function partsOf(words: Words): Exclude<Words, string> {
  const parts: Exclude<Words, string> = typeof words === 'string' ? [{ type: 'text', text: words }] : words;
  if (!Array.isArray(parts)) throw badArgument('a prompt is a text, or a list of parts: { type: "text", text }');
  parts.forEach(requirePart);
  if (parts.some((part) => part.type !== 'text' || !isBlank(part.text))) return parts;
  throw new AgentError('agent/nothing-to-send', 'the prompt is blank: write a prompt with text');
}

function requirePart(part: unknown, index: number): void {
  const problem = problemOf(part);
  if (problem !== undefined) throw badArgument(`part ${index} of the prompt ${problem}`);
}

function problemOf(part: unknown): string | undefined {
  if (typeof part === 'object' && part !== null && 'role' in part)
    return 'is a message with a role: the session keeps the history, so pass only the new text';
  if (typeof part !== 'object' || part === null || !('type' in part)) return 'is not { type: "text", text }';
  const text = (name: string): boolean => typeof Object.entries(part).find(([key]) => key === name)?.[1] === 'string';
  const bytes = 'data' in part && part.data instanceof Uint8Array;
  switch (part.type) {
    case 'text':
      return text('text') ? undefined : 'has no `text`';
    case 'image':
      return bytes || text('artifact') ? undefined : 'has no bytes in `data`: pass an image as a Uint8Array';
    case 'attachment':
      return bytes && text('name') ? undefined : 'has no `name`, or no bytes in `data`';
    case 'file':
      return text('path') ? undefined : 'has no `path`';
    default:
      return `has the type ${JSON.stringify(part.type)}: use text, image, attachment or file`;
  }
}

function badArgument(message: string): AgentError {
  return new AgentError('agent/bad-argument', message);
}
