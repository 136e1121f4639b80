// `tidemark why`: the break or miss of a step, its cause, the event behind it, its price.

import type { Explanation } from '@tidemark/agent';
import { explainSession } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';

import type { Command, CommandContext, Outcome } from '../command.ts';
import { encoders } from '../encoders.ts';
import { describeExplanation } from '../explanation.ts';
import { sessionArgument } from '../session-argument.ts';
import type { Shown } from '../shown.ts';
import { noStep, stepArgument } from '../step-argument.ts';

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

function lines(found: readonly Explanation[]): Shown {
  return found.flatMap((one, index) => [index === 0 ? '' : '\n', ...describeExplanation(one)]);
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
