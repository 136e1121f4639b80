// Rules for requests, in the order in which they are checked. The first refusal is returned.

import { checkExtraFields } from './extra-fields.ts';
import { checkBetas, checkSettings } from './settings.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { WireRequest, RequestRule } from './request.ts';
import { checkChanges, checkTools } from './tools.ts';
import { checkContent, checkImages } from './content.ts';
import { checkLoopThinking, checkTurns } from './turns.ts';
import { checkOutput } from './output.ts';
import { checkPairs } from './pairs.ts';
import { checkUnsimulated } from './unsimulated.ts';
import { firstRefusal } from '../core/refusal.ts';

const RULES: readonly RequestRule[] = [
  checkBetas,
  checkUnsimulated,
  checkSettings,
  checkOutput,
  checkTools,
  checkContent,
  checkExtraFields,
  checkImages,
  checkChanges,
  checkPairs,
  checkLoopThinking,
  checkTurns,
];

/**
 * Applies the rules in order. Returns the refusal of the first rule that refuses the request, or `undefined`. `judge`
 * checks the markers and the signatures of thinking. `outputRoom` checks the number of input tokens.
 */
export function checkRules(request: WireRequest): MessageRefusal | undefined {
  return firstRefusal(RULES, (rule) => rule(request));
}
