// Images and tools, as far as all APIs take them alike: an image as base64, or the text that stands for one that an API would
// refuse (L6); a tool as its name, its description and the bytes of its schema.

import { parseObject, rawMember } from '@tidemark/core';
import type { FrontToolDefinition, ImagePart, Lowering } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { Service } from './service.ts';
import { refuse } from './service.ts';
import { jsonString } from './wire-text.ts';

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
