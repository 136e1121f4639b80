// Responses that the service keeps (`store` is true by default), so that a later call can go on from one by its
// id (§2.4). Each knows the one it went on from: nothing is copied.

import type { WireObject } from '../../core/wire.ts';
import type { OutputItem } from '../format/output.ts';

/** A response that is kept: what it was asked beyond its parent, and what it answered. */
export interface StoredResponse {
  readonly account: string;
  readonly parent: string | undefined;
  /** Its own input items, then its output items. */
  readonly items: readonly unknown[];
}

/** All responses that are kept. */
export interface StoredResponses {
  keep(id: string, response: StoredResponse): void;
  /** Every item up to and including this response, or `undefined` when it is not this account's or not there. */
  itemsUpTo(id: string, account: string): readonly unknown[] | undefined;
}

const MOST = 10_000;

/** Keeps the latest 10,000. A chain whose beginning was forgotten is not found. */
export function createStoredResponses(): StoredResponses {
  const kept = new Map<string, StoredResponse>();
  return {
    keep(id, response) {
      kept.set(id, response);
      const oldest = kept.size > MOST ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
    },
    itemsUpTo(id, account) {
      const chain: (readonly unknown[])[] = [];
      for (let at: string | undefined = id; at !== undefined;) {
        const response: StoredResponse | undefined = kept.get(at);
        if (response === undefined || response.account !== account) return undefined;
        chain.push(response.items);
        at = response.parent;
      }
      return chain.toReversed().flat();
    },
  };
}

/**
 * The memory of one WebSocket connection: its latest response, so that a call can go on from it although the service stores
 * nothing (§2.4).
 */
export interface ConnectionMemory {
  /** Every item up to and including this response, or `undefined` when it is not the latest. */
  itemsUpTo(id: string): readonly unknown[] | undefined;
  keep(id: string, items: readonly unknown[]): void;
  /** A call that failed takes what it went on from with it; without an id, whatever there is. */
  forget(id?: string): void;
}

/** A memory of nothing. */
export function createConnectionMemory(): ConnectionMemory {
  let latest: { readonly id: string; readonly items: readonly unknown[] } | undefined;
  return {
    itemsUpTo: (id) => (latest?.id === id ? latest.items : undefined),
    keep(id, items) {
      latest = { id, items };
    },
    forget(id = latest?.id) {
      if (latest?.id === id) latest = undefined;
    },
  };
}

/** An output item as the connection keeps it: its reasoning is known whether or not the client was given the seal. */
export function keptItem({ item, seal }: OutputItem): WireObject {
  return seal === '' ? item : { ...item, encrypted_content: seal };
}
