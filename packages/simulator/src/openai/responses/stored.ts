// Keeps stored responses (`store` is true by default), so that a later call can continue a response by its id
// (provider-facts §2.4). Each stored response refers to the response that it continued, so no items are copied.

import { isObject, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import type { OutputItem } from '../format/output.ts';

/** Stored response: its own input and output, without the items of the response that it continued (`parent`). */
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
   * Returns the items of this response and of all responses that it continues, oldest first. Returns `undefined` if one
   * of these responses is unknown or belongs to another account.
   */
  itemsUpTo(id: string, account: string): readonly unknown[] | undefined;
  /** Returns the item with this id of a stored response, or `undefined` if no response of this account has it. */
  item(id: string, account: string): unknown;
}

const MAX_RESPONSES = 10_000;

/**
 * Creates an empty set that keeps the latest 10,000 responses. If the first response of a conversation was removed, its
 * later responses count as unknown.
 */
export function createStoredResponses(): StoredResponses {
  const responses = new Map<string, StoredResponse>();
  const holders = new Map<string, StoredResponse>();
  const forget = (id: string): void => {
    for (const item of idsOf(responses.get(id))) holders.delete(item);
    responses.delete(id);
  };
  return {
    keep(id, response) {
      responses.set(id, response);
      for (const item of idsOf(response)) holders.set(item, response);
      const oldest = responses.size > MAX_RESPONSES ? responses.keys().next().value : undefined;
      if (oldest !== undefined) forget(oldest);
    },
    item(id, account) {
      const holder = holders.get(id);
      return holder?.account === account ? holder.items.findLast((item) => idOf(item) === id) : undefined;
    },
    itemsUpTo(id, account) {
      const chain: (readonly unknown[])[] = [];
      for (let at: string | undefined = id; at !== undefined;) {
        const response: StoredResponse | undefined = responses.get(at);
        if (response === undefined || response.account !== account) return undefined;
        chain.push(response.items);
        at = response.parent;
      }
      return chain.toReversed().flat();
    },
  };
}

function idsOf(response: StoredResponse | undefined): readonly string[] {
  return (response?.items ?? []).map(idOf).filter((id) => id !== '');
}

function idOf(item: unknown): string {
  return isObject(item) ? textOf(item['id']) : '';
}

/**
 * Memory of one WebSocket connection. The memory keeps the latest response, so that a call can continue this response
 * even if the service stores nothing (provider-facts §2.4).
 */
export interface ConnectionMemory {
  /**
   * Returns the items of the response with this id and of all responses before it. Returns `undefined` if the response
   * is not the latest one of the connection.
   */
  itemsUpTo(id: string): readonly unknown[] | undefined;
  keep(id: string, items: readonly unknown[]): void;
  /**
   * Forgets the latest response if it has this id, or if no id is passed. After a failed call, `id` is the response
   * that the call tried to continue.
   */
  forget(id?: string): void;
}

/** Creates the memory of a new connection. It contains no response yet. */
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
 * Returns an output item in the form in which the connection keeps it. The kept item always contains the encrypted
 * reasoning, even if the client did not receive it.
 */
export function keptItem({ item, seal }: OutputItem): WireObject {
  return seal === '' ? item : { ...item, encrypted_content: seal };
}
