// Loads the image library when the first image arrives. The library has 19 MB, so a session without images does not
// load it. Only the four needed decoders are allowed, and all others are blocked. SVG and PDF are not decoded, and no
// decoder can read other files.

import type Sharp from 'sharp';

/** The image library, sharp. */
export type ImageLibrary = typeof Sharp;

let loaded: Promise<ImageLibrary> | undefined;

/**
 * Loads the library. Later calls return the same library.
 *
 * @throws any error of loading it. On a platform without a build, the library is missing.
 */
export function loadSharp(): Promise<ImageLibrary> {
  return (loaded ??= load());
}

async function load(): Promise<ImageLibrary> {
  const { default: sharp } = await import('sharp');
  // Each picture is decoded only one time, so its pixels need no cache.
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
  });
  return sharp;
}
