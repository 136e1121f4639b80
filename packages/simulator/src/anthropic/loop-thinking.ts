// Thinking in an open tool loop: a model that wants it back refuses calls of that loop which come without. No row of the shipped
// catalog says so; the words are those that the service had for models with a thinking budget [I].

import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isThinking } from './request.ts';
import type { SentMessage } from './request.ts';
import { objectAt } from '../core/wire.ts';
import { firstRefusal } from './rule.ts';
import type { RequestRule } from './rule.ts';

/** Refuses calls without the thinking before them, where thinking is on and the user has said nothing since. */
export const checkLoopThinking: RequestRule = ({ capabilities, fields, messages }) => {
  if (capabilities.reasoningInLoop !== 'required' || !thinks(fields)) return undefined;
  const opened = messages.findLastIndex(
    ({ role, blocks }) => role === 'user' && blocks.some(({ type }) => type !== 'tool_result'),
  );
  return firstRefusal(messages.slice(opened + 1), checkMessage);
};

function thinks(fields: { readonly [key: string]: unknown }): boolean {
  const { type = 'disabled' } = objectAt(fields, 'thinking');
  return type !== 'disabled';
}

function checkMessage({ role, blocks }: SentMessage): MessageRefusal | undefined {
  const [first] = blocks;
  if (role !== 'assistant' || first === undefined || isThinking(first)) return undefined;
  if (!blocks.some(({ type }) => type === 'tool_use')) return undefined;
  return invalid(
    `messages.${first.message}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
