// Stored responses (`store` is true by default), so that a later call can continue one by its id (provider-facts §2.4).
// Each response refers to the response that it continued, so no items are copied.

import type { WireObject } from '../../core/wire.ts';
import type { OutputItem } from '../format/output.ts';

/** Stored response: its own input, without the input of its parent, and its output. */
export interface StoredResponse {
  readonly account: string;
  readonly parent: string | undefined;
  /** Input items of this response, then its output items. */
  readonly items: readonly unknown[];
}

/** Set of the stored responses. */
export interface StoredResponses {
  keep(id: string, response: StoredResponse): void;
  /**
   * Returns all items up to and including this response. Returns `undefined` if the response is unknown or belongs to
   * another account.
   */
  itemsUpTo(id: string, account: string): readonly unknown[] | undefined;
}

const MOST = 10_000;

/** Creates an empty set that keeps the latest 10,000 responses. A chain whose start was removed is not found. */
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
 * Memory of one WebSocket connection. It keeps the latest response, so that a call can continue it even if the service
 * stores nothing (§2.4).
 */
export interface ConnectionMemory {
  /** Returns all items up to and including this response, or `undefined` if it is not the latest response. */
  itemsUpTo(id: string): readonly unknown[] | undefined;
  keep(id: string, items: readonly unknown[]): void;
  /** Removes the response that a failed call continued. Without an id, removes the latest response. */
  forget(id?: string): void;
}

/** Creates an empty memory. */
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

/**
 * Returns an output item as the connection keeps it. It always contains the encrypted reasoning, even if the client did
 * not receive it.
 */
export function keptItem({ item, seal }: OutputItem): WireObject {
  return seal === '' ? item : { ...item, encrypted_content: seal };
}
