// Operating guide of contract `tm1`. It fills a front up to a model's floor if that reduces the cost. Its guidance is
// true in any project. Each section can be read alone. A section is used whole or not at all. The most useful sections
// come first. A test pins the sections.

import { CARE } from './guide-care.ts';
import { CRAFT } from './guide-craft.ts';
import { DESIGN } from './guide-design.ts';

export interface GuideSection {
  readonly heading: string;
  /** Lines of the section. Each line ends with a newline. */
  readonly text: string;
}

/** All sections, in the order in which padding uses them. */
export const GUIDE: readonly GuideSection[] = [...CRAFT, ...CARE, ...DESIGN];
