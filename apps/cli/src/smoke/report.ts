// Formats a smoke test: the plan, the cache reads of each call, and the verdict.

import { dollars, formatNumber, percent } from '../frame/numbers.ts';
import type { TableOf } from '../frame/table.ts';
import type { Probe, ProbeName, SmokeResult, ReadVerdict } from './measure.ts';
import type { SmokePlan } from './plan.ts';
import type { Promotion } from './promotion.ts';
import { PROMOTION_PAUSE_MS } from './promotion.ts';

const NAMES: { readonly [name in ProbeName]: string } = {
  first: "the engine's first request",
  'same-bytes': 'the same bytes again',
  'next-request': "the engine's next request",
  tail: 'the first one with a changed tail',
  'front-end': 'the first one with a changed end of the front',
  'first-sentence': 'the first one with a changed first sentence',
};

/**
 * Returns the line that is printed before the test. The line contains the model, the number of calls, their tokens and
 * the maximum cost. With `pauses`, it also contains the waiting time.
 */
export function inAdvance(model: string, plan: SmokePlan, pauses: boolean): string {
  const { calls, tokens, most } = plan;
  const price = most === undefined ? 'free of charge' : `at most ${dollars(most)}`;
  const wait = pauses ? `; it waits ${PROMOTION_PAUSE_MS / 60_000} minutes between two calls` : '';
  return `${model}: ${calls} calls of about ${formatNumber(tokens)} tokens, ${price}${wait}`;
}

/** Returns a line about the omitted calls, or `undefined` if no call is omitted. */
export function leftOutIn({ leftOut }: SmokePlan): string | undefined {
  return leftOut.length === 0 ? undefined : `skipped, to stay below the cost limit: ${leftOut.join(', ')}`;
}

/** Returns a table with one row per call. */
export function smokeTable({ probes }: SmokeResult): TableOf {
  return {
    head: ['call', 'input', 'read', 'written', 'fresh', 'read of input'],
    rows: probes.map(rowOf),
    numbers: [1, 2, 3, 4, 5],
  };
}

function rowOf({ name, input, read, written, fresh }: Probe): readonly string[] {
  const share = input === undefined || read === undefined ? 'unknown' : percent(read, input);
  return [NAMES[name], ...[input, read, written, fresh].map(tokensText), share];
}

function tokensText(tokens: number | undefined): string {
  return tokens === undefined ? 'unknown' : formatNumber(tokens);
}

const TRANSPORT: { readonly [verdict in ReadVerdict]: string } = {
  hit: 'transport: hit. The same bytes were read from the cache',
  miss: 'transport: miss. The same bytes were not read from the cache: below the floor, evicted, or routed elsewhere',
  unknown: 'transport: unknown. The provider does not report its cache reads',
};

const CONTRACT: { readonly [verdict in ReadVerdict]: string } = {
  hit: 'contract: hit. The next request read everything that the first one cached',
  miss: 'contract: miss. The next request did not read what the first one cached',
  unknown: 'contract: unknown. The provider does not report its cache reads',
};

/** Returns the verdict in words, one sentence per line. */
export function verdictOf({ transport, contract, probes }: SmokeResult): readonly string[] {
  return [TRANSPORT[transport], CONTRACT[contract], blameOf(transport, contract), ...sensitivityOf(probes)];
}

function blameOf(transport: ReadVerdict, contract: ReadVerdict): string {
  if (transport === 'hit' && contract === 'hit') return 'the cache works from one request to the next';
  if (transport === 'hit' && contract === 'miss')
    return 'the provider caches, but the engine does not keep its prefix: please report this with the output of `--json`';
  if (transport === 'unknown' || contract === 'unknown') return 'the result of this test is unknown';
  return contract === 'hit'
    ? 'the engine keeps its prefix, but the provider lost an entry during the test: try again'
    : 'the provider did not read back what it had cached: try again, and use `tidemark show` on a session of this model';
}

function sensitivityOf(probes: readonly Probe[]): readonly string[] {
  const after = probes.slice(3).map(({ name, input, read }) => `${PLACES[name]} ${reads(input, read)}`);
  return after.length === 0 ? [] : [`a change at ${after.join('; at ')}`];
}

function reads(input: number | undefined, read: number | undefined): string {
  if (input === undefined || read === undefined) return 'reads an unknown share';
  return read === 0 ? 'reads nothing' : `still reads ${percent(read, input)}`;
}

const PLACES: { readonly [name in ProbeName]: string } = {
  first: '',
  'same-bytes': '',
  'next-request': '',
  tail: 'the tail',
  'front-end': 'the end of the front',
  'first-sentence': 'the first sentence',
};

/** Describes the result of a promotion test. */
export function promotionVerdict({ outcome, held, read }: Promotion): string {
  const [had, got] = [formatNumber(held), formatNumber(read)];
  switch (outcome) {
    case 'promotes':
      return `promotes: after the pause, ${got} of ${had} tokens were read`;
    case 'does not':
      return `does not promote: after the pause, ${got} of ${had} tokens were read`;
    case 'unclear':
      return 'unclear: the promoting call did not read the first entry, or wrote no long-lived entry; try again';
  }
}
