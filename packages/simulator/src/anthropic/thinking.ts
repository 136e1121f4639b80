// What happens to thinking that comes back (§1.3, §1.6, §1.8): stripped at a new turn on older models, dropped when it is
// another model's, refused or dropped when it is bound to another conversation, refused when it was edited.

import type { Extend, LeftOutBlocks } from './prefix.ts';
import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isThinking, pathOf } from './request.ts';
import type { SentBlock, WireRequest } from './request.ts';
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
  if (binding === 'edited') return refuseEdit(request, block);
  if (binding === 'unknown') return notIssued(block);
  if (prefixCheck && binding.account !== context.account) return dropThinking(block, 'organization_binding_mismatch');
  if (binding.model !== model) return dropThinking(block, 'model_binding_mismatch');
  if (!prefixCheck || inPlace(binding, place)) return binding;
  return dropsMismatch(request) ? dropThinking(block, 'prefix_binding_mismatch') : otherConversation(block);
}

/** The same prefix without thinking, and the same thinking before it or none: what was dropped was the front. */
function inPlace(binding: Binding, place: ThinkingPlace): boolean {
  return binding.prefix === place.prefix && (place.before === '' || place.before === binding.before);
}

function dropsMismatch(request: WireRequest): boolean {
  const binding = objectAt(objectAt(request.fields, 'thinking'), 'block_binding');
  return binding['prefix_mismatch_behavior'] === 'drop_block';
}

function dropThinking(block: SentBlock, reason: Transformation['reason']): Transformation {
  return { type: 'thinking_dropped', path: pathOf(block), reason };
}

function sealProblem(block: SentBlock): string {
  return block.type === 'thinking'
    ? 'Invalid `signature` in `thinking` block'
    : 'Invalid `data` in `redacted_thinking` block';
}

function notIssued(block: SentBlock): MessageRefusal {
  return invalid(`${pathOf(block)}: ${sealProblem(block)}`);
}

function otherConversation(block: SentBlock): MessageRefusal {
  return invalid(
    `${pathOf(block)}: ${sealProblem(block)}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
  );
}

function refuseEdit(request: WireRequest, block: SentBlock): MessageRefusal {
  const latest = request.messages.findLastIndex((message) => message.role === 'assistant');
  if (block.message !== latest) return notIssued(block);
  return invalid(
    `${pathOf(block)}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}

/**
 * The place of a thinking block, to which it is bound with its model and its account (§1.8): everything before it without thinking, and
 * the thinking block before it. So dropping blocks from the front is valid.
 */
export interface ThinkingPlace {
  readonly prefix: string;
  /** Key of the thinking block before it; empty for the first. */
  readonly before: string;
}

/** What a thinking block is bound to. */
export interface Binding extends ThinkingPlace {
  readonly key: string;
  readonly account: string;
  readonly model: string;
  /** The text as it was issued. */
  readonly thinking: string;
}

/** A thinking or redacted_thinking block as it came back. */
export interface Sealed {
  /** `signature`, or `data` of a redacted block. */
  readonly seal: string;
  /** Empty for a redacted block. */
  readonly thinking: string;
}

/** Every seal known to this simulator. */
export interface Signatures {
  /** Remembers what an answer issued. */
  issue(sealed: Sealed, place: ThinkingPlace, account: string, model: string): Binding;
  /** Accepts a seal from elsewhere: it is bound where it is first seen. */
  admit(seal: string): void;
  /**
   * The binding of a block that came back: `unknown` when it was never issued, `edited` when its text is another. A seal
   * that was admitted and not yet seen is bound to this place.
   */
  look(sealed: Sealed, place: ThinkingPlace, account: string, model: string): Binding | 'unknown' | 'edited';
}

const MOST_BINDINGS = 200_000;

/** What a real seal looks like. A recording may hold something else in its place (`[REDACTED_SIGNATURE]`), which binds nothing. */
const SIGNATURE = /^[A-Za-z0-9+/_=-]+$/;

/** No seals. With `recorded`, any seal is taken as issued where it is first seen: recordings bring theirs. */
export function createSignatures(recorded: boolean): Signatures {
  const issued = new Map<string, Binding>();
  const admitted = new Set<string>();
  function bind(key: string, sealed: Sealed, place: ThinkingPlace, account: string, model: string): Binding {
    const binding: Binding = { ...place, key, account, model, thinking: sealed.thinking };
    issued.set(key, binding);
    if (issued.size > MOST_BINDINGS) forgetOldest(issued);
    return binding;
  }
  return {
    issue: (sealed, place, account, model) => bind(sealed.seal, sealed, place, account, model),
    admit(seal) {
      admitted.add(seal);
    },
    look(sealed, place, account, model) {
      const known = issued.get(sealed.seal);
      if (known !== undefined) return known.thinking === sealed.thinking ? known : 'edited';
      if (admitted.delete(sealed.seal)) return bind(sealed.seal, sealed, place, account, model);
      if (!recorded) return 'unknown';
      if (!SIGNATURE.test(sealed.seal))
        return { ...place, key: sealed.seal, account, model, thinking: sealed.thinking };
      const key = `${sealed.seal}\n${sealed.thinking}`;
      return issued.get(key) ?? bind(key, sealed, place, account, model);
    },
  };
}

function forgetOldest(issued: Map<string, Binding>): void {
  for (const key of issued.keys()) {
    issued.delete(key);
    return;
  }
}
