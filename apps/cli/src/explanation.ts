// An explanation in words: where a request stopped extending the one before it, which event did that, and what it cost.

import type { Explanation } from '@tidemark/agent';
import type { Block, Origin } from '@tidemark/model';

import { dollars, grouped } from './numbers.ts';
import type { Shown } from './shown.ts';
import { styled } from './shown.ts';

/** One explanation, for people. */
export function describeExplanation(one: Explanation): readonly Shown[] {
  const named = one.stream === 'main' ? `step ${one.step}` : `${one.purpose} (${one.stream})`;
  const said: Shown[] = [styled('bold', named), ` at ${one.at}`];
  if (one.divergence === undefined && one.miss === undefined)
    said.push('\n  extends the request before it and read all it could');
  if (one.divergence !== undefined) said.push(`\n  breaks at ${placeOf(one.divergence)}`);
  if (one.opened !== undefined) {
    const { cause, number, forecast } = one.opened;
    said.push(
      `\n  cause: ${cause} (epoch ${number}); forecast: ${grouped(forecast.rewrite)} tokens written again, ${dollars(forecast.cost)}`,
    );
  } else if (one.divergence !== undefined) said.push(styled('red', '\n  no event explains it: this is a bug (L3)'));
  if (one.miss !== undefined) {
    said.push(
      `\n  paid again: ${grouped(one.miss.tokens)} tokens, ${dollars(one.miss.cost)} above reading them (${one.miss.cause}${one.miss.cause === 'expired' ? pauseBefore(one) : ''})`,
    );
  }
  return said;
}

/** Entries live five minutes, from the start of the request that wrote or read them. */
function pauseBefore({ gap = 0 }: Explanation): string {
  return `: the request before it was sent ${(gap / 60_000).toFixed(1)} minutes earlier`;
}

function placeOf(divergence: NonNullable<Explanation['divergence']>): string {
  if (divergence.at === 'parameters')
    return `the render parameters, which the cache of ${divergence.section} depends on`;
  const { is, was, byte } = divergence;
  return `block ${divergence.at}, byte ${byte}: ${blockName(is)}, where ${blockName(was)} stood`;
}

function blockName(block: Block | undefined): string {
  return block === undefined ? 'nothing' : `${block.role} ${block.holds} from ${originName(block.origin)}`;
}

/** Where a span comes from, in words. */
export function originName(origin: Origin): string {
  return origin.from === 'layer' ? `layer ${origin.layer} ${origin.revision}` : `record ${origin.position}`;
}
