// What a WebSocket connection remembers by itself: its latest response, so that a call can go on from it although the
// service stores nothing (§2.4).

import type { WireObject } from '../../core/wire.ts';
import type { OutputItem } from '../format/output.ts';

/** The memory of one connection. */
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
