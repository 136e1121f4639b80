// The OpenAI part as the embedding process calls it, without a socket.

import type { SimulatedAnswer } from '../core/answer.ts';
import type { OpenAICore } from './memory.ts';
import type { Fault } from '../core/faults.ts';
import type { TimedAnswerPlan } from '../core/options.ts';
import type { WireObject } from '../core/wire.ts';
import type { IncomingOpenAICall } from './admit.ts';
import { callInputTokens } from './calls.ts';
import type { OpenAIReply } from './calls.ts';
import type { OpenAIRefusal } from './format/refusal.ts';
import type { TokenCounts } from '../core/ledger.ts';

/** One call in process. */
export interface OpenAICall extends TimedAnswerPlan {
  /** Exactly the bytes that would go over the wire. */
  readonly body: Uint8Array | string;
  /** Stands for the organisation: caches are kept apart. */
  readonly account?: string;
}

/** One chat call in process. */
export interface ChatCall extends OpenAICall {
  /** `openai` unless said otherwise. */
  readonly service?: 'openai' | 'openrouter';
}

/** A call that was answered. */
export interface AnsweredOpenAICall {
  readonly outcome: 'answered';
  readonly status: 200;
  /** The true account in tokens. */
  readonly counts: TokenCounts;
  /** The same as the wire's `usage`. */
  readonly usage: WireObject;
  readonly answer: SimulatedAnswer;
  /** The whole response body, as it is without a stream. */
  readonly body: WireObject;
  /** Milliseconds since the epoch from which what was written can be read. */
  readonly firstByteAt: number;
  /** 0 on the machine of its own, from 1 on an overflow with a cache of its own (§2.2). */
  readonly overflow: number;
  /** A fault that strikes on the way, which in process nothing does. */
  readonly fault: Fault | undefined;
}

/** Answers a call in process. Its answer begins at once. */
export function answerOpenAI(
  core: OpenAICore,
  call: OpenAICall,
  answer: (core: OpenAICore, call: IncomingOpenAICall) => OpenAIReply | OpenAIRefusal,
): AnsweredOpenAICall | OpenAIRefusal {
  const outcome = answer(core, incoming(call));
  if (outcome.outcome === 'refused') return outcome;
  const firstByteAt = outcome.startedAt + core.settings.firstByteMs;
  outcome.begin(firstByteAt);
  const { counts, usage, body, overflow, fault } = outcome;
  return {
    outcome: 'answered',
    status: 200,
    counts,
    usage,
    answer: outcome.answer,
    body,
    firstByteAt,
    overflow,
    fault,
  };
}

/** Counts in process. */
export function countInputTokens(
  core: OpenAICore,
  call: OpenAICall,
): { readonly outcome: 'counted'; readonly status: 200; readonly inputTokens: number } | OpenAIRefusal {
  const counted = callInputTokens(core, incoming(call));
  return counted.outcome === 'refused' ? counted : { outcome: 'counted', status: 200, inputTokens: counted.tokens };
}

function incoming(call: OpenAICall): IncomingOpenAICall {
  return { ...call, account: call.account ?? 'default' };
}
