// Describes a compaction for people.

import type { CompactionReport } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';

import { dollars, formatNumber } from '../frame/numbers.ts';

/** Describes a compaction: its outcome, its sizes, and its price. `fresh` is true for a fork with the checkpoint alone. */
export function compactionInWords(id: SessionId, made: CompactionReport, fresh = false): string {
  const { outcome, sizes, refused, cliff, fallback, strategy, fork } = made;
  const { before, after, hard, parts } = sizes;
  const change = `about ${formatNumber(before)} tokens ${outcome === 'compacted' ? 'become' : 'would become'} ${formatNumber(after)}`;
  const contents = Object.entries(parts).flatMap(([part, tokens]) =>
    tokens > 0 ? [`${part} ${formatNumber(tokens)}`] : [],
  );
  const lines = [
    outcome === 'refused' ? `not compacted: ${REASONS[refused ?? 'nothing-to-leave-out']}` : `${outcome}, ${strategy}`,
    `${change} (${contents.join(', ')}); the limit is ${formatNumber(hard)}`,
    ...priceLines(made),
    ...(cliff === undefined
      ? []
      : [`it stays below ${formatNumber(cliff)} tokens; above that, the whole request costs more`]),
    ...(fallback === undefined ? [] : [`written without the model: ${fallback}`]),
    ...(fork === undefined
      ? []
      : [`started again as ${fork}; ${id} is unchanged`, `continue with \`tidemark --session ${fork} "…"\``]),
    ...(fresh && outcome === 'planned'
      ? ['nothing was written: without `--dry-run`, a fork with this checkpoint is created']
      : []),
  ];
  return lines.join('\n');
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
