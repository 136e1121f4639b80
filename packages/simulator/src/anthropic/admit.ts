// Messages service without a socket. It takes a request body and returns a refusal or an admitted call. The cache
// entries that a call writes become readable only when its answer begins.

import { hash } from 'node:crypto';
import { accountRequest } from './accounting.ts';
import type { RequestAccount, AccountingInput, EntryStore } from './accounting.ts';
import { DEFAULT_ANSWER, makeAnswer, NO_ANSWER } from '../core/answer.ts';
import type { OutputRoom } from '../core/answer.ts';
import { storeOf } from './memory.ts';
import type { AnthropicCore } from './memory.ts';
import { fingerprintOf, optsIn } from './diagnostics.ts';
import type { MessageDiagnostics } from './diagnostics.ts';
import { refusalOf } from './refusal.ts';
import type { Fault } from '../core/faults.ts';
import { issueThinking, judge } from './judge.ts';
import type { JudgedRequest } from './judge.ts';
import type { CallTrace, LedgerCall, SimulatedUsage } from '../core/ledger.ts';
import type { MessageReply } from './message.ts';
import type { AnswerPlan, TimedAnswerPlan } from '../core/options.ts';
import { askHook, causedByFault, planCall, playStep } from '../core/core.ts';
import { idOf } from '../core/ids.ts';
import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { Purpose, WireRequest, SentBlock } from './request.ts';
import type { ReceivedRequest, SentResult } from '../core/received.ts';
import { distort, usageOf } from './message.ts';
import { isPrewarm, outputRoom } from './output.ts';
import { readRequest } from './read-request.ts';
import { checkRules } from './rules.ts';
import { nameOf } from './tools.ts';
import { checkServerTools } from './unsimulated.ts';
import { isList, isObject, isPresent, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

/**
 * One call: the request body, the account, the betas and a plan for the answer. If the call has its own plan, this plan
 * takes precedence over a queued plan.
 */
export interface IncomingCall extends TimedAnswerPlan {
  readonly body: Uint8Array | string;
  readonly account: string;
  readonly betas: readonly string[];
  /** HTTP headers with lower-case names. Default: none. */
  readonly headers?: { readonly [name: string]: string };
}

/** Call that passed all checks and will be answered. */
export interface AdmittedMessage {
  readonly outcome: 'admitted';
  readonly startedAt: number;
  readonly streamed: boolean;
  readonly reply: MessageReply;
  /**
   * True usage of the call. A `wrong-usage` fault changes only `reply.usage`, which is the usage that the client
   * receives.
   */
  readonly usage: SimulatedUsage;
  readonly account: RequestAccount;
  readonly fault: Fault | undefined;
  /**
   * Records that the answer begins at `at`, in milliseconds since the epoch. The entries that the call wrote are
   * readable from this time on.
   */
  begin(at: number): void;
  /** Records that no answer begins, because a fault replaces it. */
  abandon(): void;
}

/** Admits or refuses a call of the Messages API, and adds the call to the ledger. */
export function admit(core: AnthropicCore, call: IncomingCall): AdmittedMessage | MessageRefusal {
  const plan = planCall(core, call);
  const arrived = arrive(core, call, 'messages', plan.at);
  const outcome = causedByFault(refusalOf(plan.fault), arrived.trace) ?? admitArrived(core, arrived, plan);
  const entry =
    outcome.outcome === 'refused'
      ? refusalEntry(outcome)
      : { status: 200, usage: outcome.usage, message: outcome.reply.id };
  core.ledger.add(
    () => ({ ...describe(arrived), wire: 'anthropic', endpoint: 'messages', ...entry, ...arrived.trace }),
    arrived,
  );
  return outcome;
}

/** Result of counting the tokens of a request. */
export interface CountedMessage {
  readonly outcome: 'counted';
  readonly tokens: number;
  /**
   * True if the request asks for context edits. Then the answer also reports the number of tokens before these edits.
   */
  readonly edited: boolean;
}

/**
 * Counts the input tokens of a request, or refuses the request. Counting writes nothing to the cache, and takes no plan
 * and no fault from the queues.
 */
export function count(core: AnthropicCore, call: IncomingCall): CountedMessage | MessageRefusal {
  const arrived = arrive(core, call, 'count', call.at);
  const request = readChecked(core, arrived);
  const judged = 'outcome' in request ? request : judge(request, { ...core, account: call.account, sizes: call.sizes });
  core.ledger.add(
    () => ({
      ...describe(arrived),
      wire: 'anthropic',
      endpoint: 'count_tokens',
      ...('outcome' in judged ? refusalEntry(judged) : { status: 200 }),
    }),
    arrived,
  );
  if ('outcome' in judged) return judged;
  return { outcome: 'counted', tokens: judged.tokens, edited: isPresent(judged.request.fields['context_management']) };
}

interface ArrivedMessage {
  readonly at: number;
  readonly purpose: Purpose;
  readonly account: string;
  readonly betas: readonly string[];
  readonly body: Uint8Array;
  readonly headers: { readonly [name: string]: string };
  readonly trace: CallTrace;
  /** Model name in the request. Empty until the body has been read. */
  model: string;
}

function arrive(core: AnthropicCore, call: IncomingCall, purpose: Purpose, time: number | undefined): ArrivedMessage {
  const { account, betas, headers = {} } = call;
  const body = typeof call.body === 'string' ? Buffer.from(call.body) : call.body;
  return { at: core.clock.now(time), purpose, account, betas, body, headers, trace: {}, model: '' };
}

function readChecked(core: AnthropicCore, arrived: ArrivedMessage): WireRequest | MessageRefusal {
  const { capabilities } = core.settings;
  const expand = (fields: WireObject): WireObject | MessageRefusal => core.threads.expand(fields, arrived);
  const request = readRequest(arrived.body, { ...arrived, capabilities, expand });
  if ('outcome' in request) return request;
  arrived.model = request.model;
  return checkRules(request) ?? checkServerTools(request, core.settings.serverTools) ?? request;
}

function admitArrived(
  core: AnthropicCore,
  arrived: ArrivedMessage,
  planned: AnswerPlan,
): AdmittedMessage | MessageRefusal {
  const request = readChecked(core, arrived);
  if ('outcome' in request) return request;
  const sent = (): ReceivedRequest => describeRequest(request);
  const plan = askHook(core, sent, planned);
  const refusal = causedByFault(refusalOf(plan.fault), arrived.trace);
  if (refusal !== undefined) return refusal;
  const judged = judge(request, {
    account: arrived.account,
    signatures: core.signatures,
    digests: core.digests,
    sizes: plan.sizes,
  });
  if ('outcome' in judged) return judged;
  const room = outputRoom(request, judged.tokens);
  if ('outcome' in room) return room;
  const facts = {
    wire: 'anthropic',
    headers: arrived.headers,
    digest: () => hash('sha256', arrived.body, 'hex'),
  } as const;
  const scripted = isPrewarm(request) ? plan : playStep(core, sent, facts, plan, arrived.trace);
  if ('mismatch' in scripted) return invalid(scripted.mismatch);
  return (
    causedByFault(refusalOf(scripted.fault), arrived.trace) ?? answerCall(core, judged, scripted, room, arrived.at)
  );
}

/** Beta header for a report of dropped thinking in the response (provider-facts §1.8). */
const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

function answerCall(
  core: AnthropicCore,
  judged: JudgedRequest,
  plan: AnswerPlan,
  room: OutputRoom,
  at: number,
): AdmittedMessage {
  const { request } = judged;
  const { fault } = plan;
  const store = storeOf(core, judged.account, request.capabilities.model);
  if (fault?.kind === 'evicted') store.clear();
  const account = accountRequest(accountingInput(core, judged, store, at));
  for (const entry of account.refreshed) store.put({ ...entry, availableAt: at });
  const seed = core.ids.nextAnswer();
  const id = idOf('msg_', seed);
  const answer = isPrewarm(request) ? NO_ANSWER : makeAnswer(plan.answer ?? DEFAULT_ANSWER, room, seed);
  const speed = request.fields['speed'] === 'fast' ? 'fast' : 'standard';
  const geo = textOf(request.fields['inference_geo']) || 'not_available';
  const usage = usageOf(account.counts, { ...answer, speed, geo });
  const reply: MessageReply = {
    id,
    model: request.model,
    answer,
    usage: distort(usage, fault?.kind === 'wrong-usage' ? fault.usage : undefined),
    diagnosis: diagnose(core, judged, id, account.counts.read),
    transformations: request.betas.includes(BINDING_BETA) ? judged.thinking.transformations : undefined,
    edits: isPresent(request.fields['context_management']) ? { applied_edits: [] } : undefined,
  };
  core.threads.claim(request.fields);
  const begin = (first: number): void => {
    core.clock.passed(first);
    for (const entry of account.written) store.put({ ...entry, availableAt: first });
    keepThread(core, judged, reply, first);
    issueThinking(core.signatures, judged, answer.blocks);
  };
  const abandon = (): void => core.threads.release(request.fields);
  return { outcome: 'admitted', startedAt: at, streamed: request.stream, reply, usage, account, fault, begin, abandon };
}

/**
 * Stores the conversation of a call with `thread`. If a call only pre-warms the cache, there is no answer to continue.
 */
function keepThread(
  { threads }: AnthropicCore,
  { request, account }: JudgedRequest,
  { id, answer }: MessageReply,
  at: number,
): void {
  const { fields, betas } = request;
  if (!isPresent(fields['thread']) || isPrewarm(request)) return threads.release(fields);
  threads.store(id, fields, answer.blocks, { account, betas, at });
}

/** Token floor for a model whose catalog row has no floor. It is the most common value in provider-facts §1.2. */
const USUAL_FLOOR = 1024;

function accountingInput(core: AnthropicCore, judged: JudgedRequest, store: EntryStore, now: number): AccountingInput {
  const { capabilities } = judged.request;
  const { collapseRuns, promotion } = core.settings;
  return {
    prefix: judged.prefix,
    breakpoints: judged.breakpoints,
    find: (key) => store.find(key, now),
    now,
    floor: capabilities.floor ?? USUAL_FLOOR,
    lookback: capabilities.lookback,
    runsCollapse: collapseRuns ?? capabilities.runsCollapse,
    promotes: promotion === undefined ? capabilities.promotes !== 'no' : promotion === 'works',
  };
}

function diagnose(
  core: AnthropicCore,
  judged: JudgedRequest,
  message: string,
  read: number,
): MessageDiagnostics | null {
  if (!optsIn(judged.request)) return null;
  const fingerprint = fingerprintOf(judged.request, judged.account, judged);
  core.diagnostics.remember(message, fingerprint);
  return core.diagnostics.diagnose(judged.request, fingerprint, read);
}

function describe({
  at,
  account,
  model,
  body,
}: ArrivedMessage): Pick<LedgerCall, 'at' | 'account' | 'model' | 'digest' | 'bytes'> {
  return { at, account, model, digest: hash('sha256', body, 'hex'), bytes: body.byteLength };
}

function refusalEntry({ status, type, message }: MessageRefusal): Pick<LedgerCall, 'status' | 'refusal'> {
  return { status, refusal: { type, message } };
}

/**
 * Returns the parts of a Messages request that hooks and scenarios can inspect. The result has the same form for all
 * APIs.
 */
function describeRequest(request: WireRequest): ReceivedRequest {
  const { blocks, messages, fields, model } = request;
  const speaker = messages.findLast((message) => message.role === 'user' && message.blocks.some(isText));
  return {
    model,
    system: joinTexts(blocks.filter((block) => block.level === 'system')),
    tools: offeredTools(blocks),
    lastUserText: joinTexts(speaker?.blocks ?? []),
    toolResults: lastResults(request),
    body: fields,
  };
}

/**
 * Returns the names of the tools that the model can call at the end of the request. These are the tools of the front,
 * with all later additions and removals applied.
 */
function offeredTools(blocks: readonly SentBlock[]): readonly string[] {
  const offered = new Set<string>();
  for (const block of blocks) {
    if (block.type === 'tool_removal') offered.delete(nameOf(block));
    else if (block.level === 'tools' || block.type === 'tool_addition') offered.add(nameOf(block));
  }
  return [...offered];
}

function isText(block: SentBlock): boolean {
  return block.type === 'text';
}

function joinTexts(blocks: readonly SentBlock[]): string {
  return blocks
    .filter(isText)
    .map((block) => textOf(block.fields['text']))
    .join('\n\n');
}

function lastResults(request: WireRequest): readonly SentResult[] {
  const answer = request.blocks.findLast((block) => block.role === 'assistant')?.index ?? -1;
  const results = request.blocks.slice(answer + 1).filter((block) => block.type === 'tool_result');
  return results.map((block) => describeResult(request, block));
}

function describeResult(request: WireRequest, block: SentBlock): SentResult {
  const id = textOf(block.fields['tool_use_id']);
  const call = request.blocks.findLast((other) => other.type === 'tool_use' && other.fields['id'] === id);
  return {
    id,
    name: textOf(call?.fields['name']),
    text: contentText(block.fields['content']),
    error: block.fields['is_error'] === true,
  };
}

function contentText(content: unknown): string {
  if (!isList(content)) return textOf(content);
  return content.map((part) => (isObject(part) ? textOf(part['text']) : '')).join('\n');
}
