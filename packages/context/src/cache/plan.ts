// The marker plan: where a request asks the provider to keep its prefix. Four slots at most; a marker is no part of the
// prefix sequence, so markers may move.

import type { Capabilities, Marker } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import { keptLife } from './lifetime.ts';
import type { Sequence } from './sequence.ts';
import { tokensUpTo, turnStartOf } from './sequence.ts';
import type { CacheEntry } from '../state/state.ts';

/** A router passes markers on to an upstream that honours them: its row has that one's floor, slots and lookback. */
export const TAKES_MARKERS: ReadonlySet<Capabilities['markers']> = new Set(['explicit', 'pass-through']);

/** What a plan is made from. */
export interface PlanInput {
  readonly sequence: Sequence;
  readonly capabilities: Capabilities;
  /** Entries that this request can read, shortest first. */
  readonly readable: readonly CacheEntry[];
  /** Block of the last marker of the last accepted request, where that still stands in the sequence. */
  readonly acceptedEnd?: number;
  readonly ttl: '5m' | '1h';
  /** Set where `ttl` was chosen by the odds: an entry that can be read then keeps its own life, and the longest is kept. */
  readonly chosen?: boolean;
  /** Set for a side call: nobody sends its last block again, and so it lives short. */
  readonly beside?: boolean;
  /** Of a side call: the last block of the history that stands before its own words. The next turn reads what ends there. */
  readonly historyEnd?: number;
  /** Set for a side call that is made to keep the history cached: its own words are not. */
  readonly keeps?: boolean;
}

/**
 * Markers in block order: the end of the tail, the longest entry that can be read (normally the end of the last accepted
 * request, so that no width of a step is too wide for the lookback), the system text, the tools. Where the provider
 * strips thinking at a new turn, the entry at the beginning of this turn is kept alive before the tools' one; so is the
 * longest that outlives the others.
 */
export function plan(input: PlanInput): readonly Marker[] {
  const { sequence, capabilities } = input;
  if (capabilities.implicit !== undefined) return contractMark(input);
  if (!TAKES_MARKERS.has(capabilities.markers)) return [];
  const wanted = [
    input.keeps === true ? undefined : tail(sequence, sequence.blocks.length - 1),
    historyEnd(input),
    anchor(input),
    turnAnchor(input),
    longAnchor(input),
    frontEnd(input, 'system'),
    frontEnd(input, 'tools'),
  ];
  const blocks = new Set<number>();
  for (const block of wanted) if (block !== undefined && blocks.size < capabilities.slots) blocks.add(block);
  return withLives(
    [...blocks].toSorted((a, b) => a - b),
    input,
  );
}

/**
 * A provider that keeps entries at message ends keeps none behind the contract, which other sessions share: the one mark goes
 * there. Each token is billed once, so it costs nothing.
 */
function contractMark(input: PlanInput): readonly Marker[] {
  const block = input.capabilities.slots === 0 ? undefined : frontEnd(input, 'system');
  const ttl = keptLife(input.capabilities);
  return block === undefined || ttl === undefined ? [] : [{ block, ttl }];
}

/** Each marker with its life; the provider takes no longer one behind a shorter one. */
function withLives(blocks: readonly number[], input: PlanInput): readonly Marker[] {
  if (input.chosen !== true) return blocks.map((block) => ({ block, ttl: input.ttl }));
  const lives = blocks.map((block) => lifeAt(block, blocks.at(-1), input));
  const lastLong = lives.lastIndexOf('1h');
  return blocks.map((block, index) => ({ block, ttl: index <= lastLong ? '1h' : '5m' }));
}

function lifeAt(block: number, last: number | undefined, { readable, ttl, beside, keeps }: PlanInput): Marker['ttl'] {
  if (beside === true && keeps !== true && block === last) return '5m';
  const life = readable.find((entry) => entry.block === block)?.ttl;
  return typeof life === 'string' ? life : ttl;
}

/** The last block that can be marked: never thinking, so walk back. */
function tail(sequence: Sequence, last: number): number | undefined {
  for (let index = last; index >= sequence.front; index -= 1) {
    if (itemAt(sequence.blocks, index)?.markable === true) return index;
  }
  return undefined;
}

/** What the conversation itself will read, of a side call that holds it. */
function historyEnd(input: PlanInput): number | undefined {
  const end = input.historyEnd === undefined ? undefined : tail(input.sequence, input.historyEnd);
  return end === undefined || isBelowFloor(input, end) ? undefined : end;
}

/** The end of the last accepted request stands in where no entry can be read. */
function anchor(input: PlanInput): number | undefined {
  const { sequence, readable, acceptedEnd } = input;
  const end = readable.at(-1)?.block ?? acceptedEnd;
  if (end === undefined || end < sequence.front || itemAt(sequence.blocks, end)?.markable !== true) return undefined;
  return isBelowFloor(input, end) ? undefined : end;
}

/** Below the floor a marker would cache nothing. */
function isBelowFloor({ sequence, capabilities }: PlanInput, block: number): boolean {
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  return tokensUpTo(sequence, block, strips) < (capabilities.floor ?? 0);
}

/** The entry behind the prompt of this turn: all that a strip of this turn's thinking leaves readable. */
function turnAnchor({ sequence, capabilities, readable }: PlanInput): number | undefined {
  const turn = turnStartOf(sequence);
  if (capabilities.thinkingStripped !== 'at-new-turn' || turn.thinking === undefined) return undefined;
  const thinking = turn.thinking;
  return readable.findLast((entry) => entry.block >= sequence.front && entry.block < thinking)?.block;
}

/** What a pause will leave readable, where the entries behind it live short. */
function longAnchor({ readable, chosen, sequence }: PlanInput): number | undefined {
  if (chosen !== true) return undefined;
  return readable.findLast(({ ttl, block }) => ttl === '1h' && block >= sequence.front)?.block;
}

/** The end of a section of the front; it gives way below the floor, where it would cache nothing. */
function frontEnd({ sequence, capabilities }: PlanInput, section: 'tools' | 'system'): number | undefined {
  for (let index = sequence.front - 1; index >= 0; index -= 1) {
    const block = itemAt(sequence.blocks, index);
    if (block?.section !== section || !block.markable) continue;
    return tokensUpTo(sequence, index, false) < (capabilities.floor ?? 0) ? undefined : index;
  }
  return undefined;
}
