// Capabilities and prices of one model, as data: one resolved row of the catalog.

import type { ImageInput } from './image-input.ts';
import type { Ttl } from '@tidemark/core';

/** Prices in US dollars per million tokens, as exact decimal text. An absent price is unknown. */
export interface Price {
  readonly input: string;
  readonly output: string;
  readonly read?: string;
  readonly writes: { readonly [ttl in Ttl]?: string };
}

/** Prices that apply from one day on. The price of a request depends on the total length of its input. */
export interface PriceList {
  /** First day on which the prices apply, `YYYY-MM-DD`. `0001-01-01` means "since the model exists". */
  readonly from: string;
  /**
   * Price tiers in ascending order of `above`, in input tokens. The first tier has `above: 0`. The last tier whose
   * `above` is lower than the request's input tokens applies to the whole request.
   */
  readonly tiers: readonly { readonly above: number; readonly price: Price }[];
}

/**
 * First section of the request whose cache is lost when a render parameter changes. The caches of later sections are
 * lost too.
 */
export type LostFrom = 'tools' | 'system' | 'messages';

/**
 * Rules of a provider that caches prefixes without markers (provider facts 2.1, 2.2). Durations are in minutes, sizes
 * in tokens.
 */
export type ImplicitCache = {
  /** Minutes that an entry lives after its last use. */
  readonly idle: number;
  /** Maximum lifetime of an entry in minutes, even if the entry is used often. Absent: no maximum. */
  readonly age?: number;
} & (
  | {
      /**
       * A request leaves an entry at the end of its last user message or of its last run of tool results. Writes are
       * billed.
       */
      readonly at: 'endings';
      /**
       * Number of earlier message ends at which a request looks for an entry. The last end is not included in this
       * number.
       */
      readonly lookup: number;
    }
  | {
      /** Entries have lengths of `first`, `first + step`, … tokens and may end inside a block. Writes are free. */
      readonly at: 'grid';
      readonly first: number;
      readonly step: number;
    }
);

/** One row of the catalog: limits, floors, markers, rules and prices of a model, with their source and date. */
export interface Capabilities {
  readonly provider: string;
  readonly model: string;
  /** Other names of the same model. */
  readonly aliases: readonly string[];
  /** Maximum input tokens of one request. */
  readonly inputLimit: number;
  /**
   * Context window in tokens. `sharedWithOutput` describes a request whose input and output limit together exceed the
   * window. With `refused`, the provider returns an error. With `stops`, the answer ends early. With `no`, the output
   * does not count against the window.
   */
  readonly window: { readonly tokens: number; readonly sharedWithOutput: 'refused' | 'stops' | 'no' };
  readonly outputLimit: number;
  /** Smallest cacheable prefix in tokens. Absent: unknown. */
  readonly floor?: number;
  readonly markers: 'explicit' | 'implicit' | 'pass-through' | 'none' | 'unknown';
  /** Rules for entries that the provider creates without a marker. Absent if they are not published. */
  readonly implicit?: ImplicitCache;
  /**
   * Selection of the provider's machine whose cache is used. `automatic`: the provider selects the machine. `by-key`:
   * the cache key in the request selects the machine. Absent: no key is sent.
   */
  readonly routing?: 'automatic' | 'by-key';
  /** Maximum number of markers in a request. */
  readonly slots: number;
  /**
   * Number of positions that the provider searches backwards from a marker for an earlier entry. The marker's own
   * position is included.
   */
  readonly lookback: number;
  /**
   * True if a run counts as one lookback position. A run is a series of consecutive calls or of consecutive results.
   */
  readonly runsCollapse: boolean;
  readonly ttls: readonly Ttl[];
  /**
   * Render parameters that are part of the cache key, by name. If a parameter changes, the cache is lost from a section
   * on. The value is this section.
   */
  readonly renderParameters: { readonly [name: string]: LostFrom };
  /**
   * Values that the provider uses for parameters that are not sent. A parameter with this value has the same cache key as
   * a parameter that is not sent. If a default is unknown, setting the parameter counts as a change.
   */
  readonly defaults?: { readonly [name: string]: string };
  /** Time at which the provider strips thinking of earlier turns from the input. */
  readonly thinkingStripped: 'at-new-turn' | 'never';
  /**
   * True if the provider refuses a request that edits content that was already sent. The reason is that its thinking
   * blocks are bound to that content.
   */
  readonly prefixCheck: boolean;
  /** Set if the provider refuses the calls of an open tool loop without the reasoning that produced them. */
  readonly reasoningInLoop?: 'required';
  /**
   * Changes that the model accepts as an appended message. `system`: new system text. `reasoning`: a new reasoning
   * setting. `tools`: tools can be added, removed and redefined. `tool-additions`: tools can only be added.
   */
  readonly appends: readonly ('system' | 'reasoning' | 'tools' | 'tool-additions')[];
  readonly prefill: boolean;
  readonly forcedToolChoice: boolean;
  readonly requestBytes?: number;
  /**
   * Rules for images. `none`: the model takes no images, and text replaces them. Absent: the rules are unknown, and
   * images are sent.
   */
  readonly images?: ImageInput | 'none';
  readonly prewarm: boolean;
  /**
   * Set if the provider can compare a request with the request of an earlier answer and report the difference. The
   * provider compares only if the request asks for it.
   */
  readonly diagnoses?: true;
  readonly promotes: 'unverified' | 'no' | { readonly verified: string };
  readonly prices: readonly PriceList[];
  readonly source: string;
  /** Day on which the row was checked, `YYYY-MM-DD`, or `YYYY-MM` if the source names no day. */
  readonly asOf: string;
  readonly notes?: string;
}
