// Formats advice: the change to make, and the amount that it would save in the replayed sessions.

import type { Advice, AdvisedChange, AdvisedEffect } from '@tidemark/analytics';

import { dollars, formatCount, percent } from '../frame/numbers.ts';

/** Advice for each change. */
const CHANGES: Readonly<Record<AdvisedChange, string>> = {
  'one-hour': 'write the cache with a lifetime of one hour',
  'five-minutes': 'write the cache with a lifetime of five minutes',
  'keep-warm': 'keep the cache warm in pauses, for at most a tenth of the cost',
  'same-prefix':
    'send the system text, the tool list and the history unchanged: no clock or random order in the prompt, the same tools after a restart, no edits of old messages',
  'same-settings': 'keep the model and the effort of a session, and change them with a new session',
};

export function adviceLines(advice: Advice): readonly string[] {
  const { cause, transcripts, calls, share, before, effects } = advice;
  const replayed = `${formatCount(transcripts, 'transcript')} with ${formatCount(calls, 'call')}`;
  return [
    `\nwhat to do about ${cause}`,
    `replayed: ${replayed}, which have ${percent(share, 1)} of this cause's cost; they cost ${dollars(before)}`,
    ...effects.map((one) => `  ${adviceText(one)}`),
  ];
}

export function adviceText({ change, saving, cost }: AdvisedEffect): string {
  const value = Number(saving);
  const words = CHANGES[change];
  if (Math.abs(value) < CENT) return `${words}: no difference`;
  const effect = value > 0 ? `saves ${dollars(saving)}` : `costs ${dollars(saving.replace('-', ''))} more`;
  return `${words}: ${effect} (${dollars(cost)})`;
}

/** One cent in dollars. A smaller difference is not worth a change. */
const CENT = 0.01;
