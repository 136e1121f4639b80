// Which cache entries the next request can still read: not expired, the same bytes up to there, the same parameters, and
// nothing that the provider drops by its own rules.

import type { MarkerRecord, MissCause, RequestPrepared } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Section } from '@tidemark/model';
import { itemAt } from './append-only.ts';
import type { Sequence } from './sequence.ts';
import { turnStartOf } from './sequence.ts';
import type { Entry, Sent } from './state.ts';

/** Milliseconds that an entry lives from the start of the request that wrote or read it. */
export const LIFE: Readonly<Record<'5m' | '1h', number>> = { '5m': 300_000, '1h': 3_600_000 };

/** The entry that a marker of a request names. Of the front, it is the same whatever stands behind the front. */
export function entryAt({ prepared, at }: Sent, { block, prefix, ttl }: MarkerRecord): Entry {
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
    ttl,
    at,
  };
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
}

/** The entries that the next request can read, shortest first. */
export function readableEntries(entries: readonly Entry[], lookup: Lookup): readonly Entry[] {
  return entries.filter((entry) => unreadable(entry, lookup) === undefined).toSorted((a, b) => a.block - b.block);
}

/** Why an entry cannot be read by the next request; `undefined` when it can. */
export function unreadable(entry: Entry, lookup: Lookup): MissCause | undefined {
  const { sequence, now } = lookup;
  if (itemAt(sequence.prefixes, entry.block) !== entry.prefix) return 'opened';
  if (entry.parameters[entry.section] !== sequence.parameters[entry.section]) return 'opened';
  if (!isAlive(entry, now)) return 'expired';
  if (entry.section !== 'messages') return undefined;
  if (entry.images !== (sequence.firstImage !== undefined)) return 'image';
  return lookup.capabilities.thinkingStripped === 'at-new-turn' && lostThinking(sequence, entry)
    ? 'thinking-stripped'
    : undefined;
}

/** Whether an entry has not expired by then (milliseconds). */
export function isAlive(entry: Entry, now: number): boolean {
  return now - milliseconds(entry.at) < LIFE[entry.ttl];
}

/** Thinking that is in one of the two alone, entry and request: it is shown from where its own turn begins. */
function lostThinking(sequence: Sequence, entry: Entry): boolean {
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
