// Answer of a side call, as the caller receives it. Like a turn, it has an outcome. A failure of the provider is an
// outcome and not an exception.

import { defined } from '@tidemark/core';
import type { Usage } from '@tidemark/log';
import type { StopReason } from '@tidemark/model';
import { allWritten, inputTokens, outputTokens, ProviderError } from '@tidemark/model';
import { failedBy } from '../decide/limits.ts';
import { AgentError } from '../errors.ts';
import type { SideAnswer, SideCall } from '../ports/live-session.ts';
import type { InputBuckets } from '../ports/input-buckets.ts';
import type { KnownTurnErrorCode } from '../ports/turn-error.ts';
import { limitIn } from '../ports/turn-error.ts';
import { keepGiven } from '../session/keep-images.ts';
import type { Actor } from './actor.ts';
import { partsOf } from './check-arguments.ts';
import { callBeside } from './side-call.ts';

type Ending = Pick<SideAnswer, 'outcome' | 'error' | 'limit'>;

/**
 * Sends a side call and returns its answer. If the call failed, the answer contains the failure.
 *
 * @throws AgentError for wrong arguments, and if the session is closed or cannot continue.
 */
export async function answerSideCall(actor: Actor, { prompt, ...call }: SideCall): Promise<SideAnswer> {
  const words = await keepGiven(actor, partsOf(prompt));
  try {
    const { stop, ...answer } = await callBeside(actor, { ...call, words });
    return { ...endingOf(stop), ...answer, ...tokensOf(answer.usage) };
  } catch (error) {
    const ending = endingAfter(error);
    if (ending === undefined) throw error;
    return { ...ending, text: '', parts: [], usage: {}, cost: undefined, request: undefined };
  }
}

function endingOf(stop: StopReason): Ending {
  if (stop === 'refusal')
    return failedAs('turn/refused', 'the model refused to answer', 'Rephrase the prompt of the side call.');
  if (stop !== 'length' && stop !== 'window') return { outcome: 'completed', error: undefined, limit: undefined };
  const message = 'the answer was cut off at the output limit or at the end of the context window';
  const next = 'Raise maxOutputTokens, or ask for a shorter answer.';
  return { outcome: 'limited', error: { code: 'turn/output-limit', message, next }, limit: undefined };
}

/** Returns the ending of a call that has no answer. If the error must be thrown to the caller, returns `undefined`. */
function endingAfter(error: unknown): Ending | undefined {
  if (error instanceof ProviderError) {
    const next = failedBy(error).error?.next ?? '';
    return failedAs(error.code, error.message, next.replace('resume', 'make the side call again'));
  }
  if (!(error instanceof AgentError)) return undefined;
  const { code, message } = error;
  if (code === 'agent/limited') {
    const next = 'Raise the limit, then make the side call again.';
    const limit = limitIn({ code: `turn/limit-${String(error.data['limit'])}` });
    return { outcome: 'limited', error: { code, message, next }, limit };
  }
  if (code !== 'agent/stopped') return undefined;
  return { outcome: 'interrupted', error: { code, message, next: 'Make the side call again.' }, limit: undefined };
}

function failedAs(code: KnownTurnErrorCode, message: string, next: string): Ending {
  return { outcome: 'failed', error: { code, message, next }, limit: undefined };
}

/**
 * Returns the token counts under the names that the totals of a turn use. A count that the provider did not report is
 * absent.
 */
function tokensOf(usage: Usage): Pick<SideAnswer, 'input' | 'output' | 'inputBuckets'> {
  const { fresh = 0, read = 0 } = usage;
  const written = allWritten(usage) ?? 0;
  const input = inputTokens(usage);
  const inputBuckets: InputBuckets | undefined =
    fresh + read + written === input ? { fresh, read, written } : undefined;
  return defined({ input, output: outputTokens(usage), inputBuckets });
}
