// Content that every API takes in the same form: JSON strings without lone surrogates, names that fit, the body of a token
// count; an image as base64, or as a text where an API would refuse it (L6); a tool as its name, its description and the bytes
// of its schema.

import { createHash } from 'node:crypto';
import { parseObject, rawMember, rawMembers } from '@tidemark/core';
import type { FrontToolDefinition, ImagePart, Lowering } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { Service } from './service.ts';
import { refuse } from './service.ts';

const ACCEPTED = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** An image that can be sent: `data` is base64. */
interface SendableImage {
  readonly kind: 'image';
  readonly mediaType: string;
  readonly data: string;
  /** Bytes before base64. */
  readonly mediaBytes: number;
}

/** The text that stands for an image that cannot be sent. */
export interface ImageStub {
  readonly kind: 'stub';
  readonly text: string;
}

/**
 * Reads an image. Returns a stub where its kind is not one of PNG, JPEG, GIF and WebP, or the model takes none.
 *
 * @throws ProviderError `provider/invalid` when its bytes are not among the materials.
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

/** Returns the text for an image that cannot be sent at its place, with its digest, by which it can be read. */
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
    `the bytes of image ${image.artifact} are not among the materials: load the artifact before lowering, or quarantine the block that names it`,
  );
}

/** What an API asks of a tool. */
interface ToolForm {
  /** Name of the field that holds the schema. */
  readonly schema: string;
  /** Whether the API takes this name. */
  isName(name: string): boolean;
  /** Most characters of a name, for the error. */
  readonly longestName: number;
}

/**
 * Returns `"name":…,"description":…,<schema>:…` without braces. A blank description is left out; the schema has the bytes of the
 * definition.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse.
 */
export function toolMembers(
  service: Service,
  tool: Pick<FrontToolDefinition, 'name' | 'definition'>,
  form: ToolForm,
): string {
  const definition = parseObject(tool.definition);
  const schema = rawMember(tool.definition, 'schema');
  if (definition === undefined || schema === undefined)
    throw refuseTool(service, tool, 'its definition holds no schema');
  if (!form.isName(tool.name))
    throw refuseTool(service, tool, `a name is 1 to ${form.longestName} of a-z, A-Z, 0-9, _ and -`);
  const words = definition['description'];
  const description = typeof words === 'string' && !isBlank(words) ? `"description":${jsonString(words)},` : '';
  return `"name":"${tool.name}",${description}"${form.schema}":${schema}`;
}

function refuseTool(service: Service, tool: Pick<FrontToolDefinition, 'name'>, why: string): Error {
  return refuse(
    service,
    'provider/invalid',
    `the tool "${tool.name}" cannot be sent to ${service.title}: ${why}. Rename or mend it where it is registered`,
  );
}

/** A JSON string. Lone surrogates become U+FFFD: a server may refuse a body that has one, even escaped. */
export function jsonString(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** A text part without its closing brace: the slot for a marker comes after it. */
export function textHead(text: string): string {
  return `{"type":"text","text":${jsonString(text)}`;
}

const MAPPED = /^tm_[a-zA-Z0-9_-]*_[0-9a-f]{16}$/;

/**
 * Returns an id or a name that an API accepts. One that fits stays as it is. Any other, such as an id of another provider
 * (`call_1|fc_2`), becomes `tm_<readable>_<hash>`, the same every time, and no two become the same. `readable` is the number of
 * characters that are kept of it.
 */
export function fittingName(name: string, fits: RegExp, readable: number): string {
  // A name that looks mapped is mapped again: else a foreign id could collide with the map of another.
  if (fits.test(name) && !MAPPED.test(name)) return name;
  const kept = name.slice(0, readable).replace(/[^a-zA-Z0-9_-]/g, '_');
  const digest = createHash('sha256').update(name, 'utf8').digest('hex').slice(0, 16);
  return `tm_${kept}_${digest}`;
}

/** Returns the members of a body that are taken, as `"key":value` with the bytes of each value as they were. */
export function membersOf(body: Uint8Array, takes: (key: string) => boolean): readonly string[] {
  const members = rawMembers(new TextDecoder().decode(body)).filter(({ key }) => takes(key));
  return members.map(({ key, raw }) => `${JSON.stringify(key)}:${raw}`);
}

/** Returns the body of a token count: the same body with the fields that the endpoint takes. */
export function countBody(body: Uint8Array, fields: ReadonlySet<string>): Uint8Array {
  return new TextEncoder().encode(`{${membersOf(body, (key) => fields.has(key)).join(',')}}`);
}
