// What a part of the history weighs before anybody counted it.

import type { Part } from '@tidemark/model';
import { estimateImageTokens, estimateTokens } from './estimate.ts';

/** Estimated tokens of a part, before any ratio. */
export function partTokens(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'native':
      return estimateTokens(part.text);
    case 'call':
      return estimateTokens(part.name) + estimateTokens(part.arguments);
    case 'result':
      return part.content.reduce((sum, one) => sum + partTokens(one), 0);
    case 'image':
      return estimateImageTokens(part.width, part.height, part.bytes);
    case 'change':
      // The epoch takes it into its front.
      return 0;
  }
}
