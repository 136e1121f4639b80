// Renders the advice of an audit: the changes that were tried by a replay, with their savings.

import type { Advice, AdvisedChange, AdvisedEffect } from '@tidemark/analytics';
import { causeInWords } from '@tidemark/context';

import { dollars, formatCount, percent } from '../frame/numbers.ts';
import { colourOf, swatch } from './audit-colours.ts';
import { tableOf } from './audit-tables.ts';
import type { Markup } from './markup.ts';
import { markup, NOTHING } from './markup.ts';

const CHANGES: Readonly<Record<AdvisedChange, string>> = {
  'one-hour': 'write the cache with a lifetime of one hour',
  'five-minutes': 'write the cache with a lifetime of five minutes',
  'keep-warm': 'keep the cache alive during pauses with small calls',
  'same-prefix': 'keep system text, tools and history as they were sent',
  'same-settings': 'keep the model and the reasoning setting within a session',
};

/** Renders the advice. Empty without advice. */
export function adviceSection(advice: readonly Advice[]): Markup {
  if (advice.length === 0) return NOTHING;
  return markup`<h2 id="advice">Changes that would have saved money</h2>
    <p class="soft">Each figure is the result of a replay of the same calls at the same times. A change that would have cost more is listed too.</p>
    ${advice.map(adviceOf)}`;
}

function adviceOf({ cause, transcripts, calls, share, before, effects }: Advice): Markup {
  return markup`<h3>${swatch(colourOf(cause))}${cause}: ${causeInWords(cause)}</h3>
    <p class="soft">Replayed: ${formatCount(transcripts, 'transcript')} with ${formatCount(calls, 'call')} and ${percent(share, 1)} of the cost of this cause. They cost ${dollars(before)}.</p>
    ${tableOf(
      [{ text: 'change' }, 'cost', 'saving', 'share'],
      effects.map((effect) => effectRow(effect, before)),
    )}`;
}

function effectRow({ change, cost, saving }: AdvisedEffect, before: string): Markup {
  return markup`<tr>
    <th scope="row" class="name long">${CHANGES[change]}</th>
    <td>${dollars(cost)}</td>
    <td>${Number(saving) < 0 ? `costs ${dollars(saving.replace('-', ''))} more` : dollars(saving)}</td>
    <td>${percent(Number(saving), Number(before))}</td>
  </tr> `;
}
