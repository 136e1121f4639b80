// Public exports of `tools/images`, which makes images fit for a model.

export { createImageFitter } from './image-fitter.ts';
export { MAX_PIXELS } from './look-into.ts';
