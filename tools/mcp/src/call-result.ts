// What a server answers a call with, as the output of a tool: words as words, images as images (the runtime makes them fit),
// and whatever a model cannot be shown said in a line (L6).

import type { ToolImage, ToolOutput } from '@tidemark/agent';
import { imageKind } from '@tidemark/model';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { canonicalText } from '@tidemark/log';

type ResultBlock = CallToolResult['content'][number];

type Resource = Extract<ResultBlock, { type: 'resource' }>['resource'];

/** The output of a call. */
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

function readImage(base64: string, said: string): ReadResult {
  const data = Buffer.from(base64, 'base64');
  const kind = imageKind(data);
  if (kind === undefined) return { text: notShown(`an image, ${said}`, base64) };
  return { image: { data: new Uint8Array(data), mediaType: kind.mediaType } };
}

function notShown(what: string, base64: string): string {
  return `[${what}, ${Buffer.byteLength(base64, 'base64')} bytes: it cannot be shown]`;
}

/**
 * Servers are asked to send what is structured as text too, and many wrap their blocks in it whole: what stands in a block
 * is not said again, an image's base64 least of all.
 */
function structuredWords(structured: object, content: readonly ResultBlock[]): readonly string[] {
  if (!isShallow(structured)) return ['[structured content that is nested too deep to be shown]'];
  const blocks = new Set(content.flatMap((block) => stringsIn(block)));
  if (stringsIn(structured).every((leaf) => blocks.has(leaf)) || content.some((block) => isTextOf(block, structured)))
    return [];
  const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > LONG && blocks.has(value);
  return [JSON.stringify(structured, (_key, value: unknown) => (isLong(value) ? '[as above]' : value))];
}

/** Characters from which on a repeated word is left out of what is structured. */
const LONG = 100;

/** All that is said in it, as text: a number never stands in a block by itself, so it is always something new. */
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

// Values of a server that are nested thousands of levels deep: each function that walks one by calling itself would fill the stack.

/** Returns true for a value that canonical JSON can hold: at most 1,000 levels. */
export function isShallow(value: unknown): boolean {
  try {
    return canonicalText(value) !== '';
  } catch {
    return false;
  }
}
