// Public interface of the simulator. A simulator answers calls from the same process without HTTP, and can listen on a
// port.

import type { SimulatedAnswer } from '../core/answer.ts';
import { admit, count } from '../anthropic/admit.ts';
import type { AdmittedMessage, IncomingCall } from '../anthropic/admit.ts';
import { createOpenAICore, resetCore } from '../openai/memory.ts';
import { checkRun, reportOf } from '../core/report.ts';
import type { RunReport, RunThresholds } from '../core/report.ts';
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

/** Call to the Messages endpoint without HTTP, from the same process. */
export interface SimulatorCall extends TimedAnswerPlan {
  /** Request body: exactly the bytes that would be sent over HTTP. */
  readonly body: Uint8Array | string;
  /** Name that stands for an organisation and workspace. Each account has its own caches. Default: `default`. */
  readonly account?: string;
  /** Values of the `anthropic-beta` header. Default: none. */
  readonly betas?: readonly string[];
  /** Headers for routes and logs, with lower-case names. Default: none. */
  readonly headers?: { readonly [name: string]: string };
}

/** Result of a Messages call that was answered. */
export interface AnsweredCall {
  readonly outcome: 'answered';
  readonly status: 200;
  /** True usage of the call, with the fields of provider-facts §1.4. */
  readonly usage: SimulatedUsage;
  readonly answer: SimulatedAnswer;
  /** Whole response body, in the form of a response that is not streamed. */
  readonly message: WireObject;
  /**
   * Time at which the answer begins, in milliseconds since the epoch. The cache entries that the call wrote are
   * readable from this time on.
   */
  readonly firstByteAt: number;
  /**
   * Cache entry that the call read: the number of tokens in its prefix, and its lifetime. `undefined` if the call read
   * no entry.
   */
  readonly hit: { readonly tokens: number; readonly ttl: '5m' | '1h' } | undefined;
  /** Fault of the call, if any. A fault of the stream or the connection has no effect without HTTP. */
  readonly fault: Fault | undefined;
}

/**
 * Simulated provider. It answers like the real service. It computes the use of the prompt cache by the published rules.
 */
export interface Simulator {
  /**
   * Answers or refuses one call as `POST /v1/messages` would, but without HTTP.
   *
   * @throws SimulatorError `simulator/time-backwards` when the call has an earlier time than a call before it,
   * `simulator/no-virtual-clock` when the call has a time but the clock is not virtual.
   */
  messages(call: SimulatorCall): AnsweredCall | MessageRefusal;
  /** Answers or refuses one call as `POST /v1/messages/count_tokens` would, but without HTTP. */
  countTokens(
    call: SimulatorCall,
  ): { readonly outcome: 'counted'; readonly status: 200; readonly inputTokens: number } | MessageRefusal;
  /**
   * Answers or refuses one call as `POST /v1/responses` would, but without HTTP.
   *
   * @throws SimulatorError `simulator/time-backwards` when the call has an earlier time than a call before it,
   * `simulator/no-virtual-clock` when the call has a time but the clock is not virtual.
   */
  responses(call: OpenAICall): AnsweredOpenAICall | OpenAIRefusal;
  /** Answers or refuses one call as `POST /v1/responses/input_tokens` would, but without HTTP. */
  inputTokens(
    call: OpenAICall,
  ): { readonly outcome: 'counted'; readonly status: 200; readonly inputTokens: number } | OpenAIRefusal;
  /** Answers or refuses one call as `POST /v1/chat/completions` of OpenAI or OpenRouter would, but without HTTP. */
  chat(call: ChatCall): AnsweredOpenAICall | OpenAIRefusal;
  /**
   * Queues a plan for a later call to any endpoint, with or without HTTP. Each call takes the first plan of the queue.
   */
  next(plan: TimedAnswerPlan): void;
  /** Queues a fault. The next call that has no fault of its own takes it. */
  fail(fault: Fault): void;
  /**
   * Accepts a signature that this simulator did not issue. The signature is bound to the prefix of the first request
   * that contains it.
   */
  issueSignature(signature: string): void;
  /** Removes all entries from the caches of all accounts. */
  evict(): void;
  /** Latest calls that arrived, oldest first. */
  readonly calls: readonly LedgerCall[];
  /** Number of steps of the scenario that are not used yet, or 0 without a scenario. */
  readonly stepsLeft: number;
  /** Returns a copy of `calls`. */
  requests(): readonly LedgerCall[];
  /** Returns the totals of all calls since the start or the last reset, and the unused steps. */
  report(): RunReport;
  /**
   * Returns the reasons why a strict run fails, or an empty list. The reasons are unused steps, calls that matched no
   * step or route, refusals that no fault planned, and missed thresholds.
   */
  check(thresholds?: RunThresholds): readonly string[];
  /**
   * Sets the simulator back to the state of a new simulator. The scenario begins at its first step. Queued plans and
   * faults, caches, stored responses, ids, a virtual clock, the ledger and the report start new. A server continues to
   * listen.
   */
  reset(): void;
  /**
   * Listens on a port of the loopback interface. The default is a free port.
   *
   * @throws SimulatorError `simulator/listen-failed` when the port is taken, `simulator/bad-options` for a wrong limit
   *   or host name.
   */
  listen(options?: ListenOptions): Promise<ListeningSimulator>;
}

/**
 * Creates a simulator. By default it uses the shipped catalog and the system clock.
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
    get calls() {
      return core.ledger.calls;
    },
    get stepsLeft() {
      return core.play?.unplayed.length ?? 0;
    },
    requests: () => [...core.ledger.calls],
    report: () => reportOf(core),
    check: (thresholds) => checkRun(reportOf(core), thresholds),
    reset: () => resetCore(core),
    async listen(listenOptions = {}) {
      // Loads the server only when `listen` is called. The server loads 90 modules, and most users never call `listen`.
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

/** Call to an OpenAI endpoint without HTTP, from the same process. */
export interface OpenAICall extends TimedAnswerPlan {
  /** Request body: exactly the bytes that would be sent over HTTP. */
  readonly body: Uint8Array | string;
  /** Name that stands for an organisation. Each account has its own caches. Default: `default`. */
  readonly account?: string;
  /** Headers for routes and logs, with lower-case names. Default: none. */
  readonly headers?: { readonly [name: string]: string };
}

/** Call to a chat endpoint without HTTP, from the same process. */
export interface ChatCall extends OpenAICall {
  /** Service whose chat endpoint is called. Default: `openai`. */
  readonly service?: 'openai' | 'openrouter';
}

/** Result of a call to an OpenAI endpoint that was answered. */
export interface AnsweredOpenAICall {
  readonly outcome: 'answered';
  readonly status: 200;
  /** True token counts of the call. */
  readonly counts: TokenCounts;
  /** True token counts of the call, in the form of the `usage` field of the response. */
  readonly usage: WireObject;
  readonly answer: SimulatedAnswer;
  /** Whole response body, in the form of a response that is not streamed. */
  readonly body: WireObject;
  /**
   * Time at which the answer begins, in milliseconds since the epoch. The cache entries that the call wrote are
   * readable from this time on.
   */
  readonly firstByteAt: number;
  /**
   * Number of the machine that served the call: 0 is the usual machine, and 1 or more is an overflow machine. Each
   * machine has its own cache (provider-facts §2.2).
   */
  readonly overflow: number;
  /** Fault of the call, if any. A fault of the stream or the connection has no effect without HTTP. */
  readonly fault: Fault | undefined;
}

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
