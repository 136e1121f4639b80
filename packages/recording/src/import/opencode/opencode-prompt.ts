// Builds the moves of a prompt of OpenCode from the parts of its message.

import type { ContentPart } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { nameOf, textOf } from '../file/fields.ts';
import type { Keep } from '../format/format.ts';
import { contentParts } from '../format/format.ts';
import type { From, ImportedMove } from '../format/move.ts';

const OPENCODE = 'opencode';

/** Prompt to which more parts may be added. */
export interface OpenCodePrompt {
  readonly from: From;
  readonly trigger: 'user' | 'subagent';
  readonly parts: ContentPart[];
  /** Texts that the client added, for example the content of a file that the prompt names. */
  readonly added: string[];
}

/** Adds a part to a prompt. Returns false if the part is not in the context of the model. */
export function takePromptPart(prompt: OpenCodePrompt, part: JsonObject, keep: Keep): boolean {
  const text = part['type'] === 'text' ? textOf(part['text']) : undefined;
  if (text !== undefined && part['ignored'] !== true) {
    if (part['synthetic'] === true) prompt.added.push(text);
    else prompt.parts.push({ type: 'text', text });
    return true;
  }
  const file = part['type'] === 'file' ? filePart(part, keep) : undefined;
  if (file !== undefined) prompt.parts.push(file);
  return file !== undefined;
}

const DATA_URL = /^data:([^;,]+);base64,/;

/** Returns an image or a file whose bytes are in the part. Returns `undefined` if the part only names a file. */
export function filePart(part: JsonObject, keep: Keep): ContentPart | undefined {
  const url = textOf(part['url']) ?? '';
  const [head = '', mediaType = ''] = DATA_URL.exec(url.slice(0, 200)) ?? [];
  if (head === '') return undefined;
  const data = url.slice(head.length);
  const title = nameOf(part['filename']) ?? 'file';
  const block = mediaType.startsWith('image/')
    ? { type: 'image', mimeType: mediaType, data }
    : { type: 'document', title, source: { type: 'base64', data } };
  const [content] = contentParts([block], keep);
  return content?.type === 'text' ? undefined : content;
}

/**
 * Returns the moves of a prompt. Text that the client added becomes a note after the prompt. Without a text of the user,
 * it is a notification, for example the request to continue after a compaction.
 */
export function promptMoves({ from, trigger, parts, added }: OpenCodePrompt): readonly ImportedMove[] {
  const body = added.join('\n\n');
  if (parts.length > 0) {
    const prompt: ImportedMove = { type: 'prompt', from, parts, presenter: OPENCODE, trigger };
    return body === '' ? [prompt] : [prompt, { type: 'note', from, source: OPENCODE, body }];
  }
  const provenance = 'text that OpenCode added';
  return body === '' ? [] : [{ type: 'notification', from, source: OPENCODE, provenance, body }];
}
