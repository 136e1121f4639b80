// Which cache entries the next request can still read: not expired, the same bytes up to there, the same parameters, and
// nothing that the provider drops by its own rules.

import type { MissCause } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Section } from '@tidemark/model';
import { itemAt } from './append-only.ts';
import type { Sequence } from './sequence.ts';
import { turnStartOf } from './sequence.ts';
import type { Entry } from './state.ts';

/** Milliseconds that an entry lives from the start of the request that wrote or read it. */
export const LIFE: Readonly<Record<'5m' | '1h', number>> = { '5m': 300_000, '1h': 3_600_000 };

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
  if (entry.parameters[sectionOf(sequence, entry)] !== sequence.parameters[sectionOf(sequence, entry)]) return 'opened';
  if (now - milliseconds(entry.at) >= LIFE[entry.ttl]) return 'expired';
  if (entry.block < sequence.front) return undefined;
  if (imagesSeen(sequence, entry.of) !== imagesSeen(sequence, sequence.blocks.length)) return 'image';
  return lookup.capabilities.thinkingStripped === 'at-new-turn' && lostThinking(sequence, entry)
    ? 'thinking-stripped'
    : undefined;
}

function sectionOf(sequence: Sequence, entry: Entry): Section {
  return itemAt(sequence.blocks, entry.block)?.section ?? 'messages';
}

function imagesSeen(sequence: Sequence, blocks: number): boolean {
  return sequence.firstImage !== undefined && sequence.firstImage < blocks;
}

/** Thinking that stood in the entry when it was written, and is stripped by now because a turn began since. */
function lostThinking(sequence: Sequence, entry: Entry): boolean {
  const then = turnStartOf(sequence, entry.of).block;
  const now = turnStartOf(sequence).block;
  for (let index = sequence.turns.length - 1; index >= 0; index -= 1) {
    const turn = itemAt(sequence.turns, index);
    if (turn === undefined || turn.block < then) return false;
    if (turn.block < now && turn.thinking !== undefined && turn.thinking <= entry.block) return true;
  }
  return false;
}
