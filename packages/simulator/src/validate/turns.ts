// Who may speak when (§1.6, §1.3): no empty message, system messages and prefill only where the model takes them.

import { invalid } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import type { WireMessage, WireRequest } from '../request.ts';
import { given, textOf } from '../wire.ts';
import { firstRefusal } from './rule.ts';
import type { Rule } from './rule.ts';

/** Beta that lets a system message end at the next turn of the user (§1.7). */
const CLEAR_AT = 'mid-conversation-system-clear-at-2026-08-21';
/** Beta for tools that come and go inside the history (§1.7). */
const TOOL_CHANGES = 'mid-conversation-tool-changes-2026-07-01';

/** Refuses empty messages, misplaced roles and a last word that is the model's own where it cannot be. */
export const checkTurns: Rule = (request) =>
  firstRefusal(request.messages.entries(), ([i, message]) => checkMessage(request, message, i)) ?? checkEnd(request);

function checkMessage(request: WireRequest, message: WireMessage, index: number): Refusal | undefined {
  const last = index === request.messages.length - 1;
  if (message.blocks.length === 0 && !(last && message.role === 'assistant')) {
    return invalid(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  return message.role === 'system' ? checkSystem(request, message, index) : undefined;
}

function checkSystem(request: WireRequest, message: WireMessage, index: number): Refusal | undefined {
  if (!request.capabilities.appends.includes('system')) return invalid("role 'system' is not supported on this model");
  const clears = given(message.fields['clear_at']);
  if (clears && !request.betas.includes(CLEAR_AT)) {
    return invalid(`messages.${index}.clear_at: Extra inputs are not permitted`);
  }
  const change = message.blocks.find((block) => block.type === 'tool_addition' || block.type === 'tool_removal');
  if (change !== undefined && !request.betas.includes(TOOL_CHANGES)) {
    return invalid(
      `messages.${index}.content.${change.content}: Input tag '${change.type}' found using 'type' does not match any of the expected tags: 'text'`,
    );
  }
  const marked = clears ? message.blocks.find((block) => block.marker !== undefined) : undefined;
  if (marked === undefined) return undefined;
  return invalid(
    `messages.${index}.content.${marked.content}.${marked.type}.cache_control: Extra inputs are not permitted`,
  );
}

function checkEnd(request: WireRequest): Refusal | undefined {
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
