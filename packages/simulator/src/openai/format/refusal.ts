// What the OpenAI part says when it does not answer: status, type and text as on every wire, and beside them the parameter
// and the code that this provider's errors carry (§2.5).

import { refuse } from '../../core/refusal.ts';
import type { MessageRefusal } from '../../core/refusal.ts';

/** An error of this provider. `param` and `code` are told as `null` where the real service tells none. */
export interface OpenAIRefusal extends MessageRefusal {
  readonly param: string | null;
  readonly code: string | null;
}

/** What an error says beside its status and text. */
export interface AboutRefusal {
  /** `invalid_request_error` unless said otherwise. */
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
  readonly headers?: { readonly [name: string]: string };
}

/** Builds an error of this provider. */
export function refuseOpenAI(status: number, message: string, about: AboutRefusal = {}): OpenAIRefusal {
  const { type = 'invalid_request_error', param = null, code = null, headers = {} } = about;
  return { ...refuse(status, type, message, headers), param, code };
}

/** Builds the most frequent one: 400 `invalid_request_error` about a parameter. */
export function bad(message: string, param: string | null, code: string | null = null): OpenAIRefusal {
  return refuseOpenAI(400, message, { param, code });
}

/** The body that carries an error (§2.5). */
export function openAIErrorBody({ message, type, param, code }: OpenAIRefusal): string {
  return JSON.stringify({ error: { message, type, param, code } });
}

/** The first refusal among items, in order. */
export function firstBad<Item>(
  items: Iterable<Item>,
  check: (item: Item) => OpenAIRefusal | undefined,
): OpenAIRefusal | undefined {
  for (const item of items) {
    const refusal = check(item);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
