// Formats an explanation: the place where a request no longer extends the previous one, the event that caused this, and
// the cost.

import type { Explanation } from '@tidemark/agent';
import type { LossCause } from '@tidemark/context';
import { causeInWords } from '@tidemark/context';
import type { Block, Origin } from '@tidemark/model';

import { describeCheck } from './cross-check.ts';
import { dollars, formatNumber } from '../frame/numbers.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

/** Formats one explanation for people: the place, the cause and the cost. */
export function describeExplanation(one: Explanation): readonly Shown[] {
  const { divergence, opened, observed, miss, checked, cliff } = one;
  const named = one.stream === 'main' ? `step ${one.step}` : `${one.purpose} (${one.stream})`;
  const lines: Shown[] = [];
  if (divergence === undefined && miss === undefined) lines.push(wholeOf(one));
  if (divergence !== undefined) lines.push(`breaks at ${placeOf(divergence)}`);
  if (opened !== undefined) lines.push(`cause: ${allInWords(opened)} (epoch ${opened.number})`, forecastOf(opened));
  else if (divergence !== undefined && observed !== undefined) lines.push(...derivedLines(observed));
  else if (divergence !== undefined) lines.push(withStyle('red', 'no event explains the break: this is a bug (L3)'));
  if (miss !== undefined)
    lines.push(`paid again: ${formatNumber(miss.tokens)} tokens, ${dollars(miss.cost)} more than reading them`);
  const isExplained = divergence !== undefined && observed !== undefined;
  if (miss !== undefined && !isExplained && !(miss.cause === 'opened' && opened !== undefined))
    lines.push(`cause: ${missInWords(miss, opened)}${detailOf(one, miss)}`);
  if (cliff !== undefined)
    lines.push(
      `crosses a price cliff: above ${formatNumber(cliff.above)} tokens, the whole request costs more; this one costs ${dollars(cliff.cost)} more`,
    );
  if (checked !== undefined) lines.push(describeCheck(checked));
  const sender = one.counted === true ? ', from its token counts' : observed === undefined ? '' : ', as it was sent';
  return [withStyle('bold', named), ` at ${one.at}${sender}`, ...lines.map((line) => ['\n  ', line])];
}

/**
 * Describes the break of a request that another program sent. No event names its cause, so the cause is derived from
 * the two requests.
 */
function derivedLines({ cause, excerpt }: NonNullable<Explanation['observed']>): readonly Shown[] {
  const words = cause === undefined ? 'an earlier message changed' : inWords(cause);
  const texts = excerpt === undefined ? [] : [`was: ${excerpt.was}`, `is:  ${excerpt.is}`];
  return [...texts, `cause: ${words} (derived from the two requests)`];
}

/** Describes a request without a break and without a miss. */
function wholeOf(one: Explanation): string {
  if (one.counted !== true) return `extends the previous request${readOf(one)}`;
  return one.answer?.usage.read === undefined
    ? 'its cache reads are unknown, because the recording does not contain them'
    : 'read all tokens that the calls before it had left in the cache';
}

function readOf({ answer }: Explanation): string {
  if (answer === undefined) return '; its cache reads are unknown, because no complete answer arrived';
  if (answer.usage.read === undefined) return '; its cache reads are unknown, because the server does not report them';
  return ' and read all cached tokens';
}

function inWords(cause: LossCause): string {
  return `${cause}, ${causeInWords(cause)}`;
}

/** Returns the causes in words, the main cause first. All causes applied at the same time. */
function allInWords({ cause, also = [] }: { readonly cause: LossCause; readonly also?: readonly LossCause[] }): string {
  return [cause, ...also].map(inWords).join('; also ');
}

/**
 * Returns the causes of a miss in words. Omits the additional cause `opened` if the output already names the opened
 * epoch.
 */
function missInWords({ cause, also = [] }: NonNullable<Explanation['miss']>, opened: Explanation['opened']): string {
  const others = opened === undefined ? also : also.filter((one) => one !== 'opened');
  return allInWords({ cause, also: others });
}

function forecastOf({ forecast }: NonNullable<Explanation['opened']>): string {
  return `forecast: ${formatNumber(forecast.rewrite)} tokens written again, ${dollars(forecast.cost)}`;
}

/** Returns the pause before an expiry, or the number of read tokens before an edit. */
function detailOf(one: Explanation, { cause, from }: NonNullable<Explanation['miss']>): string {
  if (cause === 'expired') return pauseBefore(one);
  return cause === 'edited' && from !== undefined ? ` (the first ${formatNumber(from)} tokens were read)` : '';
}

/**
 * Returns the time since the previous request was sent. The lifetime of a cache entry starts when a request that writes
 * or reads the entry is sent.
 */
function pauseBefore({ gap }: Explanation): string {
  return gap === undefined ? '' : ` (the previous request was sent ${(gap / 60_000).toFixed(1)} minutes earlier)`;
}

function placeOf(divergence: NonNullable<Explanation['divergence']>): string {
  if (divergence.at === 'parameters')
    return `the render parameters, which the cache of ${divergence.section} depends on`;
  const { is, was, byte } = divergence;
  return `block ${divergence.at}, byte ${byte}: ${blockName(is)} instead of ${blockName(was)}`;
}

function blockName(block: Block | undefined): string {
  return block === undefined ? 'nothing' : `${block.role} ${block.holds} from ${originName(block.origin)}`;
}

/** Returns the origin of a span as text. The origin is a layer with its revision, or the position of a record. */
export function originName(origin: Origin): string {
  return origin.from === 'layer' ? `layer ${origin.layer} ${origin.revision}` : `record ${origin.position}`;
}
