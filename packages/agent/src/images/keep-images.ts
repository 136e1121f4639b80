// Images on their way into the log: made to fit the model once, kept once by digest, and sent in no other form ever after.
// What was changed or left out is said beside them (L6).

import type { Artifacts, ContentPart, Digest, ImagePart } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { sentSize } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { ToolImage } from '../tools/tool.ts';
import type { FittedImage, GivenImage, ImageBounds, ImageFitter, UnfitImage } from './image-fitter.ts';

/** What images are kept with. */
export interface ImageKeeper {
  readonly artifacts: Artifacts;
  readonly capabilities: Capabilities;
  /** Without one, images are kept as they are given. */
  readonly images?: ImageFitter;
}

/**
 * Bytes of one image: with 20 of them and the words between them a request stays below Anthropic's 32 MB, and each is far
 * below the 5 MB of base64 that the clouds take.
 */
export const IMAGE_BYTES = 1_048_576;

/** The parts of a result for the images that a tool returned: one that cannot be sent is a line that says why. */
export async function keepToolImages(
  keeper: ImageKeeper,
  images: readonly ToolImage[],
): Promise<readonly ContentPart[]> {
  const parts: ContentPart[] = [];
  for (const image of images) {
    const fitted = await fit(keeper, image);
    if ('problem' in fitted) parts.push({ type: 'text', text: `[image left out: ${fitted.problem}]` });
    else parts.push(...(await keep(keeper, fitted)));
  }
  return parts;
}

/**
 * What somebody says, with its images kept.
 *
 * @throws AgentError `agent/unfit-image` for one that cannot be sent: whoever said it can say another.
 */
export async function keepGivenImages(
  keeper: ImageKeeper,
  parts: readonly (ContentPart | GivenImage)[],
): Promise<readonly ContentPart[]> {
  const kept: ContentPart[] = [];
  for (const part of parts) kept.push(...(isGiven(part) ? await keepGiven(keeper, part) : [part]));
  return kept;
}

async function keepGiven(keeper: ImageKeeper, image: GivenImage): Promise<readonly ContentPart[]> {
  const fitted = await fit(keeper, image);
  if (!('problem' in fitted)) return keep(keeper, fitted);
  const { name } = image;
  const which = name === undefined ? 'an image' : `the image ${name}`;
  throw new AgentError(
    'agent/unfit-image',
    `${which} cannot be sent: ${fitted.problem}`,
    name === undefined ? {} : { name },
  );
}

function isGiven(part: ContentPart | GivenImage): part is GivenImage {
  return part.type === 'image' && 'data' in part;
}

/** As it was given, where nobody can look into it. */
type AsGiven = ToolImage & Pick<FittedImage, 'changes'>;

async function fit(
  { images, capabilities }: ImageKeeper,
  given: ToolImage | GivenImage,
): Promise<FittedImage | AsGiven | UnfitImage> {
  if (images !== undefined) return images.fit(given.data, boundsOf(capabilities));
  if ('mediaType' in given) return { ...given, changes: [] };
  return { problem: 'this session is run without anything that looks into images: give it `images`' };
}

function boundsOf({ images }: Capabilities): ImageBounds {
  const input = images === 'none' ? undefined : images;
  return { sizeFor: (size) => sentSize(input, size), bytes: IMAGE_BYTES };
}

async function keep({ artifacts }: ImageKeeper, image: FittedImage | AsGiven): Promise<readonly ContentPart[]> {
  const { data, changes, mediaType, width, height } = image;
  const { digest, size } = await artifacts.put(data);
  const part: ImagePart<Digest> = {
    type: 'image',
    artifact: digest,
    mediaType,
    bytes: size,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
  if (changes.length === 0) return [part];
  return [
    part,
    { type: 'text', text: `[the image above is shown at ${width} x ${height} pixels: ${changes.join(', ')}]` },
  ];
}
