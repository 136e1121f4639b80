// The operating guide of contract `tm1`: what fills a front up to a model's floor where that pays. Guidance that is true in
// any project, in sections that stand alone, most useful first; a section goes out whole or not at all. A test pins them.

import { CARE } from './guide-care.ts';
import { CRAFT } from './guide-craft.ts';
import { DESIGN } from './guide-design.ts';

/** One section of the guide. */
export interface GuideSection {
  readonly heading: string;
  /** Lines, each ended. */
  readonly text: string;
}

/** All sections, in the order in which they are taken. */
export const GUIDE: readonly GuideSection[] = [...CRAFT, ...CARE, ...DESIGN];
