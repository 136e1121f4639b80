// Text that all encoders of this package write in the same way: ids and names, tools, images as data URLs, and results
// as text.

import type { Capabilities, FrontToolDefinition, ImagePart, Lowering, ResultPart } from '@tidemark/model';
import { imageTokens, isBlank } from '@tidemark/model';
import type { ImageStub, Service } from '@tidemark/provider-wire';
import { fittingName, imageStub, jsonString, readImage, toolMembers } from '@tidemark/provider-wire';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Returns the id of a call and of its result in a form that the API accepts. An id has at most 64 characters, because
 * the API refuses a longer id with a 400 ("string too long").
 */
export function wireId(id: string): string {
  return wireName(id);
}

/**
 * Returns the name of a called tool in a form that the API accepts: 1 to 64 of the characters a-z, A-Z, 0-9, _ and -.
 */
export function wireName(name: string): string {
  return fittingName(name, NAME, 44);
}

/** True if the APIs accept this name in the list of tools. */
export function isToolName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Returns the text as the content of a JSON string, without quotes. So several texts can be joined inside one pair of
 * quotes.
 */
export function insideString(text: string): string {
  return jsonString(text).slice(1, -1);
}

/**
 * Returns the members of a function without braces: `"name":…,"description":…,"parameters":…`. Both APIs use the same
 * members.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse.
 */
export function functionMembers(service: Service, tool: Pick<FrontToolDefinition, 'name' | 'definition'>): string {
  return toolMembers(service, tool, { schema: 'parameters', isName: isToolName, longestName: 64 });
}

interface ImageAddress {
  readonly kind: 'image';
  readonly url: string;
  readonly tokens: number;
  readonly mediaBytes: number;
}

/**
 * Returns an image as a data URL, or the text that replaces the image.
 *
 * @throws ProviderError `provider/invalid` when the bytes of the image are missing.
 */
export function wireImage(service: Service, image: ImagePart, lowering: Lowering): ImageAddress | ImageStub {
  const read = readImage(service, image, lowering);
  if (read.kind === 'stub') return read;
  const { mediaType, data, mediaBytes } = read;
  const tokens = tokensOf(image, lowering.capabilities);
  return { kind: 'image', url: `data:${mediaType};base64,${data}`, tokens, mediaBytes };
}

const PATCH = 32;
const TOKENS_AT_MOST = 1_536;

// Uses the image rule in the catalog row of the model. If the row has no rule, it counts patches of 32 × 32 pixels up
// to 1,536, like most of OpenAI's models.
function tokensOf({ width, height }: ImagePart, { images }: Capabilities): number {
  if (width === undefined || height === undefined) return TOKENS_AT_MOST;
  if (typeof images === 'object') return imageTokens(images, { width, height });
  return Math.min(TOKENS_AT_MOST, Math.ceil(width / PATCH) * Math.ceil(height / PATCH));
}

/** First line of the result of a failed call, because no API has a field for failure. */
const FAILED = '[the call failed]';

/** Text for an empty result, because models think that an empty output is a failure. */
const NO_OUTPUT = '(no output)';

/**
 * Returns the pieces of a result in order: texts that are not blank, and images. The list has at least one piece: an
 * empty result becomes the text `NO_OUTPUT`.
 */
export function resultContents(part: ResultPart): readonly (string | ImagePart)[] {
  const contents: (string | ImagePart)[] = part.error ? [FAILED] : [];
  const before = contents.length;
  for (const one of part.content) {
    if (one.type === 'image') contents.push(one);
    else if (!isBlank(one.text)) contents.push(one.text);
  }
  return contents.length === before ? [...contents, NO_OUTPUT] : contents;
}

/**
 * Returns a result as text alone, for a tool message. Not all services accept other content in a tool message. An image
 * becomes a line with its digest (L6).
 */
export function resultWords(part: ResultPart): string {
  const lines = resultContents(part).map((one) =>
    typeof one === 'string' ? one : imageStub(one, 'a tool message takes text only').text,
  );
  return lines.join('\n');
}
