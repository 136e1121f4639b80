// Reasoning that a provider binds to the prefix it was issued in: where that prefix was edited since, it is left out, or
// the whole request would be refused (Anthropic's prefix check on preserved thinking).

import type { Capabilities, Span } from '@tidemark/model';
import type { Epoch } from '../state/state.ts';

/**
 * The span as the epoch may send it: on a model with the prefix check, without reasoning from before the last edit, and
 * without what stands behind something that is left out of its own answer.
 */
export function withoutBoundReasoning(span: Span, epoch: Epoch, capabilities: Capabilities): Span {
  if (!capabilities.prefixCheck || span.role !== 'assistant') return span;
  const edited = span.group <= epoch.edited;
  return {
    ...span,
    parts: span.parts.filter((part) => part.type !== 'reasoning' || !(edited || part.displaced === true)),
  };
}
