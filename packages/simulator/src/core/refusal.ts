// Refusals of the simulator: a provider's status, type and text. A refusal is a returned value, not an exception.

/** Error answer in the form that the real service uses. */
export interface MessageRefusal {
  readonly outcome: 'refused';
  readonly status: number;
  /** Error type of the provider: `invalid_request_error`, `overloaded_error`, ... */
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

/** Builds the most frequent refusal: 400 `invalid_request_error`. */
export function invalid(message: string): MessageRefusal {
  return refuse(400, 'invalid_request_error', message);
}

/** Returns the first refusal that `check` returns, in the order of the items. */
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
