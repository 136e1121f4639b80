// The library that decodes, loaded with the first image and not before: 19 MB that a session without images never reads.
// It is left with the four decoders that are needed: no SVG, no PDF, nothing that would look at other files.

import type Sharp from 'sharp';

/** The library. */
export type ImageLibrary = typeof Sharp;

let loaded: Promise<ImageLibrary> | undefined;

/** Loads it once. @throws whatever keeps it from being loaded: on a platform without a build it is not there. */
export function loadSharp(): Promise<ImageLibrary> {
  return (loaded ??= load());
}

async function load(): Promise<ImageLibrary> {
  const { default: sharp } = await import('sharp');
  // A picture is seen once: its pixels need not be kept.
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
  });
  return sharp;
}
