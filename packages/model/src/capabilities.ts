// What a model can do and what it charges, as data: one row of the catalog, resolved.

import type { ImageInput } from './image-input.ts';
import type { Ttl } from '@tidemark/core';

/** US dollars per million tokens, as exact decimal text. Absent is unknown. */
export interface Price {
  readonly input: string;
  readonly output: string;
  readonly read?: string;
  readonly writes: { readonly [ttl in Ttl]?: string };
}

/** Prices in force from a day on, by length of the whole request. */
export interface PriceList {
  /** First day of validity, `YYYY-MM-DD`; `0001-01-01` is "since the model exists". */
  readonly from: string;
  /** Ascending by `above`; the first has `above: 0`. A request is priced whole by the last tier it exceeds. */
  readonly tiers: readonly { readonly above: number; readonly price: Price }[];
}

/** Who loses what when a setting changes: the first section whose cache is lost. */
export type LostFrom = 'tools' | 'system' | 'messages';

/** How a provider keeps entries by itself (provider facts 2.1, 2.2). Lives are minutes, sizes are tokens. */
export type ImplicitCache = {
  /** How long an entry lives from its last use. */
  readonly idle: number;
  /** How long it lives in all, however often it is used; absent is without end. */
  readonly age?: number;
} & (
  | {
      /** An entry ends with the latest eligible message of a request, to the token; writes are billed. */
      readonly at: 'endings';
      /** Earlier eligible endings of a request that are looked up beside its latest. */
      readonly lookup: number;
    }
  | {
      /** Entries of `first`, `first + step`, ... tokens, wherever those end; writes are free. */
      readonly at: 'grid';
      readonly first: number;
      readonly step: number;
    }
);

/** One row: limits, floors, markers, rules, prices; each with its source and date. */
export interface Capabilities {
  readonly provider: string;
  readonly model: string;
  /** Other names that mean this row. */
  readonly aliases: readonly string[];
  /** Most input tokens of one request. */
  readonly inputLimit: number;
  /** Whether input and output share that limit, and how an excess is answered. */
  readonly window: { readonly tokens: number; readonly sharedWithOutput: 'refused' | 'stops' | 'no' };
  readonly outputLimit: number;
  /** Smallest cacheable prefix in tokens; absent is unknown. */
  readonly floor?: number;
  readonly markers: 'explicit' | 'implicit' | 'pass-through' | 'none' | 'unknown';
  /** How entries come to be without a marker, where that is published. */
  readonly implicit?: ImplicitCache;
  /** Who finds the machine that holds a prefix: the provider alone, or by the cache key. Absent: no key is sent. */
  readonly routing?: 'automatic' | 'by-key';
  /** Markers that a request may carry. */
  readonly slots: number;
  /** Positions searched behind a marker, itself included. */
  readonly lookback: number;
  /** Whether a run of calls, or of results, is one position. */
  readonly runsCollapse: boolean;
  readonly ttls: readonly Ttl[];
  /** The names of the render parameters that enter the cache key, with what their change loses. */
  readonly renderParameters: { readonly [name: string]: LostFrom };
  /** When old thinking is stripped by the provider. */
  readonly thinkingStripped: 'at-new-turn' | 'never';
  /** Whether an edit of sent content is refused because thinking is bound to it. */
  readonly prefixCheck: boolean;
  /** Whether calls of a tool loop that is still open are refused without the reasoning that they were made with. */
  readonly reasoningInLoop?: 'required';
  /** Changes accepted as an appended message. `tools`: added, removed and defined anew; `tool-additions`: added alone. */
  readonly appends: readonly ('system' | 'reasoning' | 'tools' | 'tool-additions')[];
  readonly prefill: boolean;
  readonly forcedToolChoice: boolean;
  readonly requestBytes?: number;
  /** How it takes images, or that it takes `none`: words stand for them then. Absent is unknown: they are sent. */
  readonly images?: ImageInput | 'none';
  readonly prewarm: boolean;
  /** It compares a request with the one of an earlier answer, where it is asked to, and says what changed. */
  readonly diagnoses?: true;
  readonly promotes: 'unverified' | 'no' | { readonly verified: string };
  readonly prices: readonly PriceList[];
  readonly source: string;
  /** `YYYY-MM-DD`, or `YYYY-MM` where the source tells no day. */
  readonly asOf: string;
  readonly notes?: string;
}
