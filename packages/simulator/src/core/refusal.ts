// What the simulator says when it does not answer: a provider's status, type and text. A refusal is a value, not a throw.

/** An answer that is an error, as the real service would give it. */
export interface MessageRefusal {
  readonly outcome: 'refused';
  readonly status: number;
  /** The provider's word: `invalid_request_error`, `overloaded_error`, ... */
  readonly type: string;
  readonly message: string;
  readonly headers: { readonly [name: string]: string };
}

/** Builds a refusal. */
export function refuse(
  status: number,
  type: string,
  message: string,
  headers: { readonly [name: string]: string } = {},
): MessageRefusal {
  return { outcome: 'refused', status, type, message, headers };
}

/** Builds the most frequent one: 400 `invalid_request_error`. */
export function invalid(message: string): MessageRefusal {
  return refuse(400, 'invalid_request_error', message);
}

/** The first refusal among items, in order. */
export function firstRefusal<Item, Refusal extends MessageRefusal>(
  items: Iterable<Item>,
  check: (item: Item) => Refusal | undefined,
): Refusal | undefined {
  for (const item of items) {
    const refusal = check(item);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
