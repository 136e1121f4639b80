// Converts the result of an MCP call to the output of a tool. A text remains a text, and an image remains an image. The
// runtime later adapts the images to the limits of the provider. If content cannot be shown to a model, one line
// describes it (L6).

import type { ToolImage, ToolOutput } from '@tidemark/agent';
import { imageKind } from '@tidemark/model';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { canonicalText } from '@tidemark/log';

type ResultBlock = CallToolResult['content'][number];

type Resource = Extract<ResultBlock, { type: 'resource' }>['resource'];

/** Returns the result of an MCP call as the output of a tool. */
export function outputOf({ content, structuredContent, isError }: CallToolResult): ToolOutput {
  const read = content.map(readBlock);
  const words = read.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const images = read.flatMap(({ image }) => (image === undefined ? [] : [image]));
  if (structuredContent !== undefined) words.push(...structuredWords(structuredContent, content));
  return {
    text: words.join('\n\n'),
    ...(images.length > 0 && { images }),
    ...(isError === true && { failed: true }),
  };
}

interface ReadResult {
  readonly text?: string;
  readonly image?: ToolImage;
}

function readBlock(block: ResultBlock): ReadResult {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'image':
      return readImage(block.data, block.mimeType);
    case 'audio':
      return { text: notShown(`audio, ${block.mimeType}`, block.data) };
    case 'resource':
      return readResource(block.resource);
    case 'resource_link': {
      const { uri, name, description } = block;
      return {
        text: `[a link to the resource ${uri} (${name})${description === undefined ? '' : `: ${description}`}]`,
      };
    }
  }
}

function readResource(resource: Resource): ReadResult {
  const { uri, mimeType = 'of unknown type' } = resource;
  if ('text' in resource) return { text: `[the resource ${uri}]\n${resource.text}` };
  if (!mimeType.startsWith('image/')) return { text: notShown(`the resource ${uri}, ${mimeType}`, resource.blob) };
  const read = readImage(resource.blob, mimeType);
  return read.image === undefined ? read : { ...read, text: `[the resource ${uri}, shown as an image]` };
}

function readImage(base64: string, description: string): ReadResult {
  const data = Buffer.from(base64, 'base64');
  const kind = imageKind(data);
  if (kind === undefined) return { text: notShown(`an image, ${description}`, base64) };
  return { image: { data: new Uint8Array(data), mediaType: kind.mediaType } };
}

function notShown(what: string, base64: string): string {
  return `[${what}, ${Buffer.byteLength(base64, 'base64')} bytes, cannot be shown]`;
}

/**
 * Returns the text of structured content. If the content blocks already contain all of it, returns an empty list. The
 * MCP specification asks servers to send structured content also as text. Many servers repeat whole blocks in it. If a
 * block contains a long string, such as the base64 of an image, the string is replaced by "[as above]".
 */
function structuredWords(structured: object, content: readonly ResultBlock[]): readonly string[] {
  if (!isShallow(structured)) return ['[structured content that is nested too deep to be shown]'];
  const blocks = new Set(content.flatMap((block) => stringsIn(block)));
  if (stringsIn(structured).every((leaf) => blocks.has(leaf)) || content.some((block) => isTextOf(block, structured)))
    return [];
  const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > LONG && blocks.has(value);
  return [JSON.stringify(structured, (_key, value: unknown) => (isLong(value) ? '[as above]' : value))];
}

/** Number of characters. If a string is longer and a block already contains it, it is replaced. */
const LONG = 100;

/**
 * Returns all strings in a value. Any other value, such as a number, is returned with a prefix. No block has this
 * prefix, so such a value always counts as new.
 */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap((each) => stringsIn(each));
  return [typeof value === 'string' ? value : `\0${String(value)}`];
}

function isTextOf(block: ResultBlock, structured: object): boolean {
  if (block.type !== 'text') return false;
  try {
    return JSON.stringify(JSON.parse(block.text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

// Limits the number of nested levels in values from a server. With thousands of levels, a recursive function would
// overflow the stack.

/** Returns true if the value has at most 1,000 nested levels, the maximum of canonical JSON. */
export function isShallow(value: unknown): boolean {
  try {
    return canonicalText(value) !== '';
  } catch {
    return false;
  }
}
