// Payload of `request.observed`: a request that another program sent and recorded, in an import.

import type { Json } from '@tidemark/core';
import type { Digest, Position } from '../ids.ts';

/**
 * Cache marker of an observed request. `path` leads from the body to the object that has the marker. `value` is the
 * value of the marker.
 */
export interface ObservedMarker {
  readonly path: readonly (string | number)[];
  readonly value: Json;
}

/**
 * Request that another program sent and recorded. The record contains only the difference from an earlier request. The
 * messages are, in order: `keep` messages of `base`, then `unnamed` messages that the recording does not name, then
 * `tail`. Each message is an artifact that is named by its digest. The front is such an artifact too. L3 is not claimed
 * for such a request.
 */
export interface RequestObserved {
  /** Number of the answer that comes next. If several requests have the same number, they are attempts of one step. */
  readonly step: number;
  readonly stream: string;
  /** Name of the request in the recording. */
  readonly name: string;
  /** Rules by which the body is written. `sorted-json/1`: JSON with markers, with sorted keys and no white space. */
  readonly form: string;
  readonly provider: string;
  readonly model: string;
  /** Purpose of the request, in the words of the recording. */
  readonly purpose?: string;
  /** Version of the program that sent the request. */
  readonly version?: string;
  /** Fields of the request other than `system`, `tools` and `messages`. */
  readonly parameters: { readonly [name: string]: Json };
  /** System text and tools, as one JSON object without markers. Absent if the recording does not name them. */
  readonly front?: Digest;
  /** Earlier record of this log that `keep` refers to. Absent if `keep` is 0. */
  readonly base?: Position;
  readonly keep: number;
  readonly unnamed?: number;
  readonly tail: readonly Digest[];
  /** Digests in `front` and `tail` whose content the recording does not contain. They name no artifacts. */
  readonly missing?: readonly Digest[];
  readonly markers: readonly ObservedMarker[];
  /** SHA-256 of the body, as the recording states it. Absent if the recording states none. */
  readonly digest?: Digest;
  /**
   * Parts of the sent request that the recording left out on purpose, as the recording describes them. The digest does
   * not cover them.
   */
  readonly leftOut?: readonly string[];
  /** Other fields of the record, unchanged. */
  readonly rest?: Json;
}
