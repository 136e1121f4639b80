// `tidemark why`: explains the break or miss of a step. Names its cause, the event that caused it, and its price.

import { defined } from '@tidemark/core';
import type { Explanation, UntoldReads } from '@tidemark/agent';
import { explainSession } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { encoders } from '../reports/encoders.ts';
import { describeExplanation } from '../reports/explanation.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, nameAndStep, requiredSession } from '../arguments/session-argument.ts';
import type { Shown } from '../frame/shown.ts';
import { noStep, stepArgument } from '../arguments/step-argument.ts';

/** Command `tidemark why`, which explains the cache breaks and misses of a session. */
export const why: Command = {
  name: 'why',
  summary: 'explain each cache break and miss of a session: place, event, cause and cost',
  examples: [
    ['tidemark why <session>', 'every step with a break or a miss, and every side call with a miss'],
    ['tidemark why <session> 12', 'step 12, even without a break or a miss'],
    ['tidemark why --last 12', 'step 12 of the newest session of this folder'],
    ['tidemark why <session> --json', 'as one JSON object'],
  ],
  declare: (command, run) =>
    void declareSession(command)
      .argument('[step]', 'step number')
      .action((first: string | undefined, second: string | undefined, flags: SessionFlags) =>
        run(async (context) => {
          const { name, step } = nameAndStep(first, second, flags);
          const number = step === undefined ? undefined : stepArgument(step);
          return explain(await requiredSession(name, flags, context), number, context);
        }),
      ),
};

async function explain(session: SessionId, step: number | undefined, context: CommandContext): Promise<CommandOutcome> {
  const store = await context.store();
  const { requests, unrecorded, untold, explained } = await explainSession(store, session, encoders, step);
  if (step !== undefined && explained.length === 0) throw await noStep(store, session, step);
  const notes = step === undefined ? [untoldInWords(requests, untold), unrecordedInWords(session, unrecorded)] : [];
  const unknown = joined(notes);
  context.output.result({ session, requests, unrecorded, untold, explained: explained.map(valueOf) }, () =>
    explained.length === 0
      ? nothingToExplain({ session, requests, unrecorded }, unknown)
      : [lines(explained), unknown === undefined ? '' : `\n\n${unknown}`],
  );
  return undefined;
}

/** Session without anything to explain, with its numbers of requests and of calls without a recorded request. */
interface WholeSession {
  readonly session: SessionId;
  readonly requests: number;
  readonly unrecorded: number;
}

function nothingLost(session: SessionId, calls: number): string {
  return `nothing to explain: by its token counts, no call of ${session} (${formatNumber(calls)}) paid for tokens again`;
}

function nothingToExplain({ session, requests, unrecorded }: WholeSession, unknown: string | undefined): string {
  if (requests === 0 && unrecorded > 0) return nothingLost(session, unrecorded);
  if (requests === 0) return `0 requests in ${session}: the session has no calls`;
  if (unknown !== undefined) return `each request of ${session} extends the previous one. ${unknown}`;
  return `nothing to explain: each request of ${session} extends the previous one and read all cached tokens`;
}

/**
 * Returns the number of requests with unknown cache reads, and the reasons. If the cache reads of all requests are
 * known, returns `undefined`.
 */
function untoldInWords(requests: number, { answered, unanswered }: UntoldReads): string | undefined {
  const unknown = answered + unanswered;
  if (unknown === 0) return undefined;
  const reasons = [
    ...(answered === 0 ? [] : [`${formatCount(answered, 'answer')} without a count`]),
    ...(unanswered === 0 ? [] : [`${formatCount(unanswered, 'request')} without a complete answer`]),
  ].join(', ');
  return `The cache reads of ${formatNumber(unknown)} of ${formatCount(requests, 'request')} are unknown: ${reasons}`;
}

/**
 * Returns the number of calls whose requests are not in the recording. If there are no such calls, returns `undefined`.
 */
function unrecordedInWords(session: SessionId, unrecorded: number): string | undefined {
  if (unrecorded === 0) return undefined;
  return `The recording does not contain the requests of ${formatCount(unrecorded, 'call')}: \`tidemark replay --keep ${session}\` shows them as they would have been sent`;
}

function joined(notes: readonly (string | undefined)[]): string | undefined {
  const present = notes.filter((note) => note !== undefined);
  return present.length === 0 ? undefined : present.join('\n');
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
    ...defined({ divergence: place }),
    ...(answer === undefined ? {} : { usage: answer.usage, cost: answer.cost }),
  };
}
