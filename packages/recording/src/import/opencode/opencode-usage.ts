// Reads the token counts of OpenCode.

import { defined } from '@tidemark/core';
import type { Json, Usage } from '@tidemark/log';
import { defaultCatalog, findModel } from '@tidemark/model';
import { countOf, objectOf } from '../file/fields.ts';

/** Providers whose written tokens the client reads from the answer, so that a count of 0 is known. */
const REPORTS_WRITES: ReadonlySet<string> = new Set(['anthropic', 'google-vertex-anthropic', 'amazon-bedrock']);

/**
 * Returns the token counts of a call in disjoint buckets, or `undefined` if no tokens were counted. The client subtracts
 * the read and written tokens from the input. It writes 0 written tokens also if the provider reports nothing, so 0 is
 * unknown for a model that bills writes at a provider that does not report them.
 *
 * The client marks prefixes without a lifetime, which Anthropic keeps for 5 minutes.
 */
export function openCodeUsage(tokens: Json | undefined, provider: string, model: string): Usage | undefined {
  const { input, output, reasoning, cache, total } = objectOf(tokens);
  const fresh = countOf(input);
  const read = countOf(objectOf(cache)['read']);
  const written = countOf(objectOf(cache)['write']) ?? 0;
  if ((fresh ?? 0) + (read ?? 0) + written + (countOf(output) ?? 0) === 0) return undefined;
  const reports = REPORTS_WRITES.has(provider);
  const known = reports || written > 0 || !billsWrites(model);
  return {
    ...(known ? defined({ fresh, read }) : { ...defined({ read }), input: (fresh ?? 0) + (read ?? 0) }),
    ...(known && (reports || written === 0) && { writes: written === 0 ? [] : [{ ttl: '5m', tokens: written }] }),
    ...(known && !reports && written > 0 && { written }),
    ...outputOf(countOf(output), countOf(reasoning), countOf(total), (fresh ?? 0) + (read ?? 0) + written),
  };
}

// Versions that write a total count reasoning separately. In older versions the output includes reasoning. An output that
// is less than the reasoning cannot include it, also if the total does not fit.
function outputOf(
  output: number | undefined,
  reasoning: number | undefined,
  total: number | undefined,
  input: number,
): Pick<Usage, 'answer' | 'reasoning'> {
  if (output === undefined || reasoning === undefined || reasoning === 0) return defined({ answer: output, reasoning });
  const isApart = reasoning > output || total === input + output + reasoning;
  return { answer: isApart ? output : output - reasoning, reasoning };
}

// True if the catalog has a price of written tokens, and for a model that the catalog does not contain.
function billsWrites(model: string): boolean {
  const row = findModel(defaultCatalog(), model);
  if (row === undefined) return true;
  return row.prices.some(({ tiers }) => tiers.some(({ price }) => Object.keys(price.writes).length > 0));
}
