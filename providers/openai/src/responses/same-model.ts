// Which reasoning belongs to the model that is asked.

import type { Lowering, BoundReasoningPart } from '@tidemark/model';
import { OPENAI } from '../service.ts';

/** Whether reasoning came from this provider and model, by any of the model's names. */
export function isOwnReasoning(part: BoundReasoningPart, lowering: Lowering): boolean {
  if (part.provider !== OPENAI.name) return false;
  if (part.model === lowering.model) return true;
  const names = [lowering.capabilities.model, ...lowering.capabilities.aliases];
  return names.includes(part.model) && names.includes(lowering.model);
}
