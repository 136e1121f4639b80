// Recognizes calls that are already billed. A transcript contains a call twice if its rows were copied. If a session
// was forked into a second file, both files contain the calls before the fork. The identity of a call is the same in
// all these places.

import type { AnswerPart, BilledIn, Usage } from '@tidemark/log';
import { canonicalText } from '@tidemark/log';
import { allWritten, outputTokens } from '@tidemark/model';
import { hashText } from '../file/fields.ts';

/** Values that identify a provider call, in a transcript and in the log of its import. */
export interface CallNames {
  /** Format of the transcript. */
  readonly format: string;
  /** Id that the provider gave to the answer. */
  readonly response?: string | undefined;
  readonly at: string;
  readonly provider: string;
  readonly model: string;
  readonly usage?: Usage | undefined;
  readonly parts: readonly AnswerPart[];
}

/** Billed calls by identity, each with the record that bills the call. */
export interface BilledCalls {
  get(identity: string): BilledIn | undefined;
  set(identity: string, by: BilledIn): unknown;
}

/**
 * Returns the identity of a provider call, or `undefined` if no tokens were counted, because such a call is not billed.
 * In transcripts of Claude Code and Codex, the provider's id is unique, and all rows of one answer have the same
 * input counts. There the id, the model and the input counts identify the call. A rollout of Codex that was copied has new
 * times. Without a provider's id, its calls and its sealed reasoning are unique. In other formats an id can repeat, because local
 * servers repeat ids. There the identity also contains the time, the provider, the output count and the text.
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
  const named = (format === 'claude-code' || format === 'codex') && response !== undefined;
  const isCopyable = format === 'codex' && parts.some(isUnique);
  const counts = [fresh, read, allWritten(usage)];
  const names = named
    ? [response, model, ...counts]
    : [response, isCopyable ? undefined : at, provider, model, ...counts, usage.answer, hashText(canonicalText(parts))];
  return JSON.stringify(names.map((name) => name ?? null));
}

function isUnique(part: AnswerPart): boolean {
  return part.type === 'call' || (part.type === 'reasoning' && part.opaque !== undefined);
}

/**
 * Returns a billed call with the usage that has more output. The answer of a copy can be cut off, and a record of it
 * that was written earlier has less output.
 */
export function withMostOutput(billed: BilledIn, usage: Usage): BilledIn {
  return (outputTokens(usage) ?? 0) > (outputTokens(billed.usage) ?? 0) ? { ...billed, usage } : billed;
}
