// Decides about each thinking block that a client sends back (provider-facts §1.3, §1.6, §1.8). Older models strip
// thinking when a new turn starts. A block of another model is dropped. A block of another conversation is refused or
// dropped. An edited block is refused.

import type { Extend, LeftOutBlocks } from './prefix.ts';
import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isThinking, pathOf } from './request.ts';
import { keepsThinking } from './unsimulated.ts';
import type { SentBlock, WireRequest } from './request.ts';
import { objectAt, textOf } from '../core/wire.ts';

/**
 * Entry of `input_transformations`: a thinking block that the service dropped, with the reason. The model does not see
 * this block.
 */
export interface Transformation {
  readonly type: 'thinking_dropped';
  readonly path: string;
  readonly reason: 'organization_binding_mismatch' | 'model_binding_mismatch' | 'prefix_binding_mismatch';
}

/**
 * Result of `judgeThinking`. `stripped` contains the thinking blocks that do not belong to the prefix. Some of them
 * were dropped because their binding does not match: `transformations` lists these. `end` is the place to which the
 * thinking of the answer is bound.
 */
export interface ThinkingVerdict {
  readonly stripped: LeftOutBlocks;
  readonly transformations: readonly Transformation[];
  readonly end: ThinkingPlace;
}

/**
 * Values that `judgeThinking` needs in addition to the request: account, issued signatures, digests, hidden blocks and
 * the hash function.
 */
export interface ThinkingContext {
  readonly account: string;
  readonly signatures: Signatures;
  /** Digest of each block, by `SentBlock.index`. */
  readonly digests: readonly string[];
  readonly hidden: LeftOutBlocks;
  readonly extend: Extend;
}

/**
 * Checks every thinking block of a request, in order. Returns the blocks that are dropped. If the service would refuse
 * a block, returns the refusal of the first such block.
 */
export function judgeThinking(request: WireRequest, context: ThinkingContext): ThinkingVerdict | MessageRefusal {
  const stripped = new Set<number>();
  const transformations: Transformation[] = [];
  const strips = request.capabilities.thinkingStripped === 'at-new-turn' && !keepsThinking(request);
  const turn = strips ? lastNewTurn(request) : 0;
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

/**
 * Returns two values that identify a thinking block: `seal` and its text. `seal` is the signature or the redacted data.
 * The text of a redacted block is empty.
 */
export function sealOf(fields: { readonly [key: string]: unknown }): Sealed {
  if (fields['type'] === 'redacted_thinking') return { seal: textOf(fields['data']), thinking: '' };
  return { seal: textOf(fields['signature']), thinking: textOf(fields['thinking']) };
}

/**
 * Returns the index of the last block that starts a user's turn, or 0 if there is no such block. A tool result does not
 * start a turn (provider-facts §1.3).
 */
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

/**
 * True if two values are equal to those in the binding: the prefix without thinking, and the previous thinking block. A
 * block without a previous thinking block is also accepted, because a client may drop the oldest thinking blocks.
 */
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
 * Place of a thinking block in a conversation. The block is bound to this place, to its model and to its account
 * (provider-facts §1.8). The place has two parts: a hash of all earlier blocks without thinking, and the key of the
 * previous thinking block. The parts are separate, because a client may drop the oldest thinking blocks.
 */
export interface ThinkingPlace {
  readonly prefix: string;
  /** Key of the previous thinking block, or an empty string if there is no previous one. */
  readonly before: string;
}

/** Place, account and model to which a thinking block is bound. */
export interface Binding extends ThinkingPlace {
  readonly key: string;
  readonly account: string;
  readonly model: string;
  /** Thinking text in the answer of the simulator. */
  readonly thinking: string;
}

/** Values that identify a thinking or `redacted_thinking` block from a client. */
export interface Sealed {
  /** Value of `signature`, or value of `data` in a redacted block. */
  readonly seal: string;
  /** Thinking text. Empty for a redacted block. */
  readonly thinking: string;
}

/** Seals that this simulator knows. A seal is a signature, or the data of a redacted block. */
export interface Signatures {
  /** Records a thinking block of an answer as issued. */
  issue(sealed: Sealed, place: ThinkingPlace, account: string, model: string): Binding;
  /**
   * Accepts a seal (a signature or the data of a redacted block) that this simulator did not issue. The seal is bound
   * to the place where it is first seen.
   */
  admit(seal: string): void;
  /**
   * Returns the binding of a thinking block that a client sent back. Returns `unknown` if its signature or redacted
   * data was never issued, or `edited` if its text was changed. If `admit` accepted the signature and this is its first
   * use, the signature is bound to `place`.
   */
  look(sealed: Sealed, place: ThinkingPlace, account: string, model: string): Binding | 'unknown' | 'edited';
}

const MAX_BINDINGS = 200_000;

/**
 * Pattern of a real signature. Some recordings contain the placeholder `[REDACTED_SIGNATURE]` instead. A placeholder is
 * not bound to any place.
 */
const SIGNATURE = /^[A-Za-z0-9+/_=-]+$/;

/**
 * Creates an empty set of seals: signatures and data of redacted blocks. Recordings contain seals of the real service.
 * So with `recorded`, any unknown seal counts as issued at the place where it is first seen. Without `recorded`, an
 * unknown seal is reported as `unknown`.
 */
export function createSignatures(recorded: boolean): Signatures {
  const issued = new Map<string, Binding>();
  const admitted = new Set<string>();
  function bind(key: string, sealed: Sealed, place: ThinkingPlace, account: string, model: string): Binding {
    const binding: Binding = { ...place, key, account, model, thinking: sealed.thinking };
    issued.set(key, binding);
    if (issued.size > MAX_BINDINGS) forgetOldest(issued);
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
