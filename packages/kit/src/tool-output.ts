// Output of a tool with more than text: images, a failure, an exit code. A mark shows that it is an output and not data
// for the model.

import type { ToolOutput } from '@tidemark/agent';
import { nearestName } from '@tidemark/agent';
import { KitError } from './kit-error.ts';

/** Mark of an output. It is the same in every copy of this package. */
const MARK: unique symbol = Symbol.for('tidemark.tool-output');

/** An output that `toolOutput` made. */
export interface MarkedToolOutput extends ToolOutput {
  readonly [MARK]: true;
}

/** Checks of the fields of an output, and the values that they accept. */
const FIELDS: { readonly [Field in keyof Required<ToolOutput>]: readonly [(value: unknown) => boolean, string] } = {
  text: [(value) => typeof value === 'string', 'a string'],
  page: [(value) => typeof value === 'function', 'a function'],
  images: [(value) => isListOf(value, isImage), 'a list of { data, mediaType } with bytes as data'],
  failed: [(value) => typeof value === 'boolean', 'true or false'],
  exit: [(value) => Number.isInteger(value), 'a whole number'],
  files: [(value) => isListOf(value, (one) => 'path' in one && 'as' in one), 'a list of { path, as }'],
  pageFiles: [(value) => typeof value === 'function', 'a function'],
  facts: [(value) => isListOf(value, (one) => 'kind' in one && 'data' in one), 'a list of { kind, data }'],
};

function isListOf(value: unknown, isOne: (one: object) => boolean): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && isOne(one));
}

function isImage(one: object): boolean {
  return 'data' in one && one.data instanceof Uint8Array && 'mediaType' in one && typeof one.mediaType === 'string';
}

/**
 * Returns an output that `run` can return: `toolOutput({ text: 'A dot.', images: [{ data, mediaType: 'image/png' }]
 * })`. Without this function, an object that `run` returns is data, and the model is shown it as JSON.
 *
 * @throws KitError `kit/bad-tool` for an unknown field, and for a field of the wrong type.
 */
export function toolOutput(output: ToolOutput): MarkedToolOutput {
  const problem =
    typeof output === 'object' && output !== null ? problemOf(output) : 'takes an object, such as { text }';
  if (problem === undefined) return { ...output, [MARK]: true };
  throw new KitError('kit/bad-tool', `toolOutput ${problem}`);
}

function problemOf(output: object): string | undefined {
  const checks = new Map(Object.entries(FIELDS));
  for (const [field, value] of Object.entries(output)) {
    const check = checks.get(field);
    if (check === undefined) {
      const use = nearestName(field, [...checks.keys()]);
      return `has no field ${field}${use === undefined ? `: use ${[...checks.keys()].join(', ')}` : `: use ${use}`}`;
    }
    const [accepts, expected] = check;
    if (value !== undefined && !accepts(value)) return `takes ${expected} as \`${field}\``;
  }
  return undefined;
}

/** Returns the output that `toolOutput` made, without its mark. Returns `undefined` for any other value. */
export function markedOutput(value: unknown): ToolOutput | undefined {
  if (!isMarked(value)) return undefined;
  const { [MARK]: _mark, ...output } = value;
  return output;
}

function isMarked(value: unknown): value is MarkedToolOutput {
  return typeof value === 'object' && value !== null && MARK in value && value[MARK] === true;
}
