// Where the breakpoints of a request are, and what is wrong with them (§1.1): at most four, longer lifetimes first, the
// automatic one on the last block that can carry it.

import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isDeferred, isLevel, isThinking, pathOf } from './request.ts';
import type { MarkerTtl, SentBlock, WireRequest } from './request.ts';
import { given, textOf } from '../core/wire.ts';

/** One breakpoint: a write of a cache entry, and the start of one search. */
export interface Breakpoint {
  /** `WireBlock.index`. */
  readonly block: number;
  readonly ttl: MarkerTtl;
}

/** All breakpoints in prefix order, explicit and automatic, or what the service says against them. */
export function placeBreakpoints(request: WireRequest): readonly Breakpoint[] | MessageRefusal {
  const marked = request.blocks.filter((block) => block.marker !== undefined);
  const most = request.capabilities.slots;
  if (marked.length > most) {
    return invalid(`A maximum of ${most} blocks with cache_control may be provided. Found ${marked.length}.`);
  }
  const explicit = marked.flatMap((block) => breakpointOf(block));
  const automatic = placeAutomatic(request, explicit);
  if ('outcome' in automatic) return automatic;
  return checkOrder(request, explicit, automatic.added);
}

function breakpointOf(block: SentBlock): readonly Breakpoint[] {
  return block.marker === undefined ? [] : [{ block: block.index, ttl: block.marker }];
}

interface Automatic {
  readonly added: Breakpoint | undefined;
}

function placeAutomatic(request: WireRequest, explicit: readonly Breakpoint[]): Automatic | MessageRefusal {
  const ttl = request.automatic;
  const target = ttl === undefined ? undefined : request.blocks.findLast((block) => canCarry(block, request));
  if (ttl === undefined || target === undefined) return { added: undefined };
  const most = request.capabilities.slots;
  if (target.marker === ttl) return { added: undefined };
  if (target.marker !== undefined) {
    return invalid(
      `cache_control: automatic caching asks for ttl='${ttl}' on ${pathOf(target)}, which already has a cache_control with ttl='${target.marker}'.`,
    );
  }
  if (explicit.length < most) return { added: { block: target.index, ttl } };
  return invalid(`A maximum of ${most} blocks with cache_control may be provided. Found ${explicit.length + 1}.`);
}

function canCarry(block: SentBlock, request: WireRequest): boolean {
  if (isThinking(block) || isDeferred(block) || isLevel(block)) return false;
  if (block.role === 'system' && given(request.messages[block.message]?.fields['clear_at'])) return false;
  return block.type !== 'text' || textOf(block.fields['text']).trim() !== '';
}

function checkOrder(
  request: WireRequest,
  explicit: readonly Breakpoint[],
  added: Breakpoint | undefined,
): readonly Breakpoint[] | MessageRefusal {
  const all = added === undefined ? explicit : [...explicit, added].toSorted((a, b) => a.block - b.block);
  const short = all.findIndex((breakpoint) => breakpoint.ttl === '5m');
  const late = short === -1 ? undefined : all.slice(short).find((breakpoint) => breakpoint.ttl === '1h');
  if (late === undefined) return all;
  const block = request.blocks[late.block];
  const path = late === added || block === undefined ? '' : `${pathOf(block)}.`;
  return invalid(
    `${path}cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.`,
  );
}
