// Encodes content that has the same form in every API: JSON strings without lone surrogates, valid names, and the body
// of a token count. A tool keeps the bytes of its schema. An image becomes base64, or a text if an API would refuse it
// (L6).

import { createHash } from 'node:crypto';
import { parseObject, rawMember, rawMembers } from '@tidemark/core';
import type { FrontToolDefinition, ImagePart, Lowering } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { Service } from './service.ts';
import { refuse } from './service.ts';

const ACCEPTED = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** An image that can be sent. `data` is base64. */
interface SendableImage {
  readonly kind: 'image';
  readonly mediaType: string;
  readonly data: string;
  /** Number of bytes before the base64 encoding. */
  readonly mediaBytes: number;
}

/** The text that replaces an image that cannot be sent. */
export interface ImageStub {
  readonly kind: 'stub';
  readonly text: string;
}

/**
 * Reads an image. Returns a stub if the image is not PNG, JPEG, GIF or WebP, if it is empty, or if the model accepts no
 * images.
 *
 * @throws ProviderError `provider/invalid` when `materials` does not contain the bytes of the image.
 */
export function readImage(
  service: Service,
  image: ImagePart,
  { materials, capabilities }: Lowering,
): SendableImage | ImageStub {
  if (capabilities.images === 'none') return imageStub(image, 'this model takes no images');
  const mediaType = wireMediaType(image.mediaType);
  if (!ACCEPTED.has(mediaType)) return imageStub(image, 'only PNG, JPEG, GIF and WebP are accepted');
  const bytes = materials(image.artifact);
  if (bytes === undefined) throw missing(service, image);
  if (bytes.length === 0) return imageStub(image, 'it is empty');
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { kind: 'image', mediaType, data, mediaBytes: bytes.length };
}

/**
 * Returns the text that replaces an image. The text contains the reason and the digest of the artifact, so the model
 * can ask for the artifact later.
 */
export function imageStub(image: ImagePart, reason: string): ImageStub {
  const text = `[image left out: ${reason}. ${image.mediaType}, ${image.bytes} bytes, artifact ${image.artifact}]`;
  return { kind: 'stub', text };
}

function wireMediaType(mediaType: string): string {
  const plain = mediaType.trim().toLowerCase();
  return plain === 'image/jpg' ? 'image/jpeg' : plain;
}

function missing(service: Service, image: ImagePart): Error {
  return refuse(
    service,
    'provider/invalid',
    `the bytes of image ${image.artifact} are not among the materials: load the artifact before lowering, or quarantine the block that refers to it`,
  );
}

interface ToolForm {
  /** Name of the field that contains the schema. */
  readonly schema: string;
  isName(name: string): boolean;
  /** Maximum number of characters of a name, for the error message. */
  readonly longestName: number;
}

/**
 * Returns `"name":…,"description":…,<schema>:…` without braces. A blank description is omitted. The schema has the same
 * bytes as in the definition.
 *
 * @throws ProviderError `provider/invalid` for a definition without a schema, or for a name that the API does not
 *   accept.
 */
export function toolMembers(
  service: Service,
  tool: Pick<FrontToolDefinition, 'name' | 'definition'>,
  form: ToolForm,
): string {
  const definition = parseObject(tool.definition);
  const schema = rawMember(tool.definition, 'schema');
  if (definition === undefined || schema === undefined) throw refuseTool(service, tool, 'its definition has no schema');
  if (!form.isName(tool.name))
    throw refuseTool(service, tool, `a name must have 1 to ${form.longestName} characters of a-z, A-Z, 0-9, _ and -`);
  const words = definition['description'];
  const description = typeof words === 'string' && !isBlank(words) ? `"description":${jsonString(words)},` : '';
  return `"name":"${tool.name}",${description}"${form.schema}":${schema}`;
}

function refuseTool(service: Service, tool: Pick<FrontToolDefinition, 'name'>, why: string): Error {
  return refuse(
    service,
    'provider/invalid',
    `the tool "${tool.name}" cannot be sent to ${service.title}: ${why}. Rename or fix the tool where it is registered`,
  );
}

/**
 * Returns a JSON string. Lone surrogates become U+FFFD, because a server may refuse a body that contains one, even
 * escaped.
 */
export function jsonString(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** Returns a text part without its closing brace, so a marker can be inserted before the brace. */
export function textHead(text: string): string {
  return `{"type":"text","text":${jsonString(text)}`;
}

const MAPPED = /^tm_[a-zA-Z0-9_-]*_[0-9a-f]{16}$/;

/**
 * Returns an id or a name that an API accepts. If the value already fits, it does not change. Any other value, such as
 * an id of another provider (`call_1|fc_2`), becomes `tm_<readable>_<hash>`. Equal values give equal results, and
 * different values give different results. `readable` is the number of characters of the value that the result
 * contains.
 */
export function fittingName(name: string, fits: RegExp, readable: number): string {
  // A value that already has the form `tm_…_…` also gets a new name. Otherwise an id of another provider could be equal
  // to the new name of a different id.
  if (fits.test(name) && !MAPPED.test(name)) return name;
  const readableName = name.slice(0, readable).replace(/[^a-zA-Z0-9_-]/g, '_');
  const digest = createHash('sha256').update(name, 'utf8').digest('hex').slice(0, 16);
  return `tm_${readableName}_${digest}`;
}

/** Returns the members of a body that `takes` accepts, as `"key":value` with the unchanged bytes of each value. */
export function membersOf(body: Uint8Array, takes: (key: string) => boolean): readonly string[] {
  const members = rawMembers(new TextDecoder().decode(body)).filter(({ key }) => takes(key));
  return members.map(({ key, raw }) => `${JSON.stringify(key)}:${raw}`);
}

/** Returns the body of a token count: the same body with only the fields that the endpoint accepts. */
export function countBody(body: Uint8Array, fields: ReadonlySet<string>): Uint8Array {
  return new TextEncoder().encode(`{${membersOf(body, (key) => fields.has(key)).join(',')}}`);
}
