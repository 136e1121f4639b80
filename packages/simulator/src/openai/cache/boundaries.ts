// Where GPT-5.6 and later look for entries and write them (§2.2): the ends of eligible messages, and marks.

import type { OpenAIRequest, PromptBlock, PromptItem } from '../format/prompt.ts';
import { objectAt } from '../../core/wire.ts';

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
export function boundariesOf(request: OpenAIRequest): Boundaries {
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
