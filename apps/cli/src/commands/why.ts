// `tidemark why`: the break or miss of a step, its cause, the event behind it, its price.

import type { Explanation } from '@tidemark/agent';
import { explainSession } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import type { Block, Origin } from '@tidemark/model';

import type { Command, CommandContext, Outcome } from '../command.ts';
import { encoders } from '../encoders.ts';
import { CliError } from '../failure.ts';
import { dollars, grouped } from '../numbers.ts';
import { sessionArgument } from '../session-argument.ts';
import type { Shown } from '../shown.ts';
import { styled } from '../shown.ts';
import { stepArgument } from '../step-argument.ts';

/** Explains breaks and misses. */
export const why: Command = {
  name: 'why',
  summary: 'explain each cache break and miss of a session: where, which event, why, and what it cost',
  examples: [
    ['tidemark why <session>', 'every step that broke or missed, and side calls that missed'],
    ['tidemark why <session> 12', 'step 12, whatever happened there'],
    ['tidemark why <session> --json', 'as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .argument('<session>', 'the session')
      .argument('[step]', 'one step')
      .action((session: string, step: string | undefined) =>
        run((context) =>
          explain(sessionArgument(session), step === undefined ? undefined : stepArgument(step), context),
        ),
      ),
};

async function explain(session: SessionId, step: number | undefined, context: CommandContext): Promise<Outcome> {
  const { requests, explained } = await explainSession(await context.store(), session, encoders, step);
  if (step !== undefined && explained.length === 0) throw noStep(session, step);
  context.output.result({ session, requests, explained: explained.map(valueOf) }, () =>
    explained.length === 0 ? nothingToExplain(session, requests) : lines(explained),
  );
  return undefined;
}

function nothingToExplain(session: SessionId, requests: number): string {
  return requests === 0
    ? `0 requests of ours in ${session}: an import holds none (\`tidemark replay --keep\` drives it and keeps its requests)`
    : `nothing to explain: each request of ${session} extends the one before it and read all it could`;
}

/** The step is not there: an import has none of ours. */
export function noStep(session: SessionId, step: number | string): CliError {
  return new CliError(
    'cli/not-found',
    `${session} holds no request of ${typeof step === 'number' ? `step ${step}` : step}`,
    '`tidemark show <session>` lists the steps; an import has none: `tidemark replay --keep <session>` drives it first',
  );
}

function lines(found: readonly Explanation[]): Shown {
  return found.flatMap((one, index) => [index === 0 ? '' : '\n', ...describeExplanation(one)]);
}

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

function valueOf(one: Explanation): object {
  const { divergence, answer, ...rest } = one;
  const place =
    divergence === undefined || divergence.at === 'parameters'
      ? divergence
      : { at: divergence.at, byte: divergence.byte, is: divergence.is?.origin, was: divergence.was?.origin };
  return {
    ...rest,
    ...(place === undefined ? {} : { divergence: place }),
    ...(answer === undefined ? {} : { usage: answer.usage, cost: answer.cost }),
  };
}
