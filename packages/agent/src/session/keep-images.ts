// Prepares the parts of a prompt for the log. Images are scaled to the limits of the model. A long attachment is
// shortened like a tool result. Its whole text is stored as an artifact, which `output_read` reads in pages (L6).

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

interface Speaking {
  readonly session: KeepingSession;
  readonly runtime: Runtime;
}

/** Session whose prompt is prepared. A forecast stores nothing, so it has artifacts of its own. */
type KeepingSession = Pick<Session, 'secrets' | 'state'> & { readonly log: { readonly artifacts: Artifacts } };

/**
 * Stores the images and attachments of a prompt, and returns its parts in the form that the log records.
 *
 * @throws AgentError `agent/unfit-image` for an image that cannot be sent.
 * @throws what the store throws.
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
  { log: { artifacts }, secrets, state }: KeepingSession,
  { capabilities, budgets }: Runtime,
  { name, data }: GivenAttachment,
): Promise<readonly ContentPart[]> {
  const output = openOutput({ artifacts, secrets });
  await output.write(data);
  const shaped = await output.finish({ limits: limitsAt(state, capabilities, 1, budgets), keeps: 'head' });
  const text: ContentPart = { type: 'text', text: `${name} (${data.length} bytes):\n${shaped.text}` };
  // The part names the artifact, so tools can read it and garbage collection does not delete it.
  return shaped.output === undefined ? [text] : [{ type: 'file', path: name, artifact: shaped.output }, text];
}

/**
 * Store, model and fitter for images. An image is fitted to the model, then stored by its digest, and always sent in
 * the stored form. A line of text describes each change or omission (L6).
 */
export interface ImageKeeper {
  readonly artifacts: Artifacts;
  readonly capabilities: Capabilities;
  /** Fitter of images. Without it, the images of a tool are stored unchanged, and images in prompts are refused. */
  readonly images?: ImageFitter;
}

/**
 * Maximum bytes of one image. A request with 20 such images and text stays below Anthropic's limit of 32 MB. Cloud
 * providers have a limit of 5 MB of base64 for each image, which is much higher.
 */
const IMAGE_BYTES = 1_048_576;

/**
 * Stores the images that a tool returned, and returns the parts of its result. An image that cannot be sent becomes a
 * line of text with the reason.
 */
export async function keepToolImages(
  keeper: ImageKeeper,
  images: readonly ToolImage[],
): Promise<readonly ContentPart[]> {
  const parts: ContentPart[] = [];
  for (const image of images) {
    const fitted = await fit(keeper, image);
    if ('problem' in fitted) parts.push({ type: 'text', text: `[image omitted: ${fitted.problem}]` });
    else parts.push(...(await keep(keeper, fitted)));
  }
  return parts;
}

/**
 * Stores the images of a prompt and returns its parts. Parts of other types are returned unchanged.
 *
 * @throws AgentError `agent/unfit-image` for an image that cannot be sent. The caller can choose another image.
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

/** An image in its original form, for a session without a fitter. */
type AsGiven = ToolImage & Pick<FittedImage, 'changes'>;

async function fit(
  { images, capabilities }: ImageKeeper,
  given: ToolImage | GivenImage,
): Promise<FittedImage | AsGiven | UnfitImage> {
  if (images !== undefined) return images.fit(given.data, boundsOf(capabilities));
  if ('mediaType' in given) return { ...given, changes: [] };
  return { problem: 'this session has no image fitter that can decode it: set `context.images`' };
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
  return [part, { type: 'text', text: `${IMAGE_NOTE}${width} x ${height} pixels: ${changes.join(', ')}]` }];
}

const IMAGE_NOTE = '[the image above is shown at ';

/** Returns true for the line that describes the changes of the image before it. `before` is the part before `part`. */
export function isImageNote(part: ContentPart, before: ContentPart | undefined): boolean {
  return before?.type === 'image' && part.type === 'text' && part.text.startsWith(IMAGE_NOTE);
}
