// Computes the tokens that one request reads from OpenAI's caches and writes to them (provider-facts §2.1, §2.2). The
// machine that serves the request stores refreshed entries immediately. It stores written entries when the answer
// begins.

import { isHalfWay } from '../format/prompt.ts';
import type { MachineEntry, EntryLifetime } from './machines.ts';
import { gridOf } from './prefix.ts';
import type { PrefixEnd } from './prefix.ts';
import type { OpenAIRequest, PromptBlock, PromptItem } from '../format/prompt.ts';
import { objectAt } from '../../core/wire.ts';

/**
 * Input tokens of one request in groups that do not overlap: read, written with the short lifetime, and written with
 * the long lifetime. Also contains the entries to store.
 */
export interface OpenAIAccount {
  readonly read: number;
  readonly writtenShort: number;
  readonly writtenLong: number;
  /**
   * Entries that the request read, and entries before the hit. Their idle time starts again when this request starts.
   */
  readonly refreshed: readonly KeptEntry[];
  /** New entries. They become readable when the answer to this request begins. */
  readonly written: readonly KeptEntry[];
}

/** Entry to store, with its lifetime. */
export interface KeptEntry {
  readonly hash: string;
  readonly lifetime: EntryLifetime;
}

/**
 * Function that returns the entry with a hash. Returns `undefined` if the entry does not exist, is not readable yet or
 * is expired.
 */
export type Find = (hash: string) => MachineEntry | undefined;

const UNCACHED: OpenAIAccount = { read: 0, writtenShort: 0, writtenLong: 0, refreshed: [], written: [] };

/**
 * Minimum number of prompt tokens for a cache entry, if the catalog row has no floor (provider-facts §2.1). Hidden
 * tokens of the provider are not counted.
 */
const USUAL_FLOOR = 1024;

/**
 * Computes the cached tokens of one request and the entries to store. It uses the cache rules of the request's model.
 * This function is pure: it changes no entry.
 */
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
  const entryAt = ({ at, ttl }: EntryBoundary): KeptEntry => ({ hash: hashAt(at), lifetime: ttl });
  return {
    read,
    writtenLong: longEnd - read,
    writtenShort: last === undefined ? 0 : tokensAt(last.at) - longEnd,
    refreshed: hit === undefined ? [] : refreshEntries([...cacheable.map(({ at }) => at), hit], hit, hashAt, find),
    written: beyond.map(entryAt),
  };
}

/**
 * Returns the entries whose idle time the hit restarts: the entry that was read, and known entries before it. Each
 * entry keeps its own lifetime. No new entry is created before the hit, unlike in Anthropic's cache (inferred, [I]).
 */
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

/** Handles a model that writes entries at fixed numbers of tokens (a grid). Writes are free on these models. */
function accountGrid(
  request: OpenAIRequest,
  prefix: readonly PrefixEnd[],
  grid: { readonly first: number; readonly step: number },
  find: Find,
): OpenAIAccount {
  const points = gridOf(request, prefix, grid);
  const hit = points.findLastIndex((point) => find(point.hash) !== undefined);
  const lifetime = retentionOf(request);
  const entries = points.map(({ hash }) => ({ hash, lifetime }));
  return {
    ...UNCACHED,
    read: points[hit]?.tokens ?? 0,
    refreshed: entries.slice(0, hit + 1),
    written: entries.slice(hit + 1),
  };
}

/**
 * Returns the lifetime of the entries of a request. It is `in_memory` if the request asks for it, else `24h`. For
 * GPT-5.5, `24h-typical` replaces `24h`. Zero data retention would change the default (provider-facts §2.1), but
 * simulated organisations do not have it.
 */
function retentionOf({ fields, capabilities }: OpenAIRequest): EntryLifetime {
  if (fields['prompt_cache_retention'] === 'in_memory') return 'in_memory';
  return isHalfWay(capabilities.model) ? '24h-typical' : '24h';
}

// Finds the places in a prompt where GPT-5.6 and later models read and write entries (provider-facts §2.2). The places
// are the ends of some messages, and explicit marks.

/**
 * Limits of provider-facts §2.2. `WRITES` is the maximum number of entries that a request writes. The other three limit
 * the places where a request searches for an entry: the first marks, the latest marks, and earlier message ends.
 */
const WRITES = 4;

const FIRST_MARKS = 2;

const LATEST_MARKS = 50;

const EARLIER_ENDINGS = 20;

/** Place where an entry is written, with its lifetime. */
export interface EntryBoundary {
  /** Index of the last block of the prefix that the entry contains. */
  readonly at: number;
  readonly ttl: '30m' | '12h';
}

/**
 * Places where one request writes entries and searches for entries, as indexes of blocks. `writes` is in ascending
 * order. `candidates` lists the places to search, and the longest prefix is first.
 */
export interface Boundaries {
  readonly writes: readonly EntryBoundary[];
  readonly candidates: readonly number[];
}

/** In explicit mode, a request without a mark reads and writes nothing. */
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

/**
 * Returns the ends of three kinds of messages: user messages, runs of consecutive tool results, and the initial
 * developer messages (provider-facts §2.2). Each end is the index of a block.
 */
function eligibleEndings(items: readonly PromptItem[]): readonly number[] {
  const ends = items.flatMap((item, i) => {
    const endsRun = item.speaker === 'tool' && items[i + 1]?.speaker !== 'tool';
    return (item.speaker === 'user' || endsRun) && item.last >= 0 ? [item.last] : [];
  });
  return [...openingEnd(items), ...ends];
}

/**
 * Returns the index of the last block in the developer messages at the start of the prompt. The result is a list with
 * one element, or an empty list.
 */
function openingEnd(items: readonly PromptItem[]): readonly number[] {
  const first = items.findIndex((item) => item.speaker !== 'developer');
  const last = items[(first === -1 ? items.length : first) - 1]?.last ?? -1;
  return last === -1 ? [] : [last];
}

/**
 * Merges writes at the same place. The result is in ascending order. A mark at the place of the implicit write counts
 * as one write, with the longer of the two lifetimes.
 */
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
