// What all encoders of this package write alike: ids and names, tools, images as data URLs, and results as words.

import type { Capabilities, FrontToolDefinition, ImagePart, Lowering, ResultPart } from '@tidemark/model';
import { imageTokens, isBlank } from '@tidemark/model';
import type { ImageStub, Service } from '@tidemark/provider-wire';
import { fittingName, imageStub, jsonString, readImage, toolMembers } from '@tidemark/provider-wire';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The id of a call and of its result: at most 64 characters ("string too long" is a 400). */
export function wireId(id: string): string {
  return wireName(id);
}

/** The name of a called tool: 1 to 64 of a-z, A-Z, 0-9, _ and -. */
export function wireName(name: string): string {
  return fittingName(name, NAME, 44);
}

/** Whether the APIs take this as the name of a tool in the list of tools. */
export function isToolName(name: string): boolean {
  return NAME.test(name);
}

/** The inside of a JSON string, to be joined with others between one pair of quotes. */
export function insideString(text: string): string {
  return jsonString(text).slice(1, -1);
}

/**
 * `"name":…,"description":…,"parameters":…`: the members of a function in each API, without braces.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse.
 */
export function functionMembers(service: Service, tool: Pick<FrontToolDefinition, 'name' | 'definition'>): string {
  return toolMembers(service, tool, { schema: 'parameters', isName: isToolName, longestName: 64 });
}

/** An image as a data URL, and what it weighs. */
interface ImageAddress {
  readonly kind: 'image';
  readonly url: string;
  readonly tokens: number;
  readonly mediaBytes: number;
}

/** An image as a data URL, or the text that stands for it. @throws ProviderError `provider/invalid` when its bytes are missing. */
export function wireImage(service: Service, image: ImagePart, lowering: Lowering): ImageAddress | ImageStub {
  const read = readImage(service, image, lowering);
  if (read.kind === 'stub') return read;
  const { mediaType, data, mediaBytes } = read;
  const tokens = tokensOf(image, lowering.capabilities);
  return { kind: 'image', url: `data:${mediaType};base64,${data}`, tokens, mediaBytes };
}

const PATCH = 32;
const TOKENS_AT_MOST = 1_536;

// By the rule of the model's row; without one by patches up to a bound, as most of the vendor's models count.
function tokensOf({ width, height }: ImagePart, { images }: Capabilities): number {
  if (width === undefined || height === undefined) return TOKENS_AT_MOST;
  if (typeof images === 'object') return imageTokens(images, { width, height });
  return Math.min(TOKENS_AT_MOST, Math.ceil(width / PATCH) * Math.ceil(height / PATCH));
}

/** Stands before the text of a failed call, as no API has a field for it. */
const FAILED = '[the call failed]';

/** For a result that holds nothing: models take an empty output for a fault. */
const NO_OUTPUT = '(no output)';

/** The pieces of a result in order: its texts that are not blank, and its images; at least one. */
export function resultContents(part: ResultPart): readonly (string | ImagePart)[] {
  const contents: (string | ImagePart)[] = part.error ? [FAILED] : [];
  const before = contents.length;
  for (const one of part.content) {
    if (one.type === 'image') contents.push(one);
    else if (!isBlank(one.text)) contents.push(one.text);
  }
  return contents.length === before ? [...contents, NO_OUTPUT] : contents;
}

/** The same as words alone, for a tool message: upstreams differ in what they take there. An image becomes a line with its digest (L6). */
export function resultWords(part: ResultPart): string {
  const lines = resultContents(part).map((one) =>
    typeof one === 'string' ? one : imageStub(one, 'a tool message takes text only').text,
  );
  return lines.join('\n');
}
