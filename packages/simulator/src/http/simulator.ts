// The simulator as others hold it: a core that answers in process, and a door to listen at.

import type { SimulatedAnswer } from '../core/answer.ts';
import { admit, count } from '../anthropic/admit.ts';
import type { AdmittedMessage, IncomingCall } from '../anthropic/admit.ts';
import { createOpenAICore } from '../openai/memory.ts';
import type { OpenAICore } from '../openai/memory.ts';
import type { Fault } from '../core/faults.ts';
import type { ListeningSimulator, ListenOptions } from './server.ts';
import type { LedgerCall, SimulatedUsage, TokenCounts } from '../core/ledger.ts';
import { callChat, callResponses, callInputTokens } from '../openai/calls.ts';
import type { OpenAIRefusal } from '../openai/format/refusal.ts';
import { messageOf } from '../anthropic/message.ts';
import { resolveOptions } from '../core/options.ts';
import type { TimedAnswerPlan, SimulatorOptions } from '../core/options.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { WireObject } from '../core/wire.ts';
import type { IncomingOpenAICall } from '../openai/admit.ts';
import type { OpenAIReply } from '../openai/calls.ts';

/** One call in process. */
export interface SimulatorCall extends TimedAnswerPlan {
  /** Exactly the bytes that would go over the wire. */
  readonly body: Uint8Array | string;
  /** Stands for organisation and workspace: caches are kept apart. */
  readonly account?: string;
  /** Values of the `anthropic-beta` header. */
  readonly betas?: readonly string[];
}

/** A call that was answered. */
export interface AnsweredCall {
  readonly outcome: 'answered';
  readonly status: 200;
  /** The true account, with the fields of §1.4. */
  readonly usage: SimulatedUsage;
  readonly answer: SimulatedAnswer;
  /** The whole response body, as it is without a stream. */
  readonly message: WireObject;
  /** Milliseconds since the epoch from which what was written can be read. */
  readonly firstByteAt: number;
  /** The entry that was read: tokens up to it and its lifetime. */
  readonly hit: { readonly tokens: number; readonly ttl: '5m' | '1h' } | undefined;
  /** A fault that strikes on the way, which in process nothing does. */
  readonly fault: Fault | undefined;
}

/** A provider that is not there: it answers as the real one does, and accounts its cache by the published rules. */
export interface Simulator {
  /**
   * Answers one `POST /v1/messages` in process, or refuses it.
   *
   * @throws SimulatorError `simulator/time-backwards`, `simulator/no-virtual-clock`.
   */
  messages(call: SimulatorCall): AnsweredCall | MessageRefusal;
  /** Answers one `POST /v1/messages/count_tokens` in process. */
  countTokens(
    call: SimulatorCall,
  ): { readonly outcome: 'counted'; readonly status: 200; readonly inputTokens: number } | MessageRefusal;
  /**
   * Answers one `POST /v1/responses` in process, or refuses it.
   *
   * @throws SimulatorError `simulator/time-backwards`, `simulator/no-virtual-clock`.
   */
  responses(call: OpenAICall): AnsweredOpenAICall | OpenAIRefusal;
  /** Answers one `POST /v1/responses/input_tokens` in process. */
  inputTokens(
    call: OpenAICall,
  ): { readonly outcome: 'counted'; readonly status: 200; readonly inputTokens: number } | OpenAIRefusal;
  /** Answers one `POST /v1/chat/completions` in process, of OpenAI or of OpenRouter, or refuses it. */
  chat(call: ChatCall): AnsweredOpenAICall | OpenAIRefusal;
  /** How to answer the next call of any wire that comes, in process or over HTTP. Several queue up. */
  next(plan: TimedAnswerPlan): void;
  /** A fault for the next call that brings none of its own. Several queue up. */
  fail(fault: Fault): void;
  /** Accepts a signature from elsewhere; it is bound to the prefix it is first seen in. */
  issueSignature(signature: string): void;
  /** Empties every cache. */
  evict(): void;
  /** The latest calls, oldest first. */
  readonly calls: readonly LedgerCall[];
  /** Steps of the scenario not used yet; 0 without one. */
  readonly stepsLeft: number;
  /**
   * Opens a loopback port (a free one by default).
   *
   * @throws SimulatorError `simulator/listen-failed`, `simulator/bad-options`.
   */
  listen(options?: ListenOptions): Promise<ListeningSimulator>;
}

/**
 * Makes a simulator.
 *
 * @throws SimulatorError `simulator/bad-options`, `simulator/bad-scenario`.
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const core = createOpenAICore(resolveOptions(options));
  return {
    messages: (call) => answerMessage(core, call),
    countTokens(call) {
      const counted = count(core, incoming(call));
      return counted.outcome === 'refused' ? counted : { outcome: 'counted', status: 200, inputTokens: counted.tokens };
    },
    responses: (call) => answerOpenAI(core, call, callResponses),
    inputTokens: (call) => countInputTokens(core, call),
    chat: (call) =>
      answerOpenAI(core, call, (own, each) => callChat(own, each, call.service === 'openrouter' ? 'router' : 'chat')),
    next: (plan) => void core.plans.push(plan),
    fail: (fault) => void core.faults.push(fault),
    issueSignature: (signature) => core.signatures.admit(signature),
    evict() {
      for (const store of core.stores.values()) store.clear();
      core.openai.fleet.clear();
    },
    calls: core.ledger.calls,
    get stepsLeft() {
      return core.play?.left ?? 0;
    },
    async listen(listenOptions = {}) {
      // A server is 90 modules, and most who hold a simulator never listen.
      const { listen } = await import('./server.ts');
      return listen(core, listenOptions);
    },
  };
}

function answerMessage(core: OpenAICore, call: SimulatorCall): AnsweredCall | MessageRefusal {
  const outcome = admit(core, incoming(call));
  if (outcome.outcome === 'refused') return outcome;
  const firstByteAt = outcome.startedAt + core.settings.firstByteMs;
  outcome.begin(firstByteAt);
  return answeredCall(outcome, firstByteAt);
}

function answeredCall(admitted: AdmittedMessage, firstByteAt: number): AnsweredCall {
  const { reply, usage, account, fault } = admitted;
  const hit = account.hit === undefined ? undefined : { tokens: account.counts.read, ttl: account.hit.entry.ttl };
  return {
    outcome: 'answered',
    status: 200,
    usage,
    answer: reply.answer,
    message: messageOf(reply),
    firstByteAt,
    hit,
    fault,
  };
}

function incoming(call: SimulatorCall): IncomingCall {
  return { ...call, account: call.account ?? 'default', betas: call.betas ?? [] };
}

/** One call in process. */
export interface OpenAICall extends TimedAnswerPlan {
  /** Exactly the bytes that would go over the wire. */
  readonly body: Uint8Array | string;
  /** Stands for the organisation: caches are kept apart. */
  readonly account?: string;
}

/** One chat call in process. */
export interface ChatCall extends OpenAICall {
  /** Default: `openai`. */
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
function answerOpenAI(
  core: OpenAICore,
  call: OpenAICall,
  answer: (core: OpenAICore, call: IncomingOpenAICall) => OpenAIReply | OpenAIRefusal,
): AnsweredOpenAICall | OpenAIRefusal {
  const outcome = answer(core, incomingOpenAI(call));
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
function countInputTokens(
  core: OpenAICore,
  call: OpenAICall,
): { readonly outcome: 'counted'; readonly status: 200; readonly inputTokens: number } | OpenAIRefusal {
  const counted = callInputTokens(core, incomingOpenAI(call));
  return counted.outcome === 'refused' ? counted : { outcome: 'counted', status: 200, inputTokens: counted.tokens };
}

function incomingOpenAI(call: OpenAICall): IncomingOpenAICall {
  return { ...call, account: call.account ?? 'default' };
}
