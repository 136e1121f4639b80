// Whether a rewrite is worth a word before it is paid, and which words. Pure.

import type { CliffCost, ForeseenRewrite } from '@tidemark/context';
import { causesInWords } from '@tidemark/context';
import { sumOfMoney } from '@tidemark/model';
import type { RewriteNotice } from '../turn/runtime.ts';
import type { TurnEnding } from './next-move.ts';

/** Whether it reaches one of the two thresholds. An unknown price reaches none. */
export function isWorthSaying({ tokens = Infinity, cost }: RewriteNotice, rewrite: ForeseenRewrite): boolean {
  if (rewrite.tokens >= tokens) return true;
  if (cost === undefined || rewrite.cost === undefined) return false;
  return !sumOfMoney([rewrite.cost, `-${cost}`]).startsWith('-');
}

/** `the reasoning setting changed: 114,000 tokens are written again, $0.43`. */
export function rewriteInWords({ cause, also = [], tokens, cost }: ForeseenRewrite): string {
  const paid = cause === 'below-floor' ? 'are paid again' : 'are written again';
  return `${causesInWords([cause, ...also])}: ${tokens.toLocaleString('en-US')} tokens ${paid}, ${moneyInWords(cost)}`;
}

/** `above 100,000 tokens the whole request costs more, $0.05 more for this one`. */
export function cliffInWords({ above, cost }: CliffCost): string {
  const more = cost === undefined ? '' : `, ${moneyInWords(cost)} more for this one`;
  return `above ${above.toLocaleString('en-US')} tokens the whole request costs more${more}`;
}

/** To the cent, or to three digits below twenty cents: a cent there is more than the estimate is off. */
function moneyInWords(cost: string | undefined): string {
  if (cost === undefined) return 'at an unknown price';
  const dollars = Number(cost);
  return `$${dollars >= 0.2 ? dollars.toFixed(2) : dollars.toPrecision(3)}`;
}

/** The end of a turn whose next step a person did not want at its price; `why` where the asking itself failed. */
export function declined(step: number, rewrite: ForeseenRewrite, why = 'the user was asked and said no'): TurnEnding {
  const error = {
    code: 'turn/rewrite-declined',
    message: `step ${step} was not sent: ${why} (${rewriteInWords(rewrite)})`,
    next: 'Undo what changed if that is the cause, or go on all the same: resume asks once more.',
  };
  return { outcome: 'limited', error };
}
