// Builds the prefix of a request as OpenAI's caches see it. The prefix begins with the settings of provider-facts §2.2.
// After them it has one cumulative hash for each block. Older models write entries at fixed numbers of tokens (a token
// grid). So this file also computes one hash for each point of the grid. A grid point can be inside a block.

import type { RecordedSizes } from '../../core/tokens.ts';
import { digestOf } from '../../core/digests.ts';
import type { OpenAIRequest, PromptBlock } from '../format/prompt.ts';

/** Block of the prefix, with the cumulative hash and tokens at its end. */
export interface PrefixEnd {
  readonly block: PromptBlock;
  /** Hash of the whole prefix up to and including this block. */
  readonly hash: string;
  /** Number of input tokens up to and including this block. */
  readonly tokens: number;
}

/**
 * Point of the token grid: a number of tokens from the start of the prompt, and the cumulative hash of exactly these
 * tokens.
 */
export interface GridPoint {
  readonly hash: string;
  readonly tokens: number;
}

/**
 * Builds the prefix of a request, block by block. `sizes` returns recorded tokens by block index. If a block has no
 * recorded size, its estimate is used.
 */
export function prefixOf(request: OpenAIRequest, sizes: RecordedSizes | undefined): readonly PrefixEnd[] {
  let hash = headOf(request);
  let tokens = 0;
  return request.blocks.map((block) => {
    hash = digestOf(`${hash}|${blockText(block)}`);
    tokens += sizes?.(block.index) ?? block.tokens;
    return { block, hash, tokens };
  });
}

/** Returns the grid points of the prefix, at `first`, `first + step`, ... tokens, in ascending order. */
export function gridOf(
  request: OpenAIRequest,
  prefix: readonly PrefixEnd[],
  grid: { readonly first: number; readonly step: number },
): readonly GridPoint[] {
  const points: GridPoint[] = [];
  let hash = headOf(request);
  let cell = '';
  let next = grid.first;
  let before = 0;
  for (const { block, tokens } of prefix) {
    const own = tokens - before;
    const bytes = Buffer.from(blockText(block)).toString('latin1');
    const length = Buffer.byteLength(block.text);
    let from = 0;
    for (; next <= tokens; next += grid.step) {
      const to = cutAt(bytes, length, next - before, own);
      hash = digestOf(`${hash}|${cell}${bytes.slice(from, to)}`);
      points.push({ hash, tokens: next });
      cell = '';
      from = to;
    }
    cell += bytes.slice(from);
    before = tokens;
  }
  return points;
}

/**
 * Returns the offset in a block's bytes at which the first `tokens` tokens of the block end. If the size of the block
 * is an estimate, a token is four bytes. So two blocks with the same start have the same first grid points. If the size
 * is recorded, every token has the same number of bytes.
 */
function cutAt(bytes: string, length: number, tokens: number, own: number): number {
  const head = bytes.length - length;
  if (tokens >= own) return bytes.length;
  return head + (own === Math.ceil(length / 4) ? tokens * 4 : Math.floor((length * tokens) / own));
}

/** The settings that are part of the cache key come before all blocks (provider-facts §2.2). */
function headOf(request: OpenAIRequest): string {
  return digestOf(`${request.capabilities.model}|${JSON.stringify(request.settings)}`);
}

function blockText(block: PromptBlock): string {
  return `${block.speaker}|${block.kind}|${block.text}`;
}
