// Words for the costs of a session in other cases: the cases, their differences, and the assumptions of the replay.

import type { components } from '@tidemark/client';
import { counted, percent } from './format.ts';

export type WhatIf = components['schemas']['WhatIf'];
export type WhatIfCase = components['schemas']['WhatIfCase'];

/** Returns the rules of the replay, and the calls that it does not contain. */
export function assumptions({ unknown, others }: Pick<WhatIf, 'unknown' | 'others'>): readonly string[] {
  return [
    'Rule: a request reads what it has in common with the beginning of the last one with the same model and parameters, if that was sent within the lifetime. ' +
      'It writes the rest, except the tokens that were neither read nor written in the session. ' +
      'Misses without a visible cause do not happen, so the replay can cost less than was paid.',
    'Sizes of blocks are estimates that are scaled to the counted input of each request. The model gives the same answers in all cases.',
    'Without pruning, each result keeps its first size. Without compaction, the history keeps all messages and has no checkpoint.',
    'Another model is assumed to count tokens and to cache in the same way.',
    'A fork is replayed from the beginning of the session that it continues.',
    ...(unknown > 0
      ? [
          `The tokens or the price of ${counted(unknown, 'call')} ${unknown === 1 ? 'is' : 'are'} unknown. They are in no sum.`,
        ]
      : []),
    ...(others > 0
      ? [
          `${counted(others, 'call')} of side streams, such as titles and summaries, ${others === 1 ? 'is' : 'are'} not replayed.`,
        ]
      : []),
  ];
}

const LIFETIMES: ReadonlyMap<string, string> = new Map([
  ['5m', '5 minutes'],
  ['30m', '30 minutes'],
  ['1h', '1 hour'],
  ['12h', '12 hours'],
]);

/** Names a case, and the step at which it ends. */
export function caseText({ change, name, stopsAt }: Pick<WhatIfCase, 'change' | 'name' | 'stopsAt'>): string {
  const names = {
    lifetime: `Entries live ${LIFETIMES.get(name) ?? name}`,
    pruning: 'No pruning',
    compaction: 'No compaction',
    model: name,
  };
  const end =
    stopsAt === undefined
      ? ''
      : `. It is not possible from step ${stopsAt} on: the request is too long, or has no price`;
  return `${names[change]}${end}`;
}

/** Describes how a case differs: `-12.5%`. */
export function differenceText({ calls, cost, compared }: Pick<WhatIfCase, 'calls' | 'cost' | 'compared'>): string {
  if (calls === 0 || Number(compared) === 0) return 'unknown';
  const share = Number(cost) / Number(compared) - 1;
  if (share === 0) return 'none';
  return `${share > 0 ? '+' : '-'}${percent(Math.abs(share))}`;
}
