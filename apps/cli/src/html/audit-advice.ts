// Renders the advice of an audit: the changes that were tried by a replay, with their savings.

import type { Advice } from '@tidemark/analytics';
import { causeInWords } from '@tidemark/context';

import { dollars, formatCount, percent } from '../frame/numbers.ts';
import { adviceText } from '../reports/audit-advice.ts';
import { colourOf, swatch } from './audit-colours.ts';
import type { Markup } from './markup.ts';
import { markup, NOTHING } from './markup.ts';

/** Renders the advice. Empty without advice. */
export function adviceSection(advice: readonly Advice[]): Markup {
  if (advice.length === 0) return NOTHING;
  return markup`<h2 id="advice">Changes that would have saved money</h2>
    <p class="soft">Each figure is the result of a replay of the same calls at the same times.</p>
    ${advice.map(adviceOf)}`;
}

function adviceOf({ cause, transcripts, calls, share, before, effects }: Advice): Markup {
  return markup`<p>${swatch(colourOf(cause))}<b>${cause}</b>: ${causeInWords(cause)}</p>
    <ul>
      ${effects.map((effect) => markup`<li>${adviceText(effect)}</li>`)}
    </ul>
    <p class="soft">Replayed: ${formatCount(transcripts, 'transcript')} with ${formatCount(calls, 'call')} and ${percent(share, 1)} of the cost of this cause. They cost ${dollars(before)}.</p> `;
}
