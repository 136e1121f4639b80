// Turns the items of `input` into blocks, in the order in which the model sees them. `check-items.ts` has accepted all
// items before.

import { isPresent, isList, isObject, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { itemType } from './check-items.ts';
import { countText } from '../../core/tokens.ts';
import { addBlock, countImageAt, shownJson, UNKNOWN_MEDIA } from './prompt.ts';
import type { PromptBlocks, ImageRules, LooseBlock, MarkTtl, PromptItem, Speaker } from './prompt.ts';
import { bad } from './refusal.ts';
import { firstRefusal } from '../../core/refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';

/** Appends the tools of a request to the list of blocks, in the order in which they were sent. */
export function addTools(fields: WireObject, list: PromptBlocks): void {
  const tools = isList(fields['tools']) ? fields['tools'] : [];
  for (const tool of tools.filter(isObject)) {
    addBlock(list, { kind: 'tool', speaker: 'developer', text: shownJson(tool), mark: markOf(tool) });
  }
}

/** Reads items and appends their blocks to the list. Returns the items with their roles. */
export function readItems(items: readonly unknown[], list: PromptBlocks): readonly PromptItem[] {
  return items.filter(isObject).map((item) => readItem(item, list));
}

function readItem(item: WireObject, list: PromptBlocks): PromptItem {
  const type = itemType(item);
  const speaker = speakerOf(item, type);
  for (const block of blocksOf(item, type, speaker, list.images)) addBlock(list, block);
  return { type, speaker, fields: item, last: list.blocks.length - 1 };
}

function speakerOf(item: WireObject, type: string): Speaker {
  if (type.endsWith('_output')) return 'tool';
  if (type === 'configuration_update' || type === 'additional_tools') return 'other';
  if (type !== 'message') return 'assistant';
  const role = textOf(item['role']);
  if (role === 'user' || role === 'assistant') return role;
  return 'developer';
}

function blocksOf(item: WireObject, type: string, speaker: Speaker, images: ImageRules): readonly LooseBlock[] {
  switch (type) {
    case 'message':
      return partsOf(item['content'], speaker, images);
    case 'function_call': {
      const { call_id: id, name, arguments: words } = item;
      return [unmarkedBlock('call', speaker, `${textOf(id)} ${textOf(name)} ${textOf(words)}`)];
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return outputOf(item, speaker, images);
    case 'reasoning':
      return [unmarkedBlock('reasoning', speaker, shownReasoning(item))];
    default:
      return [unmarkedBlock('other', speaker, shownJson(item))];
  }
}

function unmarkedBlock(kind: LooseBlock['kind'], speaker: Speaker, text: string): LooseBlock {
  return { kind, speaker, text, mark: undefined };
}

/**
 * Returns the encrypted content of a reasoning item, because it represents the reasoning itself. Without encrypted
 * content, returns the id and the summary.
 */
function shownReasoning(item: WireObject): string {
  return textOf(item['encrypted_content']) || `${textOf(item['id'])}${shownJson(item['summary'])}`;
}

/** A string and a list with one text part give the same block. */
function partsOf(content: unknown, speaker: Speaker, images: ImageRules): readonly LooseBlock[] {
  if (typeof content === 'string') return [{ ...unmarkedBlock('text', speaker, content) }];
  if (!isList(content)) return [];
  return content.filter(isObject).map((part) => readPart(part, speaker, images));
}

function outputOf(item: WireObject, speaker: Speaker, images: ImageRules): readonly LooseBlock[] {
  return [outputBlock(textOf(item['call_id']), partsOf(item['output'], speaker, images), speaker)];
}

/**
 * Returns the result of a call as one block, even if the result has several parts. A mark on one part counts as a mark
 * on the whole block (inferred, [I]). The texts count together, and each image or file counts by its own rule.
 */
export function outputBlock(call: string, parts: readonly LooseBlock[], speaker: Speaker): LooseBlock {
  const textWith = (shown: readonly LooseBlock[]): string => `${call} ${shown.map((part) => part.text).join('\n')}`;
  const words = parts.filter((part) => part.tokens === undefined);
  const media = parts.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
  const mark = parts.find((part) => part.mark !== undefined)?.mark;
  return { kind: 'output', speaker, text: textWith(parts), mark, tokens: countText(textWith(words)) + media };
}

/** Reads one part of a message in the form of the Responses or Chat API. */
export function readPart(part: WireObject, speaker: Speaker, images: ImageRules): LooseBlock {
  const mark = markOf(part);
  const type = textOf(part['type']);
  if (type.endsWith('text')) return { kind: 'text', speaker, text: textOf(part['text']), mark };
  if (type === 'refusal') return { kind: 'text', speaker, text: textOf(part['refusal']), mark };
  if (!type.endsWith('image') && type !== 'image_url') {
    return { kind: 'file', speaker, text: shownJson(part), mark, tokens: UNKNOWN_MEDIA };
  }
  const url = textOf(part['image_url']) || textOf(objectAt(part, 'image_url')['url']);
  return { kind: 'image', speaker, text: shownJson(part), mark, tokens: countImageAt(url, images) };
}

/**
 * Returns the mark of OpenAI, or Anthropic's marker that a router passes on (provider-facts §3). Returns `undefined` if
 * the part has neither.
 */
function markOf(part: WireObject): MarkTtl | undefined {
  const own = part['prompt_cache_breakpoint'];
  if (isObject(own)) return own['ttl'] === '12h' || own['ttl'] === '30m' ? own['ttl'] : 'request';
  const passed = part['cache_control'];
  if (!isPresent(passed)) return undefined;
  return isObject(passed) && passed['ttl'] === '1h' ? '1h' : '5m';
}

// Checks that calls and outputs match (provider-facts §2.5). In the Responses API every call needs a later output, and
// every output needs an earlier call. In the Chat API the outputs must directly follow the message that contains the
// calls.

const KINDS = [
  { call: 'function_call', output: 'function_call_output', said: 'function call' },
  { call: 'custom_tool_call', output: 'custom_tool_call_output', said: 'custom tool call' },
] as const;

/** Refuses an item of `input` that occurs twice, a call without an output, and an output without a call. */
export function checkPairs(items: readonly PromptItem[]): OpenAIRefusal | undefined {
  return checkDoubles(items) ?? firstRefusal(KINDS, (kind) => checkKind(items, kind));
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
  return firstRefusal(items, ({ fields }) => {
    const id = textOf(fields['id']);
    if (id === '') return undefined;
    if (seen.has(id)) {
      return bad(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`, 'input');
    }
    seen.add(id);
    return undefined;
  });
}

function calledIn(item: PromptItem): readonly string[] {
  const calls = item.speaker === 'assistant' && isList(item.fields['tool_calls']) ? item.fields['tool_calls'] : [];
  return calls.filter(isObject).map((call) => textOf(call['id']));
}

/**
 * Refuses a tool message that does not answer a call of the previous message. Also refuses a call that is not directly
 * followed by its tool message.
 */
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
    if (open.length > 0) return refuseUnanswered(open, caller + 1);
    open = calledIn(item);
    caller = i;
  }
  return open.length > 0 ? refuseUnanswered(open, caller + 1) : undefined;
}

function orphan(index: number): OpenAIRefusal {
  const text =
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
  return bad(text, `messages.[${index}].role`);
}

function refuseUnanswered(ids: readonly string[], index: number): OpenAIRefusal {
  const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`;
  return bad(text, `messages.[${index}].role`);
}
