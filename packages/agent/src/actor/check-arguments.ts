// Checks the arguments of a session's commands before they reach the actor. A program in JavaScript can pass any value, and a
// wrong one must not stop the session.

import { isBlank } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import type { ModelReach, OtherModel, Words } from '../ports/live-session.ts';
import type { Mode } from '../ports/permissions.ts';

const MODES: readonly Mode[] = ['read-only', 'ask', 'auto'];

/** @throws AgentError `agent/bad-argument` for a value that is not a mode. */
export function requireMode(mode: Mode): void {
  if (MODES.includes(mode)) return;
  throw badArgument(`there is no mode ${JSON.stringify(mode)}: use one of ${MODES.join(', ')}`);
}

/** Names that other libraries have for an option of a command. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['schema', 'output'],
  ['outputSchema', 'output'],
  ['abortSignal', 'signal'],
  ['model', 'session.setModel(…)'],
  ['inPlace', 'setModel without it, which switches this session; fork({ model }) opens another session'],
  ['limits', 'the option limits of createAgent'],
  ['maxOutputTokens', 'the option maxOutputTokens of createAgent'],
  ['fromMessage', 'beforePrompt'],
  ['apiKey', 'host.environment of createAgent'],
]);

/** @throws AgentError `agent/bad-argument` for an option that the command does not have. */
export function requireOptions(command: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const use = ELSEWHERE.get(name) ?? nearestName(name, known);
    throw badArgument(`${command} has no option ${name}${use === undefined ? '' : `: use ${use}`}`);
  }
}

/**
 * Checks a model that is passed as an object.
 *
 * @throws AgentError `agent/bad-argument` for another value, and for a reach next to it, which would have no effect.
 */
export function requireOtherModel(model: OtherModel, reach: ModelReach): void {
  if (typeof model !== 'object' || model === null || !('provider' in model) || !('capabilities' in model))
    throw badArgument('a model is its name, or an object with `provider` and `capabilities`');
  const [idle] = Object.keys(reach);
  if (idle === undefined) return;
  throw badArgument(`\`${idle}\` has no effect next to a model object, which has its own provider: remove it`);
}

/**
 * Returns the parts of a prompt.
 *
 * @throws AgentError `agent/bad-argument` for a value that is not a prompt; `agent/nothing-to-send` for a blank prompt, which
 *   providers refuse.
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
