// What somebody says, on its way into the log: images are made to fit, and a long attachment is cut as the result of a tool
// is, with the whole kept as an artifact that `output_read` pages through (L6).

import { defined } from '@tidemark/core';
import type { Artifacts, ContentPart, Digest, ImagePart } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { sentSize } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import { limitsAt } from '../output/result-limits.ts';
import { openOutput } from '../output/output.ts';
import type { FittedImage, GivenImage, ImageBounds, ImageFitter, UnfitImage } from '../ports/image-fitter.ts';
import type { GivenAttachment } from '../ports/live-session.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { ToolImage } from '../ports/tool.ts';
import type { Session } from './session.ts';

/** Whose words are kept. */
interface Speaking {
  readonly session: Session;
  readonly runtime: Runtime;
}

/**
 * Returns the parts as the log holds them.
 *
 * @throws AgentError `agent/unfit-image` for an image that cannot be sent. @throws what the store throws.
 */
export async function keepGiven(
  { session, runtime }: Speaking,
  parts: readonly (ContentPart | GivenImage | GivenAttachment)[],
): Promise<readonly ContentPart[]> {
  const keeper = { ...runtime, artifacts: session.log.artifacts };
  const kept: ContentPart[] = [];
  for (const part of parts) {
    const own = part.type === 'attachment' ? keepAttachment(session, runtime, part) : keepGivenImages(keeper, [part]);
    kept.push(...(await own));
  }
  return kept;
}

async function keepAttachment(
  { log: { artifacts }, secrets, state }: Session,
  { capabilities }: Runtime,
  { name, data }: GivenAttachment,
): Promise<readonly ContentPart[]> {
  const output = openOutput({ artifacts, secrets });
  await output.write(data);
  const shaped = await output.finish({ limits: limitsAt(state, capabilities, 1), keeps: 'head' });
  const text: ContentPart = { type: 'text', text: `${name} (${data.length} bytes):\n${shaped.text}` };
  // The part names the artifact, so that tools can read it and no collector of garbage removes it.
  return shaped.output === undefined ? [text] : [{ type: 'file', path: name, artifact: shaped.output }, text];
}

/**
 * What keeps images for the log. An image is made to fit the model once, kept once by its digest, and sent in no other form
 * later. A text says what was changed or left out (L6).
 */
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
const IMAGE_BYTES = 1_048_576;

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
  for (const part of parts) kept.push(...(isGiven(part) ? await keepGivenImage(keeper, part) : [part]));
  return kept;
}

async function keepGivenImage(keeper: ImageKeeper, image: GivenImage): Promise<readonly ContentPart[]> {
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
  const part: ImagePart<Digest> = defined({ type: 'image', artifact: digest, mediaType, bytes: size, width, height });
  if (changes.length === 0) return [part];
  return [
    part,
    { type: 'text', text: `[the image above is shown at ${width} x ${height} pixels: ${changes.join(', ')}]` },
  ];
}
