// How large a picture may be and what it is, by the header of what was sent, and how many a request may hold. A header that
// says nothing is taken as it is.

import type { Capabilities } from '@tidemark/model';
import { imageSize, imageType } from '../core/image-size.ts';
import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isLevel, pathOf } from './request.ts';
import type { SentBlock } from './request.ts';
import { isList, isObject, objectAt, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import { firstRefusal } from './rule.ts';
import type { RequestRule } from './rule.ts';

/** A picture, with the path that error texts name it by. */
interface Picture {
  readonly path: string;
  readonly source: WireObject;
}

/** Above so many pictures a request counts as one with many, and each may be smaller only. */
const MANY = 20;

/**
 * Refuses the first picture that is too large, in the words of anthropics/claude-code#5147 and #52220, or that has no
 * pixels. The limits: docs.anthropic.com/en/docs/vision, "Basics and limits".
 */
export const checkImages: RequestRule = ({ blocks, capabilities }) => {
  const pictures = blocks.flatMap(picturesIn);
  const many = pictures.length > MANY;
  return (
    checkNumber(pictures.length, capabilities) ??
    firstRefusal(pictures, (picture) => checkWeight(picture) ?? checkType(picture) ?? checkSize(picture, many))
  );
};

/** 100 in a window of 200,000 tokens, 600 in a larger one (platform.claude.com, vision, "General limits"). Documents are not counted here. */
function checkNumber(pictures: number, { window }: Capabilities): MessageRefusal | undefined {
  const most = window.tokens > 200_000 ? 600 : 100;
  return pictures <= most ? undefined : invalid(`too many images and documents: ${pictures} + 0 > ${most}`);
}

/** Characters of base64: 10 MB on this API, 5 on the clouds. */
const HEAVIEST = 10 * 1024 * 1024;

function checkWeight({ path, source }: Picture): MessageRefusal | undefined {
  const { length } = textOf(source['data']);
  if (source['type'] !== 'base64' || length <= HEAVIEST) return undefined;
  return invalid(`${path}.image.source.base64: image exceeds 10 MB maximum: ${length} bytes > ${HEAVIEST} bytes`);
}

/** What it says that it is, against how it begins. */
function checkType({ path, source }: Picture): MessageRefusal | undefined {
  const said = textOf(source['media_type']);
  const is = source['type'] === 'base64' ? imageType(textOf(source['data'])) : undefined;
  if (is === undefined || is === said) return undefined;
  return invalid(
    `${path}.image.source.base64: The image was specified using the ${said} media type, but the image appears to be a ${is} image`,
  );
}

function picturesIn(block: SentBlock): readonly Picture[] {
  if (block.level === 'tools' || isLevel(block)) return [];
  const path = pathOf(block);
  if (block.type === 'image') return [{ path, source: objectAt(block.fields, 'source') }];
  const { content } = block.fields;
  if (block.type !== 'tool_result' || !isList(content)) return [];
  return content.flatMap((part, index) =>
    isObject(part) && part['type'] === 'image'
      ? [{ path: `${path}.tool_result.content.${index}`, source: objectAt(part, 'source') }]
      : [],
  );
}

function checkSize({ path, source }: Picture, many: boolean): MessageRefusal | undefined {
  const size = source['type'] === 'base64' ? imageSize(textOf(source['data'])) : undefined;
  if (size === undefined) return undefined;
  if (Math.min(size.width, size.height) === 0) return invalid('Could not process image');
  const [most, where] = many ? [2000, ' for many-image requests'] : [8000, ''];
  if (Math.max(size.width, size.height) <= most) return undefined;
  return invalid(
    `${path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size${where}: ${most} pixels`,
  );
}
