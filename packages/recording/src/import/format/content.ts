// Content blocks of prompts and results, as both formats write them. Bytes go outside, by digest.

import type { ContentPart, Json } from '@tidemark/log';
import { imageKind } from '@tidemark/model';
import type { JsonObject } from '../file/fields.ts';
import { isList, isObject, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { Keep } from './format.ts';

/** The parts of some content: a text, or a list of blocks. What is no text and no bytes is kept as its JSON text. */
export function contentParts(content: Json | undefined, keep: Keep): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!isList(content)) return [];
  return content.map((block) => contentPart(block, keep));
}

/** The text of some content, where it is text alone. */
export function plainText(parts: readonly ContentPart[]): string | undefined {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type !== 'text') return undefined;
    texts.push(part.text);
  }
  return texts.join('\n');
}

function contentPart(block: Json, keep: Keep): ContentPart {
  const fields = objectOf(block);
  const text = fields['type'] === 'text' ? textOf(fields['text']) : undefined;
  if (text !== undefined) return { type: 'text', text };
  return imagePart(fields, keep) ?? documentPart(fields, keep) ?? { type: 'text', text: asText(block) };
}

function asText(block: Json): string {
  return typeof block === 'string' ? block : JSON.stringify(block);
}

function imagePart(block: JsonObject, keep: Keep): ContentPart | undefined {
  if (block['type'] !== 'image') return undefined;
  const source = objectOf(block['source']);
  const mediaType = nameOf(block['mimeType']) ?? nameOf(source['media_type']);
  const bytes = decoded(block['data'] ?? source['data']);
  if (mediaType === undefined || bytes === undefined) return undefined;
  return { type: 'image', artifact: keep(bytes), mediaType, bytes: bytes.length, ...imageKind(bytes)?.pixels };
}

function documentPart(block: JsonObject, keep: Keep): ContentPart | undefined {
  if (block['type'] !== 'document' || !isObject(block['source'])) return undefined;
  const bytes = decoded(block['source']['data']);
  if (bytes === undefined || block['source']['type'] !== 'base64') return undefined;
  return { type: 'file', path: nameOf(block['title']) ?? 'document', artifact: keep(bytes) };
}

function decoded(data: Json | undefined): Uint8Array | undefined {
  if (typeof data !== 'string') return undefined;
  const bytes = Buffer.from(data, 'base64');
  return bytes.length === 0 ? undefined : bytes;
}
