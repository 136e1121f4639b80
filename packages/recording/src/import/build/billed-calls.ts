// Calls that are already billed. A transcript contains a call twice if its rows were copied. Another file contains the
// call again if a session was forked. Both are recognized by the identity of the call.

import type { AnswerPart, BilledIn, Usage } from '@tidemark/log';
import { canonicalText } from '@tidemark/log';
import { allWritten } from '@tidemark/model';
import { hashText } from '../file/fields.ts';

/** Values that identify a call, in a transcript and in the log of its import. */
export interface CallNames {
  /** Format of the transcript. */
  readonly format: string;
  /** Provider's id of the answer. */
  readonly response?: string | undefined;
  readonly at: string;
  readonly provider: string;
  readonly model: string;
  readonly usage?: Usage | undefined;
  readonly parts: readonly AnswerPart[];
}

/** Calls by identity, each with the record that bills it. */
export type BilledCalls = Map<string, BilledIn>;

/**
 * Returns the identity of a call, or `undefined` if no tokens were counted, because then nothing is billed. Ids of
 * Anthropic are unique, and all rows of one answer have the same input counts. Local servers repeat ids. So for other
 * answers the time, the provider, the model, the counts and the text are compared too.
 */
export function callIdentity({
  format,
  response,
  at,
  provider,
  model,
  parts,
  usage = {},
}: CallNames): string | undefined {
  if (Object.keys(usage).length === 0) return undefined;
  const { fresh, read } = usage;
  const named = format === 'claude-code' && response !== undefined;
  const counts = [fresh, read, allWritten(usage)];
  const names = named
    ? [response, model, ...counts]
    : [response, at, provider, model, ...counts, usage.answer, hashText(canonicalText(parts))];
  return JSON.stringify(names.map((name) => name ?? null));
}
