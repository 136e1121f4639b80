// Limits for the part of an output that is in the context. Each result has a limit, which is lower for a small window.
// Open calls share the remaining room, because ten parallel reads of 50 KiB would fill a window of 200,000 tokens.

import { slice } from '@tidemark/context';
import type { BudgetSettings, State } from '@tidemark/context';
import { budgetsOf, estimateImageTokens, estimateTokens, inputLimitOf } from '@tidemark/context';
import type { Capabilities, Part } from '@tidemark/model';

/** Maximum size of one shown output, notices included. */
export interface OutputLimits {
  readonly bytes: number;
  readonly lines: number;
}

/** Maximum bytes of any result. */
export const LARGEST_RESULT = 51_200;

const MAX_LINES = 2_000;
const LEAST = { bytes: 8_192, lines: 200 } as const;
/** Results have their full limits if the model's input limit is at least this number of tokens. */
const WHOLE_WINDOW = 128_000;
/** Number of bytes that each result may have, even if there is no headroom. */
const MIN_SHARE = 2_048;
/**
 * Assumed bytes per token. Prose and code have more bytes per token. Hex and base64 have fewer bytes per token. Their
 * results use more of the headroom, so the later calls of the batch get smaller shares.
 */
const BYTES_PER_TOKEN = 2;
/**
 * Factor for estimates. It is needed because a recorded session had 1.27 times the estimated tokens (see
 * `estimateTokens`).
 */
const UNDERESTIMATE = 1.3;
/** Estimated tokens of one tool definition that was appended to the history. */
const TOOL_TOKENS = 400;

/**
 * Returns the limits of one result for a model: 50 KiB and 2,000 lines. If the model's input limit is below 128,000
 * tokens, the limits are proportionally lower, but never less than 8 KiB and 200 lines.
 */
export function resultLimits({ inputLimit }: Pick<Capabilities, 'inputLimit'>): OutputLimits {
  const share = Math.min(1, inputLimit / WHOLE_WINDOW);
  return {
    bytes: Math.max(LEAST.bytes, Math.floor(LARGEST_RESULT * share)),
    lines: Math.max(LEAST.lines, Math.floor(MAX_LINES * share)),
  };
}

/**
 * Returns the maximum bytes of one result. With this limit, the results of all open calls together fit the headroom.
 * Never less than 2 KiB.
 */
export function batchShare(headroom: number, callsOpen: number): number {
  const tokens = Math.max(0, headroom) / Math.max(1, callsOpen);
  return Math.max(MIN_SHARE, Math.floor(tokens * BYTES_PER_TOKEN));
}

/**
 * Returns the limits for a result that is about to be committed. `callsOpen` is the number of open calls in its batch,
 * including this one. `budgets` are the budgets that the user set. If the headroom is unknown, it does not limit the
 * result.
 */
export function limitsAt(
  state: State,
  capabilities: Capabilities,
  callsOpen: number,
  budgets?: BudgetSettings,
): OutputLimits {
  const { bytes, lines } = resultLimits(capabilities);
  const headroom = headroomOf(state, capabilities, budgets);
  return { lines, bytes: headroom === undefined ? bytes : Math.min(bytes, batchShare(headroom, callsOpen)) };
}

/**
 * Returns the tokens that are left below the `hard` budget, which depends on the budgets that the user set. The input
 * of the last accepted request was measured. The tokens added since then are estimated. Returns `undefined` if no
 * request was measured or no limit is known. Returns a negative number if the budget is exceeded.
 */
export function headroomOf(state: State, capabilities: Capabilities, budgets?: BudgetSettings): number | undefined {
  const accepted = state.streams['main']?.accepted;
  if (accepted?.input === undefined) return undefined;
  const limit = inputLimitOf(capabilities, accepted.prepared.outputLimit);
  return limit && budgetsOf(limit, budgets).hard - accepted.input - Math.ceil(cameSince(state, accepted.spans));
}

/**
 * Returns the estimated tokens that were added since the last accepted request: packed spans, the open batch, and
 * waiting notes and prompts.
 */
function cameSince({ history }: State, spans: number): number {
  const { packed, settled, batch, notes, prompts } = history;
  const unsent = Math.min(packed.length, Math.max(0, settled - spans));
  const waiting = [...notes, ...prompts].flatMap(({ parts }) => parts);
  const landed = [...(batch?.closed.values() ?? [])].flatMap(({ content }) => content);
  const parts = [...slice(packed, packed.length - unsent).flatMap((span) => span.parts), ...landed, ...waiting];
  return (batch === undefined ? 0 : answerTokens(batch.answer)) + estimateParts(parts);
}

/** Returns the tokens of the answer as the provider counted them. If there is no count, returns an estimate. */
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
      // The bytes of tool definitions are stored elsewhere, so each tool gets a fixed estimate.
      if (part.change === 'role') return UNDERESTIMATE * estimateTokens(part.text);
      return part.change === 'tools' ? part.added.length * TOOL_TOKENS : 0;
  }
}
