// What one request reads and writes in this provider's caches (§2.1, §2.2). It decides; the machine remembers, at once what
// was read, and what was written when the answer begins.

import { isHalfWay } from '../format/prompt.ts';
import type { MachineEntry, EntryLifetime } from './machines.ts';
import { gridOf } from './prefix.ts';
import type { PrefixEnd } from './prefix.ts';
import type { OpenAIRequest, PromptBlock, PromptItem } from '../format/prompt.ts';
import { objectAt } from '../../core/wire.ts';

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
const UNCACHED: OpenAIAccount = { read: 0, writtenShort: 0, writtenLong: 0, refreshed: [], written: [] };

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
    refreshed: hit === undefined ? [] : refreshEntries([...cacheable.map(({ at }) => at), hit], hit, hashAt, find),
    written: beyond.map(kept),
  };
}

/** What was read lives on as it was written. So does what stood before it, but nothing new comes to be there for free [I]. */
function refreshEntries(
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

// Places at which GPT-5.6 and later look for entries and write them (§2.2): the ends of eligible messages, and marks.

/** How many of each are looked at or written. */
const WRITES = 4;

const FIRST_MARKS = 2;

const LATEST_MARKS = 50;

const EARLIER_ENDINGS = 20;

/** One entry to be written. */
export interface EntryBoundary {
  /** Index of the block it ends with. */
  readonly at: number;
  readonly ttl: '30m' | '12h';
}

/** What one request writes, ascending, and where it looks, longest first. */
export interface Boundaries {
  readonly writes: readonly EntryBoundary[];
  readonly candidates: readonly number[];
}

/** The boundaries of a request. In explicit mode without a mark there are none: nothing is read, nothing written. */
function boundariesOf(request: OpenAIRequest): Boundaries {
  const options = objectAt(request.fields, 'prompt_cache_options');
  const ttl = options['ttl'] === '12h' ? '12h' : '30m';
  const marks = request.blocks.filter((block) => block.mark !== undefined).map((block) => boundaryOf(block, ttl));
  const looked = [...marks.slice(0, FIRST_MARKS), ...marks.slice(-LATEST_MARKS)].map(({ at }) => at);
  if (options['mode'] === 'explicit') return { writes: marks.slice(-WRITES), candidates: descending(looked) };
  const endings = eligibleEndings(request.items);
  const implicit = endings.at(-1);
  const writes = [...marks.slice(1 - WRITES), ...(implicit === undefined ? [] : [{ at: implicit, ttl } as const])];
  const candidates = [...looked, ...endings.slice(-1 - EARLIER_ENDINGS), ...openingEnd(request.items)];
  return { writes: distinct(writes), candidates: descending(candidates) };
}

function boundaryOf(block: PromptBlock, ttl: EntryBoundary['ttl']): EntryBoundary {
  const own = block.mark;
  return { at: block.index, ttl: own === '30m' || own === '12h' ? own : ttl };
}

/** Ends of the user's messages, of each run of tool responses, and of the developer's opening (§2.2). */
function eligibleEndings(items: readonly PromptItem[]): readonly number[] {
  const ends = items.flatMap((item, i) => {
    const endsRun = item.speaker === 'tool' && items[i + 1]?.speaker !== 'tool';
    return (item.speaker === 'user' || endsRun) && item.last >= 0 ? [item.last] : [];
  });
  return [...openingEnd(items), ...ends];
}

/** The last message of the developer before anyone else speaks. */
function openingEnd(items: readonly PromptItem[]): readonly number[] {
  const first = items.findIndex((item) => item.speaker !== 'developer');
  const last = items[(first === -1 ? items.length : first) - 1]?.last ?? -1;
  return last === -1 ? [] : [last];
}

/** A mark on the implicit boundary is one write; the longer lifetime of the two holds. */
function distinct(writes: readonly EntryBoundary[]): readonly EntryBoundary[] {
  const byPlace = new Map<number, EntryBoundary>();
  for (const write of writes) {
    const known = byPlace.get(write.at);
    byPlace.set(write.at, known?.ttl === '12h' ? known : write);
  }
  return [...byPlace.values()].toSorted((a, b) => a.at - b.at);
}

function descending(places: readonly number[]): readonly number[] {
  return [...new Set(places)].toSorted((a, b) => b - a);
}
