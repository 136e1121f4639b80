// OpenAI service without a socket. It takes a request body and returns a refusal or an admitted call. The cache entries
// that a call writes become readable only when its answer begins.

import { hash } from 'node:crypto';
import { DEFAULT_ANSWER } from '../core/answer.ts';
import type { SimulatedAnswer, OutputRoom } from '../core/answer.ts';
import type { OpenAICore } from './memory.ts';
import type { Fault } from '../core/faults.ts';
import type { CallTrace, LedgerCall, TokenCounts } from '../core/ledger.ts';
import type { AnswerPlan, TimedAnswerPlan } from '../core/options.ts';
import { askHook, causedByFault, planCall, playStep } from '../core/core.ts';
import { idOf } from '../core/ids.ts';
import type { ReceivedRequest, SentResult } from '../core/received.ts';
import { objectAt, isList, isObject, textOf } from '../core/wire.ts';
import type { ConnectionMemory } from './responses/stored.ts';
import { openAIRefusalOf } from './format/faults.ts';
import { makeOutput } from './format/output.ts';
import { prefixOf } from './cache/prefix.ts';
import type { PrefixEnd } from './cache/prefix.ts';
import type { OpenAIRequest, OpenAIWire, PromptItem } from './format/prompt.ts';
import { bad } from './format/refusal.ts';
import type { OpenAIRefusal } from './format/refusal.ts';
import { firstRefusal } from '../core/refusal.ts';
import { checkServerTools } from './format/unsimulated.ts';
import { serve } from './serve.ts';
import type { ServedCall } from './serve.ts';
import { toolName } from './format/prompt.ts';

/**
 * One call: the request body, the account and a plan for the answer. If the call has its own plan, this plan takes
 * precedence over a queued plan.
 */
export interface IncomingOpenAICall extends TimedAnswerPlan {
  readonly body: Uint8Array | string;
  /** Name that stands for an organisation. Each account has its own caches. */
  readonly account: string;
  /** HTTP headers with lower-case names. Default: none. */
  readonly headers?: { readonly [name: string]: string };
  /** Memory of the WebSocket connection of the call. Absent if the call came over HTTP or from the same process. */
  readonly connection?: ConnectionMemory;
  /**
   * False if the call generates no answer and only fills the cache and the memory of its WebSocket connection. Default:
   * true.
   */
  readonly generates?: boolean;
}

/** Call that passed all checks and will be answered. The form is the same for all endpoints. */
export interface AdmittedCall<Request extends OpenAIRequest> {
  readonly outcome: 'admitted';
  readonly request: Request;
  readonly account: string;
  readonly startedAt: number;
  readonly prefix: readonly PrefixEnd[];
  readonly answer: SimulatedAnswer;
  /** Id of the answer: `resp_…`, `chatcmpl-…`, or `gen-…` from a router. */
  readonly id: string;
  /** Text from which the ids inside the answer are derived. */
  readonly seed: string;
  /** True token counts of the call. A `wrong-usage` fault does not change them. */
  readonly counts: TokenCounts;
  readonly overflow: number;
  readonly fault: Fault | undefined;
  /**
   * Records that the answer begins at `at`, in milliseconds since the epoch. The entries that the call wrote are
   * readable from this time on.
   */
  begin(at: number): void;
}

/** Reads the request body of a call in the format of one endpoint. Returns a refusal if the body is not valid. */
export type BodyReader<Request extends OpenAIRequest> = (body: Uint8Array, account: string) => Request | OpenAIRefusal;

const ENDPOINTS: { readonly [wire in OpenAIWire]: Pick<LedgerCall, 'wire' | 'endpoint'> } = {
  responses: { wire: 'openai', endpoint: 'responses' },
  chat: { wire: 'openai', endpoint: 'chat/completions' },
  router: { wire: 'openrouter', endpoint: 'chat/completions' },
};

const IDS: { readonly [wire in OpenAIWire]: string } = { responses: 'resp_', chat: 'chatcmpl-', router: 'gen-' };

/** Answers or refuses a call, and adds the call to the ledger. */
export function admitOpenAI<Request extends OpenAIRequest>(
  core: OpenAICore,
  call: IncomingOpenAICall,
  wire: OpenAIWire,
  read: BodyReader<Request>,
): AdmittedCall<Request> | OpenAIRefusal {
  const plan = planCall(core, call);
  const arrived: ArrivedCall = { ...arrive(core, call, plan.at), model: '' };
  const outcome = admitArrived(core, arrived, plan, read, ENDPOINTS[wire].wire);
  core.ledger.add(() => ({ ...describe(arrived), ...ENDPOINTS[wire], ...toldOf(outcome), ...arrived.trace }), arrived);
  return outcome;
}

/**
 * Counts the input tokens of a request, or refuses the request. Counting writes nothing to the cache, and takes no plan
 * and no fault from the queues.
 */
export function countOpenAI(
  core: OpenAICore,
  call: IncomingOpenAICall,
  read: BodyReader<OpenAIRequest>,
): { readonly outcome: 'counted'; readonly tokens: number } | OpenAIRefusal {
  const arrived: ArrivedCall = { ...arrive(core, call, call.at), model: '' };
  const request = readSimulated(core, arrived, read);
  const refused = isRefusal(request);
  if (!refused) arrived.model = request.model;
  core.ledger.add(
    () => ({
      ...describe(arrived),
      wire: 'openai',
      endpoint: 'responses/input_tokens',
      ...(refused ? toldOf(request) : { status: 200 }),
    }),
    arrived,
  );
  return refused ? request : { outcome: 'counted', tokens: prefixOf(request, call.sizes).at(-1)?.tokens ?? 0 };
}

interface ArrivedCall {
  readonly at: number;
  readonly account: string;
  readonly body: Uint8Array;
  readonly headers: { readonly [name: string]: string };
  readonly trace: CallTrace;
  /** Model name in the request. Empty until the body has been read. */
  model: string;
}

function arrive(core: OpenAICore, call: IncomingOpenAICall, time: number | undefined): Omit<ArrivedCall, 'model'> {
  const body = typeof call.body === 'string' ? Buffer.from(call.body) : call.body;
  return { at: core.clock.now(time), account: call.account, body, headers: call.headers ?? {}, trace: {} };
}

function isRefusal(value: OpenAIRequest | OpenAIRefusal): value is OpenAIRefusal {
  return 'outcome' in value;
}

function admitArrived<Request extends OpenAIRequest>(
  core: OpenAICore,
  arrived: ArrivedCall,
  planned: AnswerPlan,
  read: BodyReader<Request>,
  wire: LedgerCall['wire'],
): AdmittedCall<Request> | OpenAIRefusal {
  const { trace, headers } = arrived;
  const request = readSimulated(core, arrived, read);
  if (isRefusal(request)) return request;
  arrived.model = request.model;
  const sent = (): ReceivedRequest => describeOpenAI(request);
  const early = causedByFault(openAIRefusalOf(planned.fault, request.model), trace);
  if (early !== undefined) return early;
  const plan = askHook(core, sent, planned);
  const refusal = causedByFault(openAIRefusalOf(plan.fault, request.model), trace);
  if (refusal !== undefined) return refusal;
  const prefix = prefixOf(request, plan.sizes);
  const room = outputRoom(request, prefix.at(-1)?.tokens ?? 0);
  if ('outcome' in room) return room;
  const facts = { wire, headers, digest: () => hash('sha256', arrived.body, 'hex') };
  const scripted = request.prewarm ? plan : playStep(core, sent, facts, plan, trace);
  if ('mismatch' in scripted) return bad(scripted.mismatch, null);
  const refused = causedByFault(openAIRefusalOf(scripted.fault, request.model), trace);
  if (refused !== undefined) return refused;
  const seed = core.ids.nextAnswer();
  const answer = request.prewarm ? NOTHING : makeOutput(scripted.answer ?? DEFAULT_ANSWER, room, seed);
  const served = serve(core, request, { account: arrived.account, now: arrived.at, prefix, fault: scripted.fault });
  return 'outcome' in served
    ? served
    : admittedCall(request, arrived, { prefix, answer, seed, served, fault: scripted.fault });
}

/**
 * Reads a call. Returns a refusal if the body is not valid. Also returns a refusal if the body has a tool that the
 * service itself would run.
 */
function readSimulated<Request extends OpenAIRequest>(
  { settings }: OpenAICore,
  { body, account }: ArrivedCall,
  read: BodyReader<Request>,
): Request | OpenAIRefusal {
  const request = read(body, account);
  if (isRefusal(request) || settings.serverTools === 'offered') return request;
  const added = request.items.filter(({ type }) => type === 'additional_tools');
  return (
    checkServerTools(request.fields['tools']) ??
    firstRefusal(added, (item) => checkServerTools(item.fields['tools'], 'input.tools')) ??
    request
  );
}

/** Empty answer of a call that only prepares the cache (provider-facts §2.2). */
const NOTHING: SimulatedAnswer = { blocks: [], stop: 'end_turn', outputTokens: 0, thinkingTokens: 0 };

interface AdmittedPrefix {
  readonly prefix: readonly PrefixEnd[];
  readonly answer: SimulatedAnswer;
  readonly seed: string;
  readonly served: ServedCall;
  readonly fault: Fault | undefined;
}

function admittedCall<Request extends OpenAIRequest>(
  request: Request,
  { account, at }: ArrivedCall,
  { prefix, answer, seed, served, fault }: AdmittedPrefix,
): AdmittedCall<Request> {
  const { read, writtenShort, writtenLong } = served;
  const input = prefix.at(-1)?.tokens ?? 0;
  const output = { output: answer.outputTokens, reasoning: answer.thinkingTokens };
  return {
    outcome: 'admitted',
    request,
    account,
    startedAt: at,
    prefix,
    answer,
    id: idOf(IDS[request.wire], seed),
    seed,
    counts: { input, read, writtenShort, writtenLong, ...output },
    overflow: served.overflow,
    fault,
    begin: served.begin,
  };
}

/** True if the `include` list of a request contains the value `what`. */
export function includes(request: OpenAIRequest, what: string): boolean {
  const { include } = request.fields;
  return Array.isArray(include) && include.includes(what);
}

/** True if a request asks for summaries of its reasoning. */
export function wantsSummary(request: OpenAIRequest): boolean {
  return typeof objectAt(request.fields, 'reasoning')['summary'] === 'string';
}

function describe({
  at,
  account,
  model,
  body,
}: ArrivedCall): Pick<LedgerCall, 'at' | 'account' | 'model' | 'digest' | 'bytes'> {
  return { at, account, model, digest: hash('sha256', body, 'hex'), bytes: body.byteLength };
}

function toldOf(
  outcome: Pick<AdmittedCall<OpenAIRequest>, 'outcome' | 'counts' | 'id'> | OpenAIRefusal,
): Pick<LedgerCall, 'status' | 'refusal' | 'counts' | 'message'> {
  if (outcome.outcome === 'admitted') return { status: 200, counts: outcome.counts, message: outcome.id };
  const { status, type, message } = outcome;
  return { status, refusal: { type, message } };
}

/**
 * Returns the maximum number of output tokens, and the stop reason if the answer reaches it. If the request is too
 * long, returns a refusal (provider-facts §2.5). `input` is the total number of input tokens. The simulator never
 * truncates a request. So it refuses a long request even with `truncation: 'auto'`.
 */
function outputRoom(request: OpenAIRequest, input: number): OutputRoom | OpenAIRefusal {
  const { inputLimit, outputLimit } = request.capabilities;
  if (input > inputLimit) return tooMany(request, input);
  const { maxTokens = outputLimit, stopSequences } = request;
  return { tokens: Math.min(maxTokens, outputLimit), stop: 'max_tokens', stopSequences };
}

function tooMany({ wire, capabilities, fields }: OpenAIRequest, input: number): OpenAIRefusal {
  const code = 'context_length_exceeded';
  if (fields['truncation'] === 'auto') {
    const text = `simulator: truncation is not simulated, and the input has ${input} tokens of at most ${capabilities.inputLimit}. Send a shorter input.`;
    return bad(text, 'truncation', code);
  }
  if (wire === 'responses') {
    const text = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
    return bad(text, 'input', code);
  }
  const most = `This model's maximum context length is ${capabilities.inputLimit} tokens.`;
  const text = `${most} However, your messages resulted in ${input} tokens. Please reduce the length of the messages.`;
  return bad(text, 'messages', code);
}

/**
 * Returns the parts of an OpenAI request that scenarios and hooks can inspect, in the same form as for a Messages
 * request.
 */
function describeOpenAI(request: OpenAIRequest): ReceivedRequest {
  const { fields, items, model } = request;
  const added = items.filter(({ type }) => type === 'additional_tools').map((item) => item.fields);
  const tools = [fields, ...added].flatMap((given) => (isList(given['tools']) ? given['tools'].filter(isObject) : []));
  const developerTexts = items
    .filter((item) => item.speaker === 'developer')
    .map((item) => textIn(item.fields['content']));
  const speaker = items.findLast((item) => item.speaker === 'user' && textIn(item.fields['content']) !== '');
  return {
    model,
    system: [textOf(fields['instructions']), ...developerTexts].filter((text) => text !== '').join('\n\n'),
    tools: tools.map(toolName),
    lastUserText: textIn(speaker?.fields['content']),
    toolResults: lastResults(items),
    body: fields,
  };
}

function textIn(content: unknown): string {
  if (!isList(content)) return textOf(content);
  const texts = content.map((part) => (isObject(part) ? textOf(part['text']) : ''));
  return texts.filter((text) => text !== '').join('\n\n');
}

function lastResults(items: readonly PromptItem[]): readonly SentResult[] {
  const answer = items.findLastIndex((item) => item.speaker === 'assistant');
  const results = items.slice(answer + 1).filter((item) => item.speaker === 'tool');
  return results.map(({ fields }) => {
    const id = textOf(fields['call_id'] ?? fields['tool_call_id']);
    return { id, name: nameOf(items, id), text: textIn(fields['output'] ?? fields['content']), error: false };
  });
}

function nameOf(items: readonly PromptItem[], id: string): string {
  for (const { fields } of items.toReversed()) {
    if (fields['call_id'] === id && fields['name'] !== undefined) return textOf(fields['name']);
    const calls = isList(fields['tool_calls']) ? fields['tool_calls'].filter(isObject) : [];
    const call = calls.find((each) => each['id'] === id);
    if (call !== undefined) return textOf(objectAt(call, 'function')['name']);
  }
  return '';
}
