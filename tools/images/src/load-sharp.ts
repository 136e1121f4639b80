// Loads the image library with the first image. The library has 19 MB, which a session without images never loads. All
// decoders are blocked except the four that are needed. SVG and PDF are not decoded, and no decoder can read other
// files.

import type Sharp from 'sharp';

/** The image library, sharp. */
export type ImageLibrary = typeof Sharp;

let loaded: Promise<ImageLibrary> | undefined;

/**
 * Loads the library once.
 *
 * @throws any error of loading it. The library is missing on a platform without a build.
 */
export function loadSharp(): Promise<ImageLibrary> {
  return (loaded ??= load());
}

async function load(): Promise<ImageLibrary> {
  const { default: sharp } = await import('sharp');
  // Each picture is decoded only once, so its pixels need no cache.
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
  });
  return sharp;
}
