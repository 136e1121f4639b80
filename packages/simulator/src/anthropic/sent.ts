// What a script can see of a Messages request: the words that matter, taken out of the wire format.

import type { SentBlock, WireRequest } from './request.ts';
import { nameOf } from './changes.ts';
import { isList, isObject, textOf } from '../core/wire.ts';
import type { SentResult, ReceivedRequest } from '../core/sent.ts';

/** Takes the words out of a request. */
export function describeRequest(request: WireRequest): ReceivedRequest {
  const { blocks, messages, fields, model } = request;
  const speaker = messages.findLast((message) => message.role === 'user' && message.blocks.some(isText));
  return {
    model,
    system: joinTexts(blocks.filter((block) => block.level === 'system')),
    tools: offeredTools(blocks),
    lastUserText: joinTexts(speaker?.blocks ?? []),
    toolResults: lastResults(request),
    body: fields,
  };
}

/** What is offered at the end of the request: what the front declares, as changed since. */
function offeredTools(blocks: readonly SentBlock[]): readonly string[] {
  const offered = new Set<string>();
  for (const block of blocks) {
    if (block.type === 'tool_removal') offered.delete(nameOf(block));
    else if (block.level === 'tools' || block.type === 'tool_addition') offered.add(nameOf(block));
  }
  return [...offered];
}

function isText(block: SentBlock): boolean {
  return block.type === 'text';
}

function joinTexts(blocks: readonly SentBlock[]): string {
  return blocks
    .filter(isText)
    .map((block) => textOf(block.fields['text']))
    .join('\n\n');
}

function lastResults(request: WireRequest): readonly SentResult[] {
  const answer = request.blocks.findLast((block) => block.role === 'assistant')?.index ?? -1;
  const results = request.blocks.slice(answer + 1).filter((block) => block.type === 'tool_result');
  return results.map((block) => describeResult(request, block));
}

function describeResult(request: WireRequest, block: SentBlock): SentResult {
  const id = textOf(block.fields['tool_use_id']);
  const call = request.blocks.findLast((other) => other.type === 'tool_use' && other.fields['id'] === id);
  return {
    id,
    name: textOf(call?.fields['name']),
    text: contentText(block.fields['content']),
    error: block.fields['is_error'] === true,
  };
}

function contentText(content: unknown): string {
  if (!isList(content)) return textOf(content);
  return content.map((part) => (isObject(part) ? textOf(part['text']) : '')).join('\n');
}
