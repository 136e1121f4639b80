// Calls and their outputs (§2.5): on Responses every call has an output behind it and every output a call before it; on
// Chat the outputs come at once behind the message that called.

import { isList, isObject, textOf } from '../../core/wire.ts';
import type { PromptItem } from './prompt.ts';
import { bad, firstBad } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';

const KINDS = [
  { call: 'function_call', output: 'function_call_output', said: 'function call' },
  { call: 'custom_tool_call', output: 'custom_tool_call_output', said: 'custom tool call' },
] as const;

/** Refuses what hangs alone among the items of `input`, and an item that is there twice. */
export function checkPairs(items: readonly PromptItem[]): OpenAIRefusal | undefined {
  return checkDoubles(items) ?? firstBad(KINDS, (kind) => checkKind(items, kind));
}

function checkKind(items: readonly PromptItem[], kind: (typeof KINDS)[number]): OpenAIRefusal | undefined {
  const open = new Set<string>();
  const called = new Set<string>();
  for (const { type, fields } of items) {
    const id = textOf(fields['call_id']);
    if (type === kind.call) {
      open.add(id);
      called.add(id);
    }
    if (type !== kind.output) continue;
    if (!called.has(id)) return bad(`No tool call found for ${kind.said} output with call_id ${id}.`, 'input');
    open.delete(id);
  }
  const [first] = open;
  return first === undefined ? undefined : bad(`No tool output found for ${kind.said} ${first}.`, 'input');
}

function checkDoubles(items: readonly PromptItem[]): OpenAIRefusal | undefined {
  const seen = new Set<string>();
  return firstBad(items, ({ fields }) => {
    const id = textOf(fields['id']);
    if (id === '') return undefined;
    if (seen.has(id)) {
      return bad(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`, 'input');
    }
    seen.add(id);
    return undefined;
  });
}

/** The ids of the calls of an assistant's message. */
export function calledIn(item: PromptItem): readonly string[] {
  const calls = item.speaker === 'assistant' && isList(item.fields['tool_calls']) ? item.fields['tool_calls'] : [];
  return calls.filter(isObject).map((call) => textOf(call['id']));
}

/** Refuses a message of a tool that nobody called, and a call that nobody answered at once. */
export function checkChatPairs(items: readonly PromptItem[]): OpenAIRefusal | undefined {
  let open: readonly string[] = [];
  let caller = -1;
  for (const [i, item] of items.entries()) {
    const answers = textOf(item.fields['tool_call_id']);
    if (item.speaker === 'tool') {
      if (!open.includes(answers)) return orphan(i);
      open = open.filter((id) => id !== answers);
      continue;
    }
    if (open.length > 0) return unanswered(open, caller + 1);
    open = calledIn(item);
    caller = i;
  }
  return open.length > 0 ? unanswered(open, caller + 1) : undefined;
}

function orphan(index: number): OpenAIRefusal {
  const text =
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
  return bad(text, `messages.[${index}].role`);
}

function unanswered(ids: readonly string[], index: number): OpenAIRefusal {
  const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`;
  return bad(text, `messages.[${index}].role`);
}
