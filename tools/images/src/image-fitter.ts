// Makes images fit for sending. If an image fits, it is returned unchanged, byte for byte. If it does not fit, it is
// encoded one more time. If it cannot be sent, the reason is returned. Every image is decoded completely, because a
// provider would refuse every later request that contains an unreadable image.

import type { FittedImage, ImageBounds, ImageFitter, UnfitImage } from '@tidemark/agent';
import type { EncodedImage } from './encode.ts';
import { decodes, encode } from './encode.ts';
import type { ImageFormat } from './image-format.ts';
import { imageFormat, isSendable, MEDIA_TYPES } from './image-format.ts';
import type { ImageLibrary } from './load-sharp.ts';
import { loadSharp } from './load-sharp.ts';
import type { SeenImage } from './look-into.ts';
import { lookInto, MAX_PIXELS } from './look-into.ts';

/** Creates an image fitter. The image library is loaded when an image must be decoded for the first time. */
export function createImageFitter(): ImageFitter {
  return {
    async fit(data, bounds) {
      const format = imageFormat(data);
      if (format === undefined || !isSendable(format)) return { problem: notSendable(format, data) };
      const sharp = await loadSharp().catch((cause: unknown): UnfitImage => ({ problem: notLoaded(cause) }));
      if ('problem' in sharp) return sharp;
      try {
        return await fitDecoded(sharp, await lookInto(sharp, format, data), bounds);
      } catch (cause) {
        return { problem: `its ${format} data is damaged or cut off (${messageOf(cause)}): create the image again` };
      }
    },
  };
}

async function fitDecoded(
  sharp: ImageLibrary,
  image: SeenImage,
  bounds: ImageBounds,
): Promise<FittedImage | UnfitImage> {
  const { size } = image;
  if (size.width * size.height > MAX_PIXELS)
    return { problem: `it has ${inWords(size)} pixels, and the maximum is ${MAX_PIXELS}: make a smaller copy` };
  const target = bounds.sizeFor(size);
  if (!staysAsItIs(image, target, bounds)) return fittedImage(image, await encode(sharp, image, target, bounds.bytes));
  await decodes(sharp, image);
  return fittedImage(image, image);
}

function staysAsItIs(image: SeenImage, target: SeenImage['size'], { bytes }: ImageBounds): boolean {
  const { size, turned, frames, plain, data } = image;
  const sameSize = target.width === size.width && target.height === size.height;
  return sameSize && !turned && frames === 1 && plain && data.byteLength <= bytes;
}

function fittedImage(image: SeenImage, { format, data, size }: EncodedImage): FittedImage {
  const scaled = size.width !== image.size.width || size.height !== image.size.height;
  const changes = [
    ...(scaled ? [`scaled down from ${inWords(image.size)}`] : []),
    ...(image.turned ? ['turned upright'] : []),
    ...(image.frames > 1 ? [`the first of ${image.frames} frames`] : []),
    ...(format === 'JPEG' && image.format !== 'JPEG' ? ['compressed as JPEG'] : []),
  ];
  return { data, mediaType: MEDIA_TYPES[format], ...size, changes };
}

function inWords({ width, height }: SeenImage['size']): string {
  return `${width} x ${height}`;
}

function notSendable(format: ImageFormat | undefined, data: Uint8Array): string {
  if (data.byteLength === 0) return 'it is empty';
  if (format === undefined) return 'it is not a PNG, JPEG, GIF or WebP image: check its content';
  const next = format === 'SVG' ? 'read it as text, or convert it to PNG' : 'convert it to PNG';
  return `its format is ${format}, which no provider accepts: ${next}`;
}

function notLoaded(cause: unknown): string {
  return `images cannot be decoded, because the library sharp cannot be loaded (${messageOf(cause)}): install it for this platform`;
}

/**
 * Returns the first line of an error message. The messages of the library have several lines, and the first line
 * describes the problem.
 */
function messageOf(cause: unknown): string {
  const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
  return line;
}
