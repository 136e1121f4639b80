// Data of a session in a file that shows it without a server. The file has several parts, so that the page reads only
// those that it needs. Each part is JSON, compressed with gzip.

import type { CallReport, CostSums, Grouped } from '@tidemark/analytics';
import type { Json } from '@tidemark/core';
import type { ShownCheckpoint } from '../checkpoint.ts';
import type { ListedSession } from '../listed-session.ts';
import type { RequestColumns, RequestStructure } from '../request.ts';
import type { Timeline } from '../timeline.ts';
import type { WhatIf } from '../what-if/what-if.ts';

/** First part of a file: the data that the page needs at once. */
export interface FileIndex {
  /** Session that the file is about, and then its forks and subagents if the file has them. */
  readonly sessions: readonly ListedSession[];
  readonly timelines: readonly Timeline[];
  readonly costs: readonly FileCosts[];
  readonly whatIf: readonly WhatIf[];
}

/** Costs of a session in the groupings that the page shows. */
export interface FileCosts {
  readonly cause: Grouped<CostSums>;
  readonly model: Grouped<CostSums>;
  readonly day: Grouped<CostSums>;
}

/** Parts of one session. */
export interface FileParts {
  readonly calls: readonly CallReport[];
  readonly requests: FileRequests;
  readonly conversation: FileConversation;
  /** Texts that the other parts name by their numbers. */
  readonly texts: readonly string[];
}

/** Records that the page shows as a conversation, and the checkpoints. */
export interface FileConversation {
  /** Number of records of the session. */
  readonly length: number;
  readonly records: readonly FileRecord[];
  readonly checkpoints: readonly ShownCheckpoint[];
}

/** Record of the conversation with the fields that are shown. */
export interface FileRecord {
  readonly position: number;
  readonly kind: string;
  /** Packed JSON. */
  readonly data: Json;
}

/** Requests of a session. */
export interface FileRequests {
  readonly list: RequestColumns;
  /** In the order of the list. */
  readonly requests: readonly FileRequest[];
  readonly blocks: FileBlocks;
}

/** Request without its blocks. */
export interface FileRequest extends Omit<RequestStructure, 'session' | 'total' | 'from' | 'blocks'> {
  /** Blocks that it does not share with the previous request: the number of the first, and how many follow, in pairs. */
  readonly added: readonly number[];
}

/** Blocks of all requests as columns, each block once. Values of named columns are indexes of `names`. */
export interface FileBlocks {
  readonly names: readonly string[];
  readonly section: readonly number[];
  readonly role: readonly number[];
  readonly holds: readonly number[];
  readonly group: readonly number[];
  readonly layer: readonly (number | null)[];
  readonly record: readonly (number | null)[];
  readonly kind: readonly (number | null)[];
  /** Time of the record, in milliseconds since 1970. */
  readonly at: readonly (number | null)[];
  readonly bytes: readonly number[];
  readonly tokens: readonly number[];
  readonly begins: readonly string[];
  /** Packed JSON of the block as it was sent, masked. */
  readonly sent: readonly Json[];
  /** Carry cost, as in `CarryCosts`. */
  readonly cost: readonly (string | null)[];
  readonly answered: readonly number[];
  readonly unpriced: readonly number[];
}

/** Returns the numbers of the blocks of a request in its order. */
export function blocksOfRequest(requests: readonly FileRequest[], index: number): readonly number[] {
  const parts: (readonly number[])[] = [];
  let wanted = Infinity;
  let position = requests[index]?.position;
  for (let at = index; at >= 0 && wanted > 0; at -= 1) {
    const request = requests[at];
    if (request?.position !== position || request === undefined) continue;
    const shared = request.previous?.shared ?? 0;
    const own = wanted - shared;
    if (own > 0) parts.push(expandRanges(request.added).slice(0, own));
    wanted = Math.min(wanted, shared);
    position = request.previous?.position;
  }
  return parts.toReversed().flat();
}

function expandRanges(pairs: readonly number[]): readonly number[] {
  const numbers: number[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const [first = 0, count = 0] = [pairs[at], pairs[at + 1]];
    for (let number = first; number < first + count; number += 1) numbers.push(number);
  }
  return numbers;
}
