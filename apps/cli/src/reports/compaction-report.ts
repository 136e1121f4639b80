// Describes a compaction for people.

import type { CompactionReport } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';

import { dollars, formatNumber } from '../frame/numbers.ts';

/** Describes a compaction: its outcome, its sizes, and its price. `fresh` is true for a fork with the checkpoint alone. */
export function compactionInWords(id: SessionId, made: CompactionReport, fresh = false): string {
  const { outcome, refused, strategy, fork } = made;
  const lines = [
    outcome === 'refused' ? `not compacted: ${REASONS[refused ?? 'nothing-to-leave-out']}` : `${outcome}, ${strategy}`,
    changeLine(made),
    ...consequences(made),
    ...(fork === undefined
      ? []
      : [`started again as ${fork}; ${id} is unchanged`, `continue with \`tidemark --session ${fork} "…"\``]),
    ...(fresh && outcome === 'planned'
      ? ['nothing was written: without `--dry-run`, a fork with this checkpoint is created']
      : []),
  ];
  return lines.join('\n');
}

/**
 * Describes a compaction for a terminal that shows its record: only what the line of the record does not say. An
 * interrupted compaction has no record.
 */
export function compactionDetails(id: SessionId, made: CompactionReport): readonly string[] {
  if (made.refused === 'interrupted' || made.outcome === 'planned') return compactionInWords(id, made).split('\n');
  if (made.outcome === 'refused') return [changeLine(made), ...consequences(made)];
  return [`its parts: ${partsInWords(made)}; the limit is ${formatNumber(made.sizes.hard)}`, ...consequences(made)];
}

/** Returns the reason of a refused compaction as its record contains it in words. Other reasons are unchanged. */
export function refusalInWords(reason: string): string {
  return new Map<string, string>(Object.entries(REASONS)).get(reason) ?? reason;
}

function changeLine(made: CompactionReport): string {
  const { before, after, hard } = made.sizes;
  const change = `about ${formatNumber(before)} tokens ${made.outcome === 'compacted' ? 'become' : 'would become'} ${formatNumber(after)}`;
  return `${change} (${partsInWords(made)}); the limit is ${formatNumber(hard)}`;
}

function partsInWords({ sizes: { parts } }: CompactionReport): string {
  const contents = Object.entries(parts).flatMap(([part, tokens]) =>
    tokens > 0 ? [`${part} ${formatNumber(tokens)}`] : [],
  );
  return contents.join(', ');
}

function consequences(made: CompactionReport): readonly string[] {
  const { cliff, fallback } = made;
  return [
    ...priceLines(made),
    ...(cliff === undefined
      ? []
      : [`it stays below ${formatNumber(cliff)} tokens; above that, the whole request costs more`]),
    ...(fallback === undefined ? [] : [`written without the model: ${fallback}`]),
  ];
}

/** Describes the next request with the compaction, compared with the same request without it. */
function priceLines({ next, rewrite }: CompactionReport): readonly string[] {
  if (next === undefined) return [];
  const { uncompacted, compacted } = next;
  const [before, after] = [uncompacted.cost, compacted.cost];
  const price =
    before === undefined || after === undefined
      ? 'has an unknown price'
      : `costs ${dollars(after)} before the answer instead of ${dollars(before)}`;
  if (rewrite !== undefined) {
    const more = rewrite.cost === undefined ? '' : ` (${dollars(rewrite.cost)} more than reading them)`;
    return [
      `the next request ${price}: it sends ${formatNumber(rewrite.tokens)} tokens that are not in the cache${more}`,
    ];
  }
  const why = uncompacted.tokens.read === 0 ? ': nothing of this history is in the cache' : '';
  return [`the next request ${price}${why}`];
}

const REASONS: Readonly<Record<NonNullable<CompactionReport['refused']>, string>> = {
  interrupted: 'it was interrupted',
  'nothing-to-leave-out': 'there is no older history to replace',
  'nothing-new': 'a checkpoint of the same history already waits for the next request',
  'does-not-fit': 'the remaining context would not fit the window',
  'shrinks-too-little': 'it would save less than a fifth of the tokens',
};
