// Public exports of `tools/images`, which makes images fit for a model.

export { createImageFitter } from './image-fitter.ts';
export { MOST_PIXELS } from './look-into.ts';
