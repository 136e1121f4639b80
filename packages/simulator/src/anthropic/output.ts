// Limits on the requested output (provider-facts §1.1 pre-warm, §1.6): output tokens, thinking, effort.

import { firstRefusal, invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { WireRequest, RequestRule } from './request.ts';
import { isList, isPresent, objectAt } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import type { OutputRoom } from '../core/answer.ts';

const EFFORTS: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

const MIN_BUDGET = 1024;

/** Beta header that a request needs for the field `thinking.block_binding` (provider-facts §1.8). */
const BINDING = 'thinking-binding-controls-2026-08-01';

/** Refuses an output limit, a thinking setting or a pre-warming request that the real service would refuse. */
export const checkOutput: RequestRule = (request) =>
  checkEffort(request) ??
  (request.purpose === 'count' ? undefined : (checkLimit(request) ?? checkPrewarm(request) ?? checkStops(request))) ??
  checkThinking(request);

/** True if a request only writes the cache: a Messages request with `max_tokens: 0`. */
export function isPrewarm(request: WireRequest): boolean {
  return request.purpose === 'messages' && request.maxTokens === 0;
}

function checkLimit(request: WireRequest): MessageRefusal | undefined {
  const asked = request.fields['max_tokens'];
  const { outputLimit, prewarm } = request.capabilities;
  if (typeof asked !== 'number' || !Number.isInteger(asked))
    return invalid('max_tokens: Input should be a valid integer');
  const least = prewarm ? 0 : 1;
  if (asked < least) return invalid(`max_tokens: Input should be greater than or equal to ${least}`);
  if (asked <= outputLimit) return undefined;
  return invalid(
    `max_tokens: ${asked} > ${outputLimit}, which is the maximum allowed number of output tokens for ${request.model}`,
  );
}

/** Refuses settings that the provider does not allow for pre-warming. The error texts are the simulator's own. */
function checkPrewarm(request: WireRequest): MessageRefusal | undefined {
  if (!isPrewarm(request)) return undefined;
  const choice = objectAt(request.fields, 'tool_choice')['type'];
  if (request.stream) return invalid('max_tokens: 0 is not supported with `stream: true`');
  if (objectAt(request.fields, 'thinking')['type'] === 'enabled') {
    return invalid('max_tokens: 0 is not supported with `thinking.type: "enabled"`');
  }
  if (isPresent(objectAt(request.fields, 'output_config')['format'] ?? request.fields['output_format'])) {
    return invalid('max_tokens: 0 is not supported with `output_config.format`');
  }
  if (choice !== 'any' && choice !== 'tool') return undefined;
  return invalid(`max_tokens: 0 is not supported with \`tool_choice.type: "${choice}"\``);
}

function checkThinking(request: WireRequest): MessageRefusal | undefined {
  const thinking = objectAt(request.fields, 'thinking');
  if (isPresent(thinking['block_binding']) && !request.betas.includes(BINDING)) {
    return invalid('thinking.block_binding: Extra inputs are not permitted');
  }
  if (thinking['type'] !== 'enabled') return undefined;
  const budget = thinking['budget_tokens'];
  if (typeof budget !== 'number') return invalid('thinking.enabled.budget_tokens: Field required');
  if (budget < MIN_BUDGET) {
    return invalid(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_BUDGET}`);
  }
  if (request.purpose === 'count' || request.maxTokens > budget) return undefined;
  return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
}

function checkEffort(request: WireRequest): MessageRefusal | undefined {
  const effort = objectAt(request.fields, 'output_config')['effort'];
  if (!isPresent(effort) || EFFORTS.has(effort)) return undefined;
  return invalid("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'");
}

function stopSequencesOf({ stop_sequences: sequences }: WireObject): readonly string[] {
  return isList(sequences) ? sequences.filter((each) => typeof each === 'string') : [];
}

/** Refuses `stop_sequences` that is not a list of texts. Also refuses a blank text in the list. */
function checkStops({ fields }: WireRequest): MessageRefusal | undefined {
  const { stop_sequences: sequences } = fields;
  if (!isPresent(sequences)) return undefined;
  if (!isList(sequences)) return invalid('stop_sequences: Input should be a valid list');
  return firstRefusal(sequences.entries(), ([i, each]) => {
    if (typeof each !== 'string') return invalid(`stop_sequences.${i}: Input should be a valid string`);
    return each.trim() === '' ? invalid('stop_sequences: each stop sequence must contain non-whitespace') : undefined;
  });
}

/**
 * Returns the maximum number of output tokens, and the stop reason if the answer reaches it. If the request is too long
 * for the model, returns a refusal (provider-facts §1.6). `input` is the total number of input tokens.
 */
export function outputRoom(request: WireRequest, input: number): OutputRoom | MessageRefusal {
  const { inputLimit, window } = request.capabilities;
  if (input > inputLimit) return invalid(`prompt is too long: ${input} tokens > ${inputLimit} maximum`);
  const left = window.tokens - input;
  const stopSequences = stopSequencesOf(request.fields);
  if (window.sharedWithOutput === 'no' || left >= request.maxTokens)
    return { tokens: request.maxTokens, stop: 'max_tokens', stopSequences };
  if (window.sharedWithOutput === 'stops')
    return { tokens: Math.max(0, left), stop: 'model_context_window_exceeded', stopSequences };
  return invalid(
    `input length and \`max_tokens\` exceed context limit: ${input} + ${request.maxTokens} > ${window.tokens}, decrease input length or \`max_tokens\` and try again`,
  );
}
