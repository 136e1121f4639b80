// Finds the breakpoints of a request and checks them (provider-facts §1.1). A request may have at most four
// breakpoints, and no `1h` breakpoint after a `5m` breakpoint. A top-level `cache_control` adds an automatic
// breakpoint. This breakpoint is on the last block that can have a marker.

import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isDeferred, isLevel, isThinking, pathOf } from './request.ts';
import type { MarkerTtl, SentBlock, WireRequest } from './request.ts';
import { isPresent, textOf, isList, isObject } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

/**
 * Place of a marker in a request. At this place the service writes a cache entry, and starts a search for an earlier
 * entry.
 */
export interface Breakpoint {
  /** Index of the marked block (`SentBlock.index`). */
  readonly block: number;
  readonly ttl: MarkerTtl;
}

/**
 * Returns all breakpoints, explicit and automatic, in prefix order. If a breakpoint is not allowed, returns the refusal
 * of the real service.
 */
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
  if (block.role === 'system' && isPresent(request.messages[block.message]?.fields['clear_at'])) return false;
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

/**
 * Reads a `cache_control` field. The only valid `type` is `ephemeral`, and the valid lifetimes are `5m` (the default)
 * and `1h` (provider-facts §1.1). Returns the lifetime, `undefined` if there is no field, or a refusal. `path` names
 * the object that contains the field.
 */
export function readMarker(fields: WireObject, path: string): MarkerTtl | undefined | MessageRefusal {
  const control = fields['cache_control'];
  if (!isPresent(control)) return undefined;
  const at = path === '' ? 'cache_control' : `${path}.cache_control`;
  if (!isObject(control)) return invalid(`${at}: Input should be a valid dictionary`);
  if (control['type'] !== 'ephemeral') return invalid(`${at}.type: Input should be 'ephemeral'`);
  const extra = Object.keys(control).find((key) => key !== 'type' && key !== 'ttl');
  if (extra !== undefined) return invalid(`${at}.${extra}: Extra inputs are not permitted`);
  const ttl = control['ttl'];
  if (!isPresent(ttl) || ttl === '5m') return '5m';
  return ttl === '1h' ? '1h' : invalid(`${at}.ttl: Input should be '5m' or '1h'`);
}

/**
 * Returns the marker of a block, or the marker of a part inside its `content`. A marker inside a `tool_result` counts
 * as a marker on the whole block.
 */
export function readBlockMarker(fields: WireObject, path: string): MarkerTtl | undefined | MessageRefusal {
  const own = readMarker(fields, path);
  if (own !== undefined || !isList(fields['content'])) return own;
  for (const [i, part] of fields['content'].entries()) {
    const nested = isObject(part) ? readMarker(part, `${path}.content.${i}`) : undefined;
    if (nested !== undefined) return nested;
  }
  return undefined;
}
