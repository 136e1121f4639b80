// What a script can see of a request of these wires: the same words as of the other one.

import type { ReceivedRequest, SentResult } from '../core/sent.ts';
import { isList, isObject, objectAt, textOf } from '../core/wire.ts';
import { toolName } from './format/prompt.ts';
import type { OpenAIRequest, PromptItem } from './format/prompt.ts';

/** Takes the words out of a request. */
export function describeOpenAI(request: OpenAIRequest): ReceivedRequest {
  const { fields, items, model } = request;
  const added = items.filter(({ type }) => type === 'additional_tools').map((item) => item.fields);
  const tools = [fields, ...added].flatMap((given) => (isList(given['tools']) ? given['tools'].filter(isObject) : []));
  const told = items.filter((item) => item.speaker === 'developer').map((item) => textIn(item.fields['content']));
  const speaker = items.findLast((item) => item.speaker === 'user' && textIn(item.fields['content']) !== '');
  return {
    model,
    system: [textOf(fields['instructions']), ...told].filter((text) => text !== '').join('\n\n'),
    tools: tools.map(toolName),
    lastUserText: textIn(speaker?.fields['content']),
    toolResults: lastResults(items),
    body: fields,
  };
}

function textIn(content: unknown): string {
  if (!isList(content)) return textOf(content);
  const texts = content.map((part) => (isObject(part) ? textOf(part['text']) : ''));
  return texts.filter((text) => text !== '').join('\n\n');
}

function lastResults(items: readonly PromptItem[]): readonly SentResult[] {
  const answer = items.findLastIndex((item) => item.speaker === 'assistant');
  const results = items.slice(answer + 1).filter((item) => item.speaker === 'tool');
  return results.map(({ fields }) => {
    const id = textOf(fields['call_id'] ?? fields['tool_call_id']);
    return { id, name: nameOf(items, id), text: textIn(fields['output'] ?? fields['content']), error: false };
  });
}

function nameOf(items: readonly PromptItem[], id: string): string {
  for (const { fields } of items.toReversed()) {
    if (fields['call_id'] === id && fields['name'] !== undefined) return textOf(fields['name']);
    const calls = isList(fields['tool_calls']) ? fields['tool_calls'].filter(isObject) : [];
    const call = calls.find((each) => each['id'] === id);
    if (call !== undefined) return textOf(objectAt(call, 'function')['name']);
  }
  return '';
}
