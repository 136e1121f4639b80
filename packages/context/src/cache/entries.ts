// Which cache entries the next request can still read: not expired, the same bytes up to there, the same parameters, and
// nothing that the provider drops by its own rules.

import { defined } from '@tidemark/core';
import type { KeptPlace, KeptRecord, MarkerRecord, MissCause, RequestPrepared, FrontEntry } from '@tidemark/log';
import { milliseconds, digest } from '@tidemark/log';
import type { Capabilities, Section, Ttl } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { Sequence } from './sequence.ts';
import { turnStartOf } from './sequence.ts';
import type { CacheEntry, SentRequest, State } from '../state/state.ts';

const MINUTE = 60_000;

/** Milliseconds that an entry lives from the start of the request that wrote or read it. */
export const LIFE: Readonly<Record<Ttl, number>> = {
  '5m': 5 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': 60 * MINUTE,
  '12h': 720 * MINUTE,
};

/** The entry that a marker of a request names. Of the front, it is the same whatever stands behind the front. */
export function entryAt({ prepared, at }: SentRequest, { block, prefix, ttl }: MarkerRecord): CacheEntry {
  const { sequence, counts, mediaBytes = 0, stream } = prepared;
  const section = sectionOf(counts, block);
  const inMessages = section === 'messages';
  return {
    parameters: sequence.parameters,
    block,
    section,
    of: sequence.blocks,
    images: inMessages && mediaBytes > 0,
    beside: inMessages && stream !== 'main',
    prefix,
    ...keyOf(prepared),
    ttl,
    at,
  };
}

/** The entry that a provider keeps by itself at such a place. Neither images nor old thinking are a matter to these caches. */
export function keptAt(
  { prepared, at }: SentRequest,
  { idle, age }: KeptRecord,
  { block, prefix }: KeptPlace,
): CacheEntry {
  const { sequence, counts } = prepared;
  const life = { idleMs: idle * MINUTE, ...(age === undefined ? {} : { ageMs: age * MINUTE }), born: at };
  return {
    parameters: sequence.parameters,
    block,
    section: sectionOf(counts, block),
    of: sequence.blocks,
    images: false,
    beside: false,
    prefix,
    ...keyOf(prepared),
    ttl: life,
    at,
  };
}

function keyOf({ kept, account }: RequestPrepared): Pick<CacheEntry, 'key' | 'account'> {
  return defined({ key: kept?.key, account });
}

function sectionOf({ tools, system }: RequestPrepared['counts'], block: number): Section {
  if (block < tools) return 'tools';
  return block < tools + system ? 'system' : 'messages';
}

/** What an entry is held against. */
export interface Lookup {
  readonly sequence: Sequence;
  readonly capabilities: Capabilities;
  /** Milliseconds since the epoch, of the request to be sent. */
  readonly now: number;
  /** The key that the provider keeps it under; absent where what is marked is found by its bytes alone. */
  readonly key?: string | undefined;
  /** The account that is asked; absent where it is not known. */
  readonly account?: string | undefined;
}

/** The entries that the next request can read, shortest first. */
export function readableEntries(entries: readonly CacheEntry[], lookup: Lookup): readonly CacheEntry[] {
  return entries.filter((entry) => unreadable(entry, lookup) === undefined).toSorted((a, b) => a.block - b.block);
}

/** Why an entry cannot be read by the next request; `undefined` when it can. */
export function unreadable(entry: CacheEntry, lookup: Lookup): MissCause | undefined {
  const { sequence, capabilities, now } = lookup;
  if (itemAt(sequence.prefixes, entry.block) !== entry.prefix) return 'opened';
  if (entry.parameters[entry.section] !== sequence.parameters[entry.section]) return 'parameter';
  if (isOfOther(entry, lookup.account)) return 'account';
  if (!isAlive(entry, now)) return 'expired';
  if (entry.key !== lookup.key) return 'overflow-routing';
  if (entry.section !== 'messages') return undefined;
  const minded = 'images' in capabilities.renderParameters;
  if (minded && entry.images !== (sequence.firstImage !== undefined)) return 'image';
  return capabilities.thinkingStripped === 'at-new-turn' && lostThinking(sequence, entry)
    ? 'thinking-stripped'
    : undefined;
}

/** Whether another account's cache holds an entry. Where one of the accounts is not known, nothing says so. */
export function isOfOther({ account }: Pick<CacheEntry, 'account'>, asked: string | undefined): boolean {
  return account !== undefined && asked !== undefined && account !== asked;
}

/** Whether an entry has not expired by then (milliseconds). */
export function isAlive({ ttl, at }: CacheEntry, now: number): boolean {
  const unused = now - milliseconds(at);
  if (typeof ttl === 'string') return unused < LIFE[ttl];
  return unused < ttl.idleMs && now - milliseconds(ttl.born) < (ttl.ageMs ?? Infinity);
}

/** Thinking that is in one of the two alone, entry and request: it is shown from where its own turn begins. */
function lostThinking(sequence: Sequence, entry: CacheEntry): boolean {
  const shownThen = entry.beside ? Infinity : turnStartOf(sequence, entry.of).block;
  const shownNow = turnStartOf(sequence).block;
  const then = Math.min(shownThen, shownNow);
  const now = Math.max(shownThen, shownNow);
  for (let index = sequence.turns.length - 1; index >= 0; index -= 1) {
    const turn = itemAt(sequence.turns, index);
    if (turn === undefined || turn.block < then) return false;
    if (turn.block < now && turn.thinking !== undefined && turn.thinking <= entry.block) return true;
  }
  return false;
}

// Cache entries that end in the front, as an epoch records them. A session that begins on the front of another one so knows what
// that one has cached, and forecasts the read.

/** What is believed to be cached of the front, newest last. What was promoted and not seen to live on is left out. */
export function frontEntries({ cache }: State): readonly FrontEntry[] {
  return cache.entries.flatMap(
    ({ section, block, prefix, parameters, key, account, tokens, ttl, promoted, at }): readonly FrontEntry[] => {
      if (section === 'messages' || promoted === true) return [];
      const kept = defined({ key, account, tokens });
      return [{ section, block, prefix: digest(prefix), parameters, ...kept, ...lifeOf(ttl), at }];
    },
  );
}

function lifeOf(ttl: CacheEntry['ttl']): Pick<FrontEntry, 'ttl' | 'kept'> {
  if (typeof ttl === 'string') return { ttl };
  const { idleMs: idle, ageMs: age, born } = ttl;
  return { kept: defined({ idle, age, born }) };
}

/** Whether an entry has not expired by then (milliseconds); one of a life that cannot be read has. */
export function isWarmAt(entry: FrontEntry, now: number): boolean {
  return entriesOf([entry]).some((one) => isAlive(one, now));
}

/** The same as this session believes them to be; none of a life that it cannot read. */
export function entriesOf(cached: readonly FrontEntry[]): readonly CacheEntry[] {
  return cached.flatMap(({ ttl, kept, ...entry }): readonly CacheEntry[] => {
    const of = entry.block + 1;
    const common = { ...entry, of, images: false, beside: false };
    if (ttl !== undefined) return [{ ...common, ttl }];
    if (kept === undefined) return [];
    const { idle: idleMs, age: ageMs, born } = kept;
    return [{ ...common, ttl: defined({ idleMs, ageMs, born }) }];
  });
}
