// What of a block enters the prefix: everything the model is shown, nothing else. `cache_control` never does, so that
// markers can move (§1.1). The key order of a call's `input` does, as it is shown (§1.3).

import type { SentBlock } from './request.ts';
import { given, isList, isObject, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import { digestOf } from '../core/digests.ts';
import type { Digests } from '../core/digests.ts';

/** The digest of one block's content. Two blocks with one digest are the same to the model. */
export function digestBlock(block: SentBlock, digests: Digests = anew): string {
  return digests(block.index, `${block.type}:${renderFields(block.type, block.fields)}`);
}

const anew: Digests = (_place, text) => digestOf(text);

/** The text of a block's content, as it is digested. A string and a list of one text are the same. */
export function renderFields(type: string, fields: WireObject): string {
  switch (type) {
    case 'text':
      return !given(fields['citations']) ? textOf(fields['text']) : renderRest(fields);
    case 'tool_result':
      return `${textOf(fields['tool_use_id'])}:${fields['is_error'] === true}:${renderContent(fields['content'])}`;
    case 'tool_use':
      return JSON.stringify([fields['id'], fields['name'], fields['input']]);
    default:
      return renderRest(fields);
  }
}

function renderContent(content: unknown): string {
  if (typeof content === 'string') return part('text', content);
  if (!isList(content)) return '';
  return content.map((item) => (isObject(item) ? renderPart(item) : '')).join('');
}

function renderPart(fields: WireObject): string {
  const type = textOf(fields['type']);
  return part(type, renderFields(type, fields));
}

/** With its length in front, so that no text can look like the end of one part and the start of the next. */
function part(type: string, text: string): string {
  return `${type}:${text.length}:${text}`;
}

function renderRest(fields: WireObject): string {
  return JSON.stringify(fields, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
}
