// Reads the bytes of a Chat Completions call. Returns the request, or the refusal that the real service sends. A router
// accepts Anthropic's markers and passes them to those providers that are known to support them (provider-facts §3).

import { isPresent, isList, isObject, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { cacheRulesOf, addBlock } from '../format/prompt.ts';
import type {
  CacheRules,
  PromptBlocks,
  ImageRules,
  LooseBlock,
  MarkTtl,
  OpenAIRequest,
  PromptBlock,
  PromptItem,
  Speaker,
} from '../format/prompt.ts';
import { checkImageAt } from '../format/check-items.ts';
import { missingParameter, tooLong, wrongType, wrongValue, bad } from '../format/refusal.ts';
import { firstRefusal } from '../../core/refusal.ts';
import { checkChatPairs, addTools, outputBlock, readPart } from '../format/read-items.ts';
import { readBody, settingsOf } from '../format/read-body.ts';
import { readStops } from '../format/unsimulated.ts';
import type { FindRow, ReadBody } from '../format/read-body.ts';
import type { OpenAIRefusal } from '../format/refusal.ts';

const ROLES = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

const SPEAKERS: ReadonlyMap<string, Speaker> = new Map(
  Object.entries<Speaker>({
    system: 'developer',
    developer: 'developer',
    user: 'user',
    assistant: 'assistant',
    tool: 'tool',
    function: 'tool',
  }),
);

const PARTS = ['text', 'image_url', 'input_audio', 'refusal', 'file'];

/** Reads a whole Chat body. Returns the parsed request, or a refusal if the body is not valid. */
export function readChat(body: Uint8Array, wire: 'chat' | 'router', find: FindRow): OpenAIRequest | OpenAIRefusal {
  const read = readBody(body, wire, find);
  if ('outcome' in read) return read;
  const messages = isList(read.fields['messages']) ? read.fields['messages'] : [];
  const wrong = checkMessages(messages);
  if (wrong !== undefined) return wrong;
  const list: PromptBlocks = { images: read.capabilities.images, blocks: [] };
  addTools(read.fields, list);
  const items = messages.filter(isObject).map((message) => readMessage(message, list));
  const stops = readStops(read.fields);
  if ('outcome' in stops) return stops;
  return checkChatPairs(items) ?? requestOf(read, wire, { list, items, stopSequences: stops });
}

interface ChatParts {
  readonly list: PromptBlocks;
  readonly items: readonly PromptItem[];
  readonly stopSequences: readonly string[];
}

function requestOf(
  { fields, capabilities }: ReadBody,
  wire: 'chat' | 'router',
  { list, items, stopSequences }: ChatParts,
): OpenAIRequest {
  const rules = cacheRulesOf(capabilities);
  const most = fields['max_completion_tokens'] ?? fields['max_tokens'];
  return {
    wire,
    model: textOf(fields['model']),
    capabilities,
    rules,
    fields,
    blocks: list.blocks.map((block) => ({ ...block, mark: honouredMark(block, wire, rules) })),
    items,
    settings: settingsOf(fields, wire),
    key: textOf(fields['prompt_cache_key']),
    stream: fields['stream'] === true,
    prewarm: false,
    maxTokens: typeof most === 'number' ? most : undefined,
    stopSequences,
  };
}

/**
 * Returns the mark that takes effect for a block, or `undefined`. OpenAI's marks take effect on models that write
 * entries at marks. On such a model, a router turns Anthropic's markers into OpenAI's marks. For Claude, a router
 * passes them on unchanged. OpenAI itself ignores Anthropic's markers (inferred, [I]).
 */
function honouredMark({ mark }: PromptBlock, wire: 'chat' | 'router', rules: CacheRules): MarkTtl | undefined {
  const passed = mark === '5m' || mark === '1h';
  if (!passed) return rules.kind === 'boundaries' ? mark : undefined;
  if (wire === 'chat' || rules.kind === 'grid' || rules.kind === 'unknown') return undefined;
  return rules.kind === 'boundaries' ? 'request' : mark;
}

function checkMessages(messages: readonly unknown[]): OpenAIRefusal | undefined {
  if (messages.length === 0) {
    const text =
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    return bad(text, 'messages', 'empty_array');
  }
  return firstRefusal(messages.entries(), ([i, message]) => checkMessage(message, `messages[${i}]`));
}

function checkMessage(message: unknown, path: string): OpenAIRefusal | undefined {
  if (!isObject(message)) return wrongType(path, 'an object', message);
  const { role, content } = message;
  if (!isPresent(role)) return missingParameter(`${path}.role`);
  if (!ROLES.includes(textOf(role))) return wrongValue(`${path}.role`, textOf(role), ROLES);
  if (role === 'tool' && !isPresent(message['tool_call_id'])) return missingParameter(`${path}.tool_call_id`);
  const silent = role === 'assistant' && (isList(message['tool_calls']) || isPresent(message['refusal']));
  if (!isPresent(content) && silent) return checkCalls(message, path);
  if (!isPresent(content)) return wrongType(`${path}.content`, 'a string or array of objects', content ?? null);
  return checkContent(content, path) ?? checkCalls(message, path);
}

function checkContent(content: unknown, path: string): OpenAIRefusal | undefined {
  if (typeof content === 'string') return undefined;
  const at = `${path}.content`;
  if (!isList(content)) return wrongType(at, 'one of a string or array of objects', content);
  return firstRefusal(content.entries(), ([i, part]) => {
    if (!isObject(part)) return wrongType(`${at}[${i}]`, 'an object', part);
    const type = textOf(part['type']);
    if (!PARTS.includes(type)) return wrongValue(`${at}[${i}].type`, type, PARTS);
    const untold = type === 'text' && typeof part['text'] !== 'string';
    if (untold) return missingParameter(`${at}[${i}].text`);
    return type === 'image_url' ? checkImageAt(objectAt(part, 'image_url')['url']) : undefined;
  });
}

function checkCalls(message: WireObject, path: string): OpenAIRefusal | undefined {
  const calls = message['tool_calls'];
  if (!isPresent(calls)) return undefined;
  const at = `${path}.tool_calls`;
  if (!isList(calls)) return wrongType(at, 'an array of objects', calls);
  if (calls.length === 0) {
    const text = `Invalid '${at}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
    return bad(text, at, 'empty_array');
  }
  return firstRefusal(calls.entries(), ([i, call]) => checkCall(call, `${at}[${i}]`));
}

function checkCall(call: unknown, path: string): OpenAIRefusal | undefined {
  if (!isObject(call)) return wrongType(path, 'an object', call);
  const { id, type } = call;
  if (typeof id !== 'string') return missingParameter(`${path}.id`);
  if (type !== 'function') return type === undefined ? missingParameter(`${path}.type`) : undefined;
  const inner = call['function'];
  if (!isObject(inner)) return missingParameter(`${path}.function`);
  const absent = (['name', 'arguments'] as const).find((key) => typeof inner[key] !== 'string');
  return absent === undefined ? tooLong(`${path}.id`, id, 64) : missingParameter(`${path}.function.${absent}`);
}

function readMessage(message: WireObject, list: PromptBlocks): PromptItem {
  const speaker = SPEAKERS.get(textOf(message['role'])) ?? 'user';
  for (const block of speaker === 'tool' ? [resultOf(message, list.images)] : saidIn(message, speaker, list.images))
    addBlock(list, block);
  return { type: 'message', speaker, fields: message, last: list.blocks.length - 1 };
}

function partsOf(content: unknown, speaker: Speaker, images: ImageRules): readonly LooseBlock[] {
  if (typeof content === 'string') return [{ kind: 'text', speaker, text: content, mark: undefined }];
  return isList(content) ? content.filter(isObject).map((part) => readPart(part, speaker, images)) : [];
}

function saidIn(message: WireObject, speaker: Speaker, images: ImageRules): readonly LooseBlock[] {
  const calls = isList(message['tool_calls']) ? message['tool_calls'].filter(isObject) : [];
  return [...partsOf(message['content'], speaker, images), ...calls.map(callOf)];
}

function callOf(call: WireObject): LooseBlock {
  const inner = isObject(call['function']) ? call['function'] : {};
  const text = `${textOf(call['id'])} ${textOf(inner['name'])} ${textOf(inner['arguments'])}`;
  return { kind: 'call', speaker: 'assistant', text, mark: undefined };
}

function resultOf(message: WireObject, images: ImageRules): LooseBlock {
  return outputBlock(textOf(message['tool_call_id']), partsOf(message['content'], 'tool', images), 'tool');
}
