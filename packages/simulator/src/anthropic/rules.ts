// All rules in the order in which they are asked. The first refusal is the answer.

import type { MessageRefusal } from '../core/refusal.ts';
import type { WireRequest } from './request.ts';
import { checkChanges } from './changes.ts';
import { checkContent } from './content.ts';
import { checkImages } from './images.ts';
import { checkLoopThinking } from './loop-thinking.ts';
import { checkOutput } from './output.ts';
import { checkPairs } from './pairs.ts';
import { firstRefusal } from './rule.ts';
import type { RequestRule } from './rule.ts';
import { checkTools } from './tools.ts';
import { checkTurns } from './turns.ts';

const RULES: readonly RequestRule[] = [
  checkOutput,
  checkTools,
  checkContent,
  checkImages,
  checkChanges,
  checkPairs,
  checkLoopThinking,
  checkTurns,
];

/** The first thing the service would refuse in a request, apart from markers, thinking and size. */
export function checkRules(request: WireRequest): MessageRefusal | undefined {
  return firstRefusal(RULES, (rule) => rule(request));
}
