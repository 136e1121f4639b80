// What one request reads and writes in this provider's caches (§2.1, §2.2). It decides; the machine remembers, at once what
// was read, and what was written when the answer begins.

import { boundariesOf } from './boundaries.ts';
import type { EntryBoundary } from './boundaries.ts';
import { isHalfWay } from '../format/cache-rules.ts';
import type { MachineEntry, EntryLifetime } from './entries.ts';
import { gridOf } from './prefix.ts';
import type { PrefixEnd } from './prefix.ts';
import type { OpenAIRequest } from '../format/prompt.ts';

/** The input of one request in disjoint parts, and what happens to the entries. */
export interface OpenAIAccount {
  readonly read: number;
  readonly writtenShort: number;
  readonly writtenLong: number;
  /** Alive anew from the start of this request. */
  readonly refreshed: readonly KeptEntry[];
  /** Readable once the answer begins. */
  readonly written: readonly KeptEntry[];
}

/** An entry to be kept. */
export interface KeptEntry {
  readonly hash: string;
  readonly lifetime: EntryLifetime;
}

/** Finds the live, readable entry under a hash. */
export type Find = (hash: string) => MachineEntry | undefined;

/** Nothing read, nothing written. */
export const UNCACHED: OpenAIAccount = { read: 0, writtenShort: 0, writtenLong: 0, refreshed: [], written: [] };

/** Tokens that the model is visibly shown, below which nothing is cached (§2.1). */
const USUAL_FLOOR = 1024;

/** Accounts one request by the rules of its model. Pure: nothing is remembered. */
export function accountPrompt(request: OpenAIRequest, prefix: readonly PrefixEnd[], find: Find): OpenAIAccount {
  const { rules } = request;
  if (rules.kind === 'boundaries') return accountBoundaries(request, prefix, find);
  return rules.kind === 'grid' ? accountGrid(request, prefix, rules, find) : UNCACHED;
}

function accountBoundaries(request: OpenAIRequest, prefix: readonly PrefixEnd[], find: Find): OpenAIAccount {
  const floor = request.capabilities.floor ?? USUAL_FLOOR;
  const { writes, candidates } = boundariesOf(request);
  const tokensAt = (at: number): number => prefix[at]?.tokens ?? 0;
  const hashAt = (at: number): string => prefix[at]?.hash ?? '';
  const hit = candidates.find((at) => find(hashAt(at)) !== undefined);
  const read = hit === undefined ? 0 : tokensAt(hit);
  const cacheable = writes.filter(({ at }) => tokensAt(at) >= floor);
  const beyond = cacheable.filter(({ at }) => at > (hit ?? -1));
  const last = beyond.at(-1);
  const long = beyond.findLast(({ ttl }) => ttl === '12h');
  const longEnd = long === undefined ? read : tokensAt(long.at);
  const kept = ({ at, ttl }: EntryBoundary): KeptEntry => ({ hash: hashAt(at), lifetime: ttl });
  return {
    read,
    writtenLong: longEnd - read,
    writtenShort: last === undefined ? 0 : tokensAt(last.at) - longEnd,
    refreshed: hit === undefined ? [] : refreshed([...cacheable.map(({ at }) => at), hit], hit, hashAt, find),
    written: beyond.map(kept),
  };
}

/** What was read lives on as it was written. So does what stood before it, but nothing new comes to be there for free [I]. */
function refreshed(
  places: readonly number[],
  hit: number,
  hashAt: (at: number) => string,
  find: Find,
): readonly KeptEntry[] {
  return places.flatMap((at) => {
    const entry = at <= hit ? find(hashAt(at)) : undefined;
    return entry === undefined ? [] : [{ hash: hashAt(at), lifetime: entry.lifetime }];
  });
}

/** Every point of the grid is an entry, and writing is free. */
function accountGrid(
  request: OpenAIRequest,
  prefix: readonly PrefixEnd[],
  grid: { readonly first: number; readonly step: number },
  find: Find,
): OpenAIAccount {
  const points = gridOf(request, prefix, grid);
  const hit = points.findLastIndex((point) => find(point.hash) !== undefined);
  const lifetime = retentionOf(request);
  const kept = points.map(({ hash }) => ({ hash, lifetime }));
  return {
    ...UNCACHED,
    read: points[hit]?.tokens ?? 0,
    refreshed: kept.slice(0, hit + 1),
    written: kept.slice(hit + 1),
  };
}

/** `24h` unless the request asks for memory alone: organisations here are without ZDR (§2.1). */
function retentionOf({ fields, capabilities }: OpenAIRequest): EntryLifetime {
  if (fields['prompt_cache_retention'] === 'in_memory') return 'in_memory';
  return isHalfWay(capabilities.model) ? '24h-typical' : '24h';
}
