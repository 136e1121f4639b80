// Refusals of the simulator: the status, type and text that a provider would send. A refusal is a returned value, not
// an exception.

/** Error answer in the form that the real service uses. */
export interface MessageRefusal {
  readonly outcome: 'refused';
  readonly status: number;
  /** Error type of the provider: `invalid_request_error`, `overloaded_error`, ... */
  readonly type: string;
  readonly message: string;
  readonly headers: { readonly [name: string]: string };
  /** Value of `error.details`, for errors of Anthropic that have one. */
  readonly details?: { readonly error_code: string };
}

/** Builds a refusal with a status, an error type and an error text. Default: no additional headers. */
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

/** Checks the items in order. Returns the first refusal, or `undefined` if `check` accepts every item. */
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
