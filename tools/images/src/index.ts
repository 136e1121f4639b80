// The face of `tools/images`: images as a model may be sent them.

export { createImageFitter } from './image-fitter.ts';
export { MOST_PIXELS } from './look-into.ts';
