// Applies the breakpoint rules to a request, decides which thinking blocks are dropped, and builds the prefix for the
// search in the cache. Also binds the thinking of the answer to its place in the conversation.

import type { RecordedSizes } from '../core/tokens.ts';
import { levelParameters, buildPrefix, createExtend, hiddenBlocks, extend } from './prefix.ts';
import type { LevelParameters, Extend, LeftOutBlocks, PrefixBlock } from './prefix.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { digestBlock } from './blocks.ts';
import { createDigests } from '../core/digests.ts';
import type { Digests } from '../core/digests.ts';
import type { WireRequest, SentBlock } from './request.ts';
import type { Signatures, ThinkingVerdict } from './thinking.ts';
import { judgeThinking, sealOf } from './thinking.ts';
import { placeBreakpoints } from './markers.ts';
import type { Breakpoint } from './markers.ts';
import { contentOf } from '../core/answer.ts';
import type { AnswerBlock } from '../core/answer.ts';
import { isThinking } from './request.ts';

/**
 * Request with its breakpoints, its dropped thinking, its digests and its prefix. These values do not depend on the
 * state of the cache.
 */
export interface JudgedRequest {
  readonly request: WireRequest;
  readonly account: string;
  readonly breakpoints: readonly Breakpoint[];
  readonly thinking: ThinkingVerdict;
  /** Digest of each block, by `SentBlock.index`. */
  readonly digests: readonly string[];
  readonly leftOut: LeftOutBlocks;
  readonly parameters: LevelParameters;
  readonly prefix: readonly PrefixBlock[];
  /** Input tokens in total. */
  readonly tokens: number;
}

/**
 * Account that sends the request, and the state that `judge` needs: issued signatures, recorded sizes and digests of
 * the last request.
 */
export interface JudgeContext {
  readonly account: string;
  readonly signatures: Signatures;
  readonly sizes: RecordedSizes | undefined;
  readonly digests: DigestMemory;
}

/**
 * Digests of the last request. With them, unchanged blocks are not hashed again. `blocks` contains the digest of each
 * block. `prefix` contains the cumulative hashes with thinking, and `thinking` the cumulative hashes without thinking.
 */
export interface DigestMemory {
  readonly blocks: Digests;
  readonly prefix: Extend;
  readonly thinking: Extend;
}

/** Creates a digest memory that holds no request yet. */
export function createDigestMemory(): DigestMemory {
  return { blocks: createDigests(), prefix: createExtend(), thinking: createExtend() };
}

/**
 * Judges a request that `checkRules` accepted. Returns a refusal if its breakpoints or its thinking blocks are wrong.
 * The digest of each block is computed only once.
 */
export function judge(request: WireRequest, context: JudgeContext): JudgedRequest | MessageRefusal {
  const breakpoints = placeBreakpoints(request);
  if ('outcome' in breakpoints) return breakpoints;
  const digests = request.blocks.map((block) => digestBlock(block, context.digests.blocks));
  const hidden = hiddenBlocks(request);
  const thinking = judgeThinking(request, { ...context, digests, hidden, extend: context.digests.thinking });
  if ('outcome' in thinking) return thinking;
  const leftOut = new Set([...hidden, ...thinking.stripped]);
  const parameters = levelParameters(request);
  const prefix = buildPrefix(request, {
    digests,
    parameters,
    leftOut,
    sizes: context.sizes,
    extend: context.digests.prefix,
  });
  const tokens = prefix.at(-1)?.tokens ?? 0;
  const { account } = context;
  return { request, account, breakpoints, thinking, digests, leftOut, parameters, prefix, tokens };
}

/**
 * Stores the thinking blocks of an answer as issued blocks. Each thinking block is bound to everything before it in the
 * conversation (provider-facts §1.8).
 */
export function issueThinking(signatures: Signatures, judged: JudgedRequest, blocks: readonly AnswerBlock[]): void {
  let place = judged.thinking.end;
  for (const answered of blocks) {
    const block = asSentBack(answered);
    if (isThinking(block)) {
      const sealed = sealOf(block.fields);
      const { key } = signatures.issue(sealed, place, judged.account, judged.request.capabilities.model);
      place = { ...place, before: key };
    } else {
      place = { ...place, prefix: extend(place.prefix, block, digestBlock(block)) };
    }
  }
}

/**
 * Converts a block of an answer to the form in which a client sends it back. `index`, `message` and `content` are
 * placeholders, because the binding of thinking does not depend on them.
 */
function asSentBack(block: AnswerBlock): SentBlock {
  const fields = contentOf(block);
  return {
    index: -1,
    level: 'messages',
    role: 'assistant',
    message: -1,
    content: -1,
    type: block.type,
    fields,
    marker: undefined,
  };
}
