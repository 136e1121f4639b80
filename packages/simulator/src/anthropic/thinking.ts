// What happens to thinking that comes back (§1.3, §1.6, §1.8): stripped at a new turn on older models, dropped when it is
// another model's, refused or dropped when it is bound to another conversation, refused when it was edited.

import type { Extend } from './prefix.ts';
import type { LeftOutBlocks } from './prefix.ts';
import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isThinking, pathOf } from './request.ts';
import type { SentBlock, WireRequest } from './request.ts';
import type { Binding, Sealed, Signatures, ThinkingPlace } from './signatures.ts';
import { objectAt, textOf } from '../core/wire.ts';

/** One entry of `input_transformations`: a block that the model is not shown. */
export interface Transformation {
  readonly type: 'thinking_dropped';
  readonly path: string;
  readonly reason: 'organization_binding_mismatch' | 'model_binding_mismatch' | 'prefix_binding_mismatch';
}

/** What to leave out of the prefix, and where an answer's thinking will be bound. */
export interface ThinkingVerdict {
  readonly stripped: LeftOutBlocks;
  readonly transformations: readonly Transformation[];
  readonly end: ThinkingPlace;
}

/** What judging needs beside the request. */
export interface ThinkingContext {
  readonly account: string;
  readonly signatures: Signatures;
  /** By `WireBlock.index`. */
  readonly digests: readonly string[];
  readonly hidden: LeftOutBlocks;
  readonly extend: Extend;
}

/** Judges every thinking block of a request, in order. */
export function judgeThinking(request: WireRequest, context: ThinkingContext): ThinkingVerdict | MessageRefusal {
  const stripped = new Set<number>();
  const transformations: Transformation[] = [];
  const turn = request.capabilities.thinkingStripped === 'at-new-turn' ? lastNewTurn(request) : 0;
  let place: ThinkingPlace = { prefix: '', before: '' };
  for (const block of request.blocks) {
    if (context.hidden.has(block.index)) continue;
    if (!isThinking(block)) {
      place = { ...place, prefix: context.extend(place.prefix, block, context.digests[block.index] ?? '') };
    } else if (block.index < turn) {
      stripped.add(block.index);
    } else {
      const verdict = judgeBlock(request, context, block, place);
      if ('outcome' in verdict) return verdict;
      if ('reason' in verdict) transformations.push(verdict);
      if ('reason' in verdict) stripped.add(block.index);
      else place = { ...place, before: verdict.key };
    }
  }
  return { stripped, transformations, end: place };
}

/** What a thinking block is recognised by. */
export function sealOf(fields: { readonly [key: string]: unknown }): Sealed {
  if (fields['type'] === 'redacted_thinking') return { seal: textOf(fields['data']), thinking: '' };
  return { seal: textOf(fields['signature']), thinking: textOf(fields['thinking']) };
}

/** Index of the last block with which a user opened a turn: no tool result (§1.3). */
function lastNewTurn(request: WireRequest): number {
  const opening = request.blocks.findLast((block) => block.role === 'user' && block.type !== 'tool_result');
  return opening?.index ?? 0;
}

function judgeBlock(
  request: WireRequest,
  context: ThinkingContext,
  block: SentBlock,
  place: ThinkingPlace,
): Binding | Transformation | MessageRefusal {
  const { model, prefixCheck } = request.capabilities;
  const binding = context.signatures.look(sealOf(block.fields), place, context.account, model);
  if (binding === 'edited') return edited(request, block);
  if (binding === 'unknown') return notIssued(block);
  if (prefixCheck && binding.account !== context.account) return dropped(block, 'organization_binding_mismatch');
  if (binding.model !== model) return dropped(block, 'model_binding_mismatch');
  if (!prefixCheck || inPlace(binding, place)) return binding;
  return dropsMismatch(request) ? dropped(block, 'prefix_binding_mismatch') : otherConversation(block);
}

/** The same prefix without thinking, and the same thinking before it or none: what was dropped was the front. */
function inPlace(binding: Binding, place: ThinkingPlace): boolean {
  return binding.prefix === place.prefix && (place.before === '' || place.before === binding.before);
}

function dropsMismatch(request: WireRequest): boolean {
  const binding = objectAt(objectAt(request.fields, 'thinking'), 'block_binding');
  return binding['prefix_mismatch_behavior'] === 'drop_block';
}

function dropped(block: SentBlock, reason: Transformation['reason']): Transformation {
  return { type: 'thinking_dropped', path: pathOf(block), reason };
}

function seal(block: SentBlock): string {
  return block.type === 'thinking'
    ? 'Invalid `signature` in `thinking` block'
    : 'Invalid `data` in `redacted_thinking` block';
}

function notIssued(block: SentBlock): MessageRefusal {
  return invalid(`${pathOf(block)}: ${seal(block)}`);
}

function otherConversation(block: SentBlock): MessageRefusal {
  return invalid(
    `${pathOf(block)}: ${seal(block)}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
  );
}

function edited(request: WireRequest, block: SentBlock): MessageRefusal {
  const latest = request.messages.findLastIndex((message) => message.role === 'assistant');
  if (block.message !== latest) return notIssued(block);
  return invalid(
    `${pathOf(block)}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}
