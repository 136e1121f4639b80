// Describes a compaction for people.

import type { CompactionReport } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';

import { dollars, formatNumber } from '../frame/numbers.ts';

/** Describes a compaction: its outcome, its sizes, and its price. `fresh` is true for a fork with the checkpoint alone. */
export function compactionInWords(id: SessionId, made: CompactionReport, fresh = false): string {
  const { outcome, sizes, refused, rewrite, cliff, fallback, strategy, fork } = made;
  const { before, after, hard, parts } = sizes;
  const change = `about ${formatNumber(before)} tokens ${outcome === 'compacted' ? 'become' : 'would become'} ${formatNumber(after)}`;
  const contents = Object.entries(parts).flatMap(([part, tokens]) =>
    tokens > 0 ? [`${part} ${formatNumber(tokens)}`] : [],
  );
  const lines = [
    outcome === 'refused' ? `not compacted: ${REASONS[refused ?? 'nothing-to-leave-out']}` : `${outcome}, ${strategy}`,
    `${change} (${contents.join(', ')}); the limit is ${formatNumber(hard)}`,
    ...(rewrite === undefined
      ? []
      : [
          `the next request writes ${formatNumber(rewrite.tokens)} tokens${rewrite.cost === undefined ? '' : `, which costs ${dollars(rewrite.cost)} more than reading them`}`,
        ]),
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

const REASONS: Readonly<Record<NonNullable<CompactionReport['refused']>, string>> = {
  interrupted: 'it was interrupted',
  'nothing-to-leave-out': 'there is no older history to replace',
  'nothing-new': 'a checkpoint of the same history already waits for the next request',
  'does-not-fit': 'the remaining context would not fit the window',
  'shrinks-too-little': 'it would save less than a fifth of the tokens',
};
