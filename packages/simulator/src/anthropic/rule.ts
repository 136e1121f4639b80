// What a rule is: it looks at a whole request and names the first thing the real service would refuse.

import type { MessageRefusal } from '../core/refusal.ts';
import type { WireRequest } from './request.ts';

/** A rule of the service. `undefined` means that it has nothing against this request. */
export type RequestRule = (request: WireRequest) => MessageRefusal | undefined;

/** The first refusal among items, in order. */
export function firstRefusal<Item>(
  items: Iterable<Item>,
  check: (item: Item) => MessageRefusal | undefined,
): MessageRefusal | undefined {
  for (const item of items) {
    const refusal = check(item);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
