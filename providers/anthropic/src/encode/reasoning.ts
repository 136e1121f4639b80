// Reasoning and native items: passed on verbatim where the model will accept them, else left out or told as text.

import type { Lowering, NativePart, BoundReasoningPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { MessagePiece } from './piece.ts';
import { markablePiece, verbatimPiece } from './piece.ts';
import { isJsonObject, parseObject } from '@tidemark/core';
import { ANTHROPIC } from '../service.ts';
import { textHead } from './wire-text.ts';

/**
 * The thinking block as it was received. None when it is of another provider or model (its signature would be a 400), or
 * when it has no signature.
 */
export function reasoningPiece(part: BoundReasoningPart, lowering: Lowering): MessagePiece | undefined {
  if (part.opaque === undefined || part.provider !== ANTHROPIC.name || !isSameModel(part.model, lowering))
    return undefined;
  if (!isSigned(part.opaque)) return undefined;
  return verbatimPiece(part.opaque, 'thinking', lowering.estimate(part.text === '' ? part.opaque : part.text));
}

/** The item as it was received, or its plain twin where it is bound to another provider. */
export function nativePiece(part: NativePart, lowering: Lowering): MessagePiece | undefined {
  if (part.provider === ANTHROPIC.name && isJsonObject(part.item)) {
    return verbatimPiece(part.item, 'native', lowering.estimate(part.item));
  }
  return isBlank(part.text) ? undefined : markablePiece(textHead(part.text), 'text', lowering.estimate(part.text));
}

function isSameModel(model: string, lowering: Lowering): boolean {
  if (model === lowering.model) return true;
  const names = [lowering.capabilities.model, ...lowering.capabilities.aliases];
  return names.includes(model) && names.includes(lowering.model);
}

function isSigned(opaque: string): boolean {
  const item = parseObject(opaque);
  const seal =
    item?.['type'] === 'thinking' ? item['signature'] : item?.['type'] === 'redacted_thinking' ? item['data'] : '';
  return typeof seal === 'string' && seal !== '';
}
