// How much of an output stands in the context: a limit for each result, smaller where the window is, and a share of what
// is left of it for the calls that are still open (ten parallel reads of 50 KiB would fill a window of 200,000 tokens).

import { slice } from '@tidemark/context';
import type { State } from '@tidemark/context';
import { budgetsOf, estimateImageTokens, estimateTokens, inputLimitOf } from '@tidemark/context';
import type { Capabilities, Part } from '@tidemark/model';

/** Most that is shown of one output, notices included. */
export interface OutputLimits {
  readonly bytes: number;
  readonly lines: number;
}

/** Most bytes of any result. */
export const LARGEST_RESULT = 51_200;

const MOST_LINES = 2_000;
const LEAST = { bytes: 8_192, lines: 200 } as const;
/** From a window of so many tokens on, the limits are whole. */
const WHOLE_WINDOW = 128_000;
/** What a call may always show. */
const LEAST_SHARE = 2_048;
/** Prose and code have more. Hex and base64 have less: the share of those that land later is then smaller. */
const BYTES_PER_TOKEN = 2;
/** A recorded session counted 1.27 times our estimate (see `estimateTokens`). */
const UNDERESTIMATE = 1.3;
/** One definition of a tool that was added in the history. */
const TOOL_TOKENS = 400;

/** The limit of one result on this model. */
export function resultLimits({ inputLimit }: Pick<Capabilities, 'inputLimit'>): OutputLimits {
  const share = Math.min(1, inputLimit / WHOLE_WINDOW);
  return {
    bytes: Math.max(LEAST.bytes, Math.floor(LARGEST_RESULT * share)),
    lines: Math.max(LEAST.lines, Math.floor(MOST_LINES * share)),
  };
}

/** Bytes for each of the calls that are open, so that all of them fit the headroom; never below 2 KiB. */
export function batchShare(headroom: number, callsOpen: number): number {
  const tokens = Math.max(0, headroom) / Math.max(1, callsOpen);
  return Math.max(LEAST_SHARE, Math.floor(tokens * BYTES_PER_TOKEN));
}

/** What may be shown of a call that lands now, with this one `callsOpen` of its batch. An unknown headroom limits nothing. */
export function limitsAt(state: State, capabilities: Capabilities, callsOpen: number): OutputLimits {
  const { bytes, lines } = resultLimits(capabilities);
  const headroom = headroomOf(state, capabilities);
  return { lines, bytes: headroom === undefined ? bytes : Math.min(bytes, batchShare(headroom, callsOpen)) };
}

/**
 * Tokens until the limit that a plan must fit (`hard`): from the measured input of the last accepted request, and the
 * estimate of what came since. `undefined` when no request was measured, or no limit is known; below 0 when it is passed.
 */
export function headroomOf(state: State, capabilities: Capabilities): number | undefined {
  const accepted = state.streams['main']?.accepted;
  if (accepted?.input === undefined) return undefined;
  const limit = inputLimitOf(capabilities, accepted.prepared.outputLimit);
  return limit && budgetsOf(limit).hard - accepted.input - Math.ceil(cameSince(state, accepted.spans));
}

/** Tokens of what is packed since, of the open batch, and of what waits behind it. */
function cameSince({ history }: State, spans: number): number {
  const { packed, settled, batch, notes, prompts } = history;
  const unsent = Math.min(packed.length, Math.max(0, settled - spans));
  const waiting = [...notes, ...prompts].flatMap(({ parts }) => parts);
  const landed = [...(batch?.closed.values() ?? [])].flatMap(({ content }) => content);
  const parts = [...slice(packed, packed.length - unsent).flatMap((span) => span.parts), ...landed, ...waiting];
  return (batch === undefined ? 0 : answerTokens(batch.answer)) + estimateParts(parts);
}

/** Measured where the provider told, else estimated. */
function answerTokens({ usage, parts }: NonNullable<State['history']['batch']>['answer']): number {
  if (usage.answer !== undefined) return usage.answer + (usage.reasoning ?? 0);
  return (
    UNDERESTIMATE * estimateTokens(parts.map((part) => (part.type === 'call' ? part.arguments : part.text)).join(''))
  );
}

function estimateParts(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + estimatePart(part), 0);
}

function estimatePart(part: Part): number {
  switch (part.type) {
    case 'image':
      return estimateImageTokens(part.width, part.height, part.bytes);
    case 'result':
      return estimateParts(part.content);
    case 'call':
      return UNDERESTIMATE * estimateTokens(part.arguments);
    case 'text':
      return UNDERESTIMATE * estimateTokens(part.text);
    case 'reasoning':
      return UNDERESTIMATE * estimateTokens(part.opaque ?? part.text);
    case 'native':
      return UNDERESTIMATE * estimateTokens(part.item);
    case 'change':
      // The definition's bytes are elsewhere: a tool is as long as a tool is.
      if (part.change === 'role') return UNDERESTIMATE * estimateTokens(part.text);
      return part.change === 'tools' ? part.added.length * TOOL_TOKENS : 0;
  }
}
