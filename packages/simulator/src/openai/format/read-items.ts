// Items of `input` as blocks: what each shows to the model, in order. Everything here has passed `check-items.ts`.

import { given, isList, isObject, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { itemType } from './check-items.ts';
import { addBlock, countImageAt, shownJson, UNKNOWN_MEDIA } from './prompt.ts';
import type { PromptBlocks, ImageRules, LooseBlock, MarkTtl, PromptItem, Speaker } from './prompt.ts';

/** Appends the tools of either wire, in the order they were sent in. */
export function addTools(fields: WireObject, list: PromptBlocks): void {
  const tools = isList(fields['tools']) ? fields['tools'] : [];
  for (const tool of tools.filter(isObject)) {
    addBlock(list, { kind: 'tool', speaker: 'developer', text: shownJson(tool), mark: markOf(tool) });
  }
}

/** Reads items behind what the list already holds. */
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
      return [unmarked('call', speaker, `${textOf(id)} ${textOf(name)} ${textOf(words)}`)];
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return outputOf(item, speaker, images);
    case 'reasoning':
      return [unmarked('reasoning', speaker, shownReasoning(item))];
    default:
      return [unmarked('other', speaker, shownJson(item))];
  }
}

function unmarked(kind: LooseBlock['kind'], speaker: Speaker, text: string): LooseBlock {
  return { kind, speaker, text, mark: undefined };
}

/** What is sealed is shown to the model as it was thought; without the seal, only the id tells what it was. */
function shownReasoning(item: WireObject): string {
  return textOf(item['encrypted_content']) || `${textOf(item['id'])}${shownJson(item['summary'])}`;
}

/** A text and a list of one text are the same. */
function partsOf(content: unknown, speaker: Speaker, images: ImageRules): readonly LooseBlock[] {
  if (typeof content === 'string') return [{ ...unmarked('text', speaker, content) }];
  if (!isList(content)) return [];
  return content.filter(isObject).map((part) => readPart(part, speaker, images));
}

/** The result of a call is one block, whatever its parts: a mark on one of them is one on the whole [I]. */
function outputOf(item: WireObject, speaker: Speaker, images: ImageRules): readonly LooseBlock[] {
  const parts = partsOf(item['output'], speaker, images);
  const text = `${textOf(item['call_id'])} ${parts.map((part) => part.text).join('\n')}`;
  const mark = parts.find((part) => part.mark !== undefined)?.mark;
  const media = parts.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
  const own = { kind: 'output', speaker, text, mark } as const;
  return [media === 0 ? own : { ...own, tokens: media }];
}

/** Reads one part of a message of either wire. */
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

/** A mark of this provider, or one of Anthropic's that a router passes on (§3). */
export function markOf(part: WireObject): MarkTtl | undefined {
  const own = part['prompt_cache_breakpoint'];
  if (isObject(own)) return own['ttl'] === '12h' || own['ttl'] === '30m' ? own['ttl'] : 'request';
  const passed = part['cache_control'];
  if (!given(passed)) return undefined;
  return isObject(passed) && passed['ttl'] === '1h' ? '1h' : '5m';
}
