// Text of a block for people. A block is JSON of a provider's request, so its strings are unescaped and its main text is
// shown first.

import { parseJson } from '@tidemark/core';
import type { Block } from '@tidemark/model';

/** Returns a block as it is sent, without a marker. */
export function sentText({ head, tail }: Block): string {
  return head + tail;
}

const TEXTS = new WeakMap<Block, string>();

/** Returns the text of a block for people. For a block that is not JSON, returns the block as it is sent. */
export function blockText(block: Block): string {
  const known = TEXTS.get(block);
  if (known !== undefined) return known;
  const text = readableText(sentText(block));
  TEXTS.set(block, text);
  return text;
}

/** Returns the text for people of a block as it is sent. */
export function readableText(sent: string): string {
  try {
    return textOf(parseJson(sent));
  } catch {
    return sent;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { text, thinking, content, output, name, input, arguments: given, part }: BlockFields = value;
  if (typeof text === 'string') return text;
  if (typeof thinking === 'string' && thinking !== '') return thinking;
  if (typeof name === 'string') return `${name} ${argumentsOf(input ?? given ?? value)}`;
  if (part !== undefined) return textOf(part);
  if (content !== undefined) return textOf(content);
  if (output !== undefined) return textOf(output);
  return JSON.stringify(value, null, 2);
}

/** Fields of blocks that contain the text, in the formats of all providers. */
interface BlockFields {
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly content?: unknown;
  readonly output?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly arguments?: unknown;
  readonly part?: unknown;
}

function argumentsOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(parseJson(value), null, 2);
  } catch {
    return value;
  }
}
