// Calls that are billed already: a transcript holds a call twice where its rows were copied, and another file holds it
// again where a session was forked. Both are recognised by their ids.

import type { AnswerPart, BilledIn, Usage } from '@tidemark/log';
import { canonicalText } from '@tidemark/log';
import { allWritten } from '@tidemark/model';
import { hashText } from '../file/fields.ts';

/** What names one call, in a transcript and in the log of its import. */
export interface CallNames {
  /** The format of the transcript. */
  readonly format: string;
  /** The provider's id of the answer. */
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
 * What tells a call from any other; `undefined` where nothing was counted, so that nothing is billed. Anthropic's ids are
 * unique, and all rows of an answer have the input of the first; of other answers instant, model, counts and words are
 * compared too, since local servers repeat ids.
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
