// Whether a compaction is worth making: the request behind it has to fit, and to be smaller by a fifth at least. Else it
// would be made again and again, and free next to nothing each time.

import type { Money, Timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import type { Gauge } from '../pressure/gauge.ts';
import { cliffsOf } from '../pressure/gauge.ts';
import { rewriteCost } from '../forecast/miss.ts';
import { inModelTokens } from '../pressure/next-input.ts';
import type { SpanSize } from '../base/span-size.ts';
import type { State } from '../state/state.ts';
import type { CompactionDraft, RequestPart } from './draft-compaction.ts';

/** What is left of a request after a compaction that is worth it, at most. */
export const MOST_LEFT: number = 0.8;
/** Share of a provider's byte limit that a request behind a compaction may take. */
export const MOST_BYTES: number = 0.9;

/** The sizes of a compaction, in tokens on the model's scale: estimates. */
export interface CompactionSizes {
  /** The next request as it is now. */
  readonly before: number;
  /** The same behind the compaction. */
  readonly after: number;
  /** What `after` must fit. */
  readonly hard: number;
  readonly parts: { readonly [part in RequestPart]: number };
}

/** Why a compaction is not made; `nothing-new`: one that waits for the next request leaves out as much. */
export type CompactionRefusal = 'nothing-to-leave-out' | 'nothing-new' | 'does-not-fit' | 'shrinks-too-little';

/** What a compaction comes to. */
export interface JudgedCompaction {
  readonly sizes: CompactionSizes;
  /** Absent where it is worth making. */
  readonly refused?: CompactionRefusal;
}

/** Judges a draft with a checkpoint of this size, on the model's scale. */
export function judgeCompaction(
  state: State,
  gauge: Gauge,
  draft: CompactionDraft,
  checkpoint: SpanSize,
): JudgedCompaction {
  const all = { ...draft.parts, checkpoint };
  const parts = {
    front: Math.ceil(all.front.tokens),
    tools: Math.ceil(all.tools.tokens),
    checkpoint: Math.ceil(all.checkpoint.tokens),
    directives: Math.ceil(all.directives.tokens),
    tail: Math.ceil(all.tail.tokens),
    notes: Math.ceil(all.notes.tokens),
  };
  const after = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
  const bytes = Object.values(all).reduce((sum, size) => sum + size.bytes, 0);
  const before = gauge.input ?? wholeOf(state, gauge, parts);
  const sizes = { before, after, hard: gauge.hard, parts };
  const refused = refusalOf(sizes, gauge, bytes);
  return { sizes, ...(refused === undefined ? {} : { refused }) };
}

function refusalOf({ before, after, hard }: CompactionSizes, gauge: Gauge, bytes: number): JudgedCompaction['refused'] {
  const { bytesLimit = Infinity } = gauge;
  if ((hard > 0 && after > hard) || bytes > MOST_BYTES * bytesLimit) return 'does-not-fit';
  const lighter = gauge.by === 'bytes' && bytes <= MOST_LEFT * gauge.bytes;
  return after <= MOST_LEFT * before || lighter ? undefined : 'shrinks-too-little';
}

/** Nobody counted the last request: what its bytes tell, at the ratio of the parts that are known. */
function wholeOf(state: State, { bytes }: Gauge, { front, tools }: CompactionSizes['parts']): number {
  return Math.max(front + tools, inModelTokens(state, Math.ceil(bytes / 4)).tokens);
}

/** The lowest length that a compaction brings a request below, where a model prices the whole of a longer one dearer. */
export function cliffCleared(
  { before, after }: CompactionSizes,
  row: Pick<Capabilities, 'prices'>,
  at: Timestamp,
): number | undefined {
  return cliffsOf(row, at).find((above) => after <= above && before > above);
}

/** What the break costs above reading the same from the cache: the front is read, all behind it is written anew. */
export function breakCost(
  { after, parts }: CompactionSizes,
  capabilities: Capabilities,
  at: Timestamp,
): { readonly tokens: number; readonly cost?: Money } {
  const tokens = after - parts.front - parts.tools;
  const cost = rewriteCost({ capabilities, at, input: after, tokens, ttl: capabilities.ttls[0] });
  return { tokens, ...(cost === undefined ? {} : { cost }) };
}
