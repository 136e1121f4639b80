// Refuses fields of messages, blocks and tool definitions that the service does not know. Two kinds of clients cause
// most of these errors (langchain-ai/langchain#31208, microsoft/autogen#3034). One kind sends back the answer of
// another service. The other sends back fields that a stream added to a block.

import { firstRefusal } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isLevel, pathOf } from './request.ts';
import type { RequestRule, SentBlock, SentMessage } from './request.ts';
import { checkExtra } from './settings.ts';
import { isList, isObject, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

/** Fields of the blocks that a client writes (SDK: `BetaContentBlockParam`). Blocks of other types are not checked. */
const BLOCKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['type', 'text', 'cache_control', 'citations']],
  ['image', ['type', 'source', 'cache_control', 'transformations']],
  ['thinking', ['type', 'thinking', 'signature']],
  ['redacted_thinking', ['type', 'data']],
  ['tool_use', ['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name']],
  ['tool_result', ['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name']],
]);

/** Fields of a tool that the client runs (SDK: `BetaTool`). */
const TOOL = [
  'type',
  'name',
  'description',
  'input_schema',
  'cache_control',
  'allowed_callers',
  'defer_loading',
  'eager_input_streaming',
  'input_examples',
  'strict',
];

const MESSAGE = ['role', 'content'];

const SYSTEM_MESSAGE = [...MESSAGE, 'clear_at', 'output_config'];

/** Refuses the first unknown field of a message, a block or a tool. */
export const checkExtraFields: RequestRule = ({ blocks, messages }) =>
  firstRefusal(messages.entries(), ([i, message]) => checkMessage(message, i)) ?? firstRefusal(blocks, checkBlock);

function checkMessage({ role, fields }: SentMessage, index: number): MessageRefusal | undefined {
  return checkExtra(fields, `messages.${index}`, role === 'system' ? SYSTEM_MESSAGE : MESSAGE);
}

function checkBlock(block: SentBlock): MessageRefusal | undefined {
  const { level, fields } = block;
  if (isLevel(block)) return undefined;
  if (level === 'tools') return checkTool(fields, pathOf(block));
  // All blocks of the system prompt are texts. So the service does not write their type in the path.
  const path = level === 'system' ? pathOf(block) : `${pathOf(block)}.${block.type}`;
  return checkPart(fields, path) ?? checkNested(fields, path);
}

function checkPart(fields: WireObject, path: string): MessageRefusal | undefined {
  const known = BLOCKS.get(textOf(fields['type']));
  return known === undefined ? undefined : checkExtra(fields, path, known);
}

function checkNested({ type, content }: WireObject, path: string): MessageRefusal | undefined {
  if (type !== 'tool_result' || !isList(content)) return undefined;
  return firstRefusal(content.filter(isObject).entries(), ([i, part]) =>
    checkPart(part, `${path}.content.${i}.${textOf(part['type'])}`),
  );
}

function checkTool(fields: WireObject, path: string): MessageRefusal | undefined {
  const type = textOf(fields['type']);
  return type === '' || type === 'custom' ? checkExtra(fields, `${path}.custom`, TOOL) : undefined;
}
