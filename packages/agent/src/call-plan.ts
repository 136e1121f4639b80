// What is decided about one call: its markers, and what it is expected to read, write and cost.

import type { Timestamp } from '@tidemark/log';
import type { Outlook, State } from '@tidemark/context';
import { itemAt, forecast, plan, readableEntries } from '@tidemark/context';
import type { Capabilities, Marker } from '@tidemark/model';
import type { Line, Resize } from './line.ts';

/** What a plan needs beside state and line. */
export interface PlanOptions {
  readonly at: Timestamp;
  readonly capabilities: Capabilities;
  readonly ttl?: '5m' | '1h';
  /** Set where the blocks' sizes are recorded: nothing is learnt from what was measured. */
  readonly resize?: Resize;
}

/** The markers of a call, and its forecast. */
export interface CallPlan {
  readonly markers: readonly Marker[];
  readonly outlook: Outlook;
}

/** Plans the next call of the main stream. `before` is the line of the request before it, if it is still known. */
export function planCall(state: State, line: Line, before: Line | undefined, options: PlanOptions): CallPlan {
  const { sequence } = line;
  const { at, capabilities, ttl = '5m' } = options;
  const { accepted, entries = [] } = state.streams['main'] ?? {};
  const lookup = { sequence, capabilities, now: Date.parse(at) };
  const readable = readableEntries(entries, lookup);
  const end = accepted?.prepared.markers.at(-1);
  const stands = end !== undefined && itemAt(sequence.prefixes, end.block) === end.prefix;
  const markers = plan({ sequence, capabilities, readable, ttl, ...(stands ? { acceptedEnd: end.block } : {}) });
  const sizes = options.resize === undefined ? 'estimated' : 'recorded';
  const unsent = unsentTail(line, accepted?.spans ?? 0) + unsentFront(line, accepted === undefined ? undefined : (before ?? line));
  return { markers, outlook: forecast({ lookup, at, markers, readable, accepted, unsent, sizes }) };
}

/** Tokens of the tail that no accepted request of this stream held: their ordinals are at or above what it held. */
function unsentTail({ sequence, ordinals }: Line, sent: number): number {
  let tokens = 0;
  let index = sequence.blocks.length - 1;
  for (; index >= sequence.front && (itemAt(ordinals, index) ?? 0) >= sent; index -= 1) {
    tokens += itemAt(sequence.blocks, index)?.tokens ?? 0;
  }
  // A checkpoint stands first, and is newer than what is kept behind it.
  const leads = index > sequence.front && (itemAt(ordinals, sequence.front) ?? 0) >= sent;
  return tokens + (leads ? (itemAt(sequence.blocks, sequence.front)?.tokens ?? 0) : 0);
}

/** Tokens of the front that the line before did not hold. */
function unsentFront(line: Line, before: Line | undefined): number {
  if (before === line || before?.front === line.front) return 0;
  const sent = new Set(before?.front.blocks.map((block) => block.head + block.tail));
  const fresh = line.front.blocks.filter((block) => !sent.has(block.head + block.tail));
  return fresh.reduce((sum, block) => sum + block.tokens, 0);
}
