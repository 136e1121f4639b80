// Checks the order and the roles of messages (provider-facts §1.3, §1.6). Refuses empty messages. Accepts system
// messages and a final assistant message (prefill) only on models that support them.

import { invalid, firstRefusal } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isLevel, isThinking } from './request.ts';
import type { SentMessage, WireRequest, RequestRule } from './request.ts';
import { isPresent, isObject, textOf, objectAt } from '../core/wire.ts';

/** Beta header that lets a system message expire at the next turn of the user (provider-facts §1.7). */
const CLEAR_AT = 'mid-conversation-system-clear-at-2026-08-21';

/**
 * Beta headers that let a system message set the effort. The first is documented (SDK: `AnthropicBeta`), and Claude
 * Code 2.1.330 sends the second.
 */
const OUTPUT_CONFIG = ['mid-conversation-output-config-2026-07-01', 'per-turn-control-2026-07-01'];

const EFFORTS: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

const ANYWHERE = '; the directive-only form (content: [] with output_config) is accepted at any position';

/**
 * Refuses empty messages, misplaced system messages, a final assistant message on a model without prefill, and a
 * prefill that ends with whitespace.
 */
export const checkTurns: RequestRule = (request) =>
  firstRefusal(request.messages.entries(), ([i, message]) => checkMessage(request, message, i)) ?? checkEnd(request);

function checkMessage(request: WireRequest, message: SentMessage, index: number): MessageRefusal | undefined {
  const last = index === request.messages.length - 1;
  if (message.blocks.length === 0 && !(last && message.role === 'assistant')) {
    return invalid(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  return message.role === 'system' ? checkSystem(request, message, index) : undefined;
}

function checkSystem(request: WireRequest, message: SentMessage, index: number): MessageRefusal | undefined {
  if (!request.capabilities.appends.includes('system')) return invalid("role 'system' is not supported on this model");
  return (
    checkClearing(request, message, index) ?? checkLevel(request, message, index) ?? checkPlace(request.messages, index)
  );
}

function checkClearing(request: WireRequest, message: SentMessage, index: number): MessageRefusal | undefined {
  if (!isPresent(message.fields['clear_at'])) return undefined;
  if (!request.betas.includes(CLEAR_AT)) return invalid(`messages.${index}.clear_at: Extra inputs are not permitted`);
  const marked = message.blocks.find((block) => block.marker !== undefined);
  if (marked === undefined) return undefined;
  return invalid(
    `messages.${index}.content.${marked.content}.${marked.type}.cache_control: Extra inputs are not permitted`,
  );
}

/**
 * A system message can set the effort. This effort applies from the next user message until a later message sets
 * another effort (docs, effort-per-message).
 */
function checkLevel(
  { betas, capabilities }: WireRequest,
  message: SentMessage,
  index: number,
): MessageRefusal | undefined {
  const config = message.fields['output_config'];
  const path = `messages.${index}.output_config`;
  if (!isPresent(config)) return undefined;
  if (!OUTPUT_CONFIG.some((beta) => betas.includes(beta))) return invalid(`${path}: Extra inputs are not permitted`);
  if (!isObject(config)) return invalid(`${path}: Input should be a valid dictionary`);
  const { effort, ...others } = config;
  const extra = Object.keys(others)[0];
  if (extra !== undefined) return invalid(`${path}.${extra}: Extra inputs are not permitted`);
  if (!EFFORTS.has(effort)) {
    return invalid(`${path}.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'`);
  }
  return capabilities.appends.includes('reasoning') ? undefined : invalid(`${path}: not supported on this model`);
}

/**
 * Checks the place of a system message. Consecutive system messages count as one section (docs, Limitations). The
 * section must follow a user message. After the section, the list must end or an assistant message must follow. If the
 * section only sets the effort, any place is allowed.
 */
function checkPlace(messages: readonly SentMessage[], index: number): MessageRefusal | undefined {
  const isSystem = (at: number): boolean => messages[at]?.role === 'system';
  let first = index;
  while (isSystem(first - 1)) first -= 1;
  let end = index + 1;
  while (isSystem(end)) end += 1;
  if (messages.slice(first, end).every(isDirective)) return undefined;
  const before = messages[first - 1]?.role;
  if (before === undefined) {
    return invalid(`messages.${first}: use the top-level 'system' parameter for the initial system prompt${ANYWHERE}`);
  }
  if (before !== 'user') {
    return invalid(
      `messages.${first}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result${ANYWHERE}`,
    );
  }
  const after = messages[end]?.role;
  if (after === undefined || after === 'assistant') return undefined;
  return invalid(`messages.${end - 1}: role 'system' must precede an 'assistant' message or end the array${ANYWHERE}`);
}

function isDirective({ blocks }: SentMessage): boolean {
  return blocks.length > 0 && blocks.every(isLevel);
}

function checkEnd(request: WireRequest): MessageRefusal | undefined {
  const last = request.messages.findLast((message) => message.role !== 'system');
  if (last?.role !== 'assistant' || request.purpose === 'count') return undefined;
  if (!request.capabilities.prefill) {
    return invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  const block = last.blocks.at(-1);
  if (block?.type !== 'text' || !/\s$/.test(textOf(block.fields['text']))) return undefined;
  return invalid('messages: final assistant content cannot end with trailing whitespace');
}

/**
 * Refuses an assistant message that contains tool calls but does not start with thinking. The rule applies to messages
 * after the last user text, if thinking is on and the model requires thinking in an open tool loop. No model in the
 * shipped catalog requires it. The error text is inferred ([I]) from models with a thinking budget.
 */
export const checkLoopThinking: RequestRule = ({ capabilities, fields, messages }) => {
  if (capabilities.reasoningInLoop !== 'required' || !thinks(fields)) return undefined;
  const opened = messages.findLastIndex(
    ({ role, blocks }) => role === 'user' && blocks.some(({ type }) => type !== 'tool_result'),
  );
  return firstRefusal(messages.slice(opened + 1), checkLoopMessage);
};

function thinks(fields: { readonly [key: string]: unknown }): boolean {
  const { type = 'disabled' } = objectAt(fields, 'thinking');
  return type !== 'disabled';
}

function checkLoopMessage({ role, blocks }: SentMessage): MessageRefusal | undefined {
  const [first] = blocks;
  if (role !== 'assistant' || first === undefined || isThinking(first)) return undefined;
  if (!blocks.some(({ type }) => type === 'tool_use')) return undefined;
  return invalid(
    `messages.${first.message}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
