// The prefix of a request as this provider's caches see it: the settings of §2.2 first, then one cumulative hash per
// block; and for the older generation one per cell of its grid, wherever that falls inside a block.

import type { RecordedSizes } from '../../core/tokens.ts';
import { digestOf } from '../../core/digests.ts';
import type { OpenAIRequest, PromptBlock } from '../format/prompt.ts';

/** One block of the prefix. */
export interface PrefixEnd {
  readonly block: PromptBlock;
  /** Over everything up to and including this block. */
  readonly hash: string;
  /** Tokens of everything up to and including this block. */
  readonly tokens: number;
}

/** One point of the grid: so many tokens, and the hash of exactly these. */
export interface GridPoint {
  readonly hash: string;
  readonly tokens: number;
}

/** Builds the prefix, block by block. `sizes` are recorded tokens by running number. */
export function prefixOf(request: OpenAIRequest, sizes: RecordedSizes | undefined): readonly PrefixEnd[] {
  let hash = headOf(request);
  let tokens = 0;
  return request.blocks.map((block) => {
    hash = digestOf(`${hash}|${blockText(block)}`);
    tokens += sizes?.(block.index) ?? block.tokens;
    return { block, hash, tokens };
  });
}

/** Cuts the prefix into a grid: points of `first`, `first + step`, ... tokens, ascending. */
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
    let from = 0;
    for (; next <= tokens; next += grid.step) {
      const to = cutAt(bytes, Buffer.byteLength(block.text), next - before, own);
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
 * Where so many of a block's tokens end in its bytes: four bytes each by the own rule, so that two blocks that begin alike
 * share the points of their beginning; by proportion where the size is a recorded one.
 */
function cutAt(bytes: string, length: number, tokens: number, own: number): number {
  const head = bytes.length - length;
  if (tokens >= own) return bytes.length;
  return head + (own === Math.ceil(length / 4) ? tokens * 4 : Math.floor((length * tokens) / own));
}

/** Settings that enter the cache key stand in front of everything (§2.2). */
function headOf(request: OpenAIRequest): string {
  return digestOf(`${request.capabilities.model}|${JSON.stringify(request.settings)}`);
}

function blockText(block: PromptBlock): string {
  return `${block.speaker}|${block.kind}|${block.text}`;
}
