// Records the end of a call: the answer, its usage and cost, and the cache miss. The miss is found by comparing the
// usage with the forecast.

import { defined } from '@tidemark/core';
import type { State } from '@tidemark/context';
import { estimatedOutput, expectedInput, isCrowded, missOf } from '@tidemark/context';
import type {
  AnswerFailed,
  AnswerInterrupted,
  AnswerPart,
  AnswerReceived,
  CallId,
  EstimatedUse,
  Recorded,
  RequestPrepared,
  Timestamp,
} from '@tidemark/log';
import { callId, money } from '@tidemark/log';
import type { Answer, Capabilities, Price, ProviderError, Ttl, Usage } from '@tidemark/model';
import { allWritten, completeUsage, costAtMost, costOf, inputTokens, outputTokens, priceAt } from '@tidemark/model';
import type { Session } from '../session/session.ts';
import { commit } from '../session/session.ts';
import { pendingPlaces } from './call-plan.ts';
import type { Prepared } from './prepare.ts';

/** Commits a finished answer with its usage, its cost and its cache miss. Returns the record. */
export async function recordAnswer(
  session: Session,
  prepared: Prepared,
  answer: Answer,
  at: Timestamp,
): Promise<Recorded | undefined> {
  const data = answerData(session, prepared, answer);
  const [record] = await commit(session, [
    { kind: 'answer.received', ...defined({ at, turn: prepared.record.turn }), data },
  ]);
  return record;
}

/**
 * Commits an answer that was cut off, with the usage that the provider reported. If no usage was reported, the answer
 * had not begun, and the request counts as not accepted. The provider may still bill some tokens. These tokens are
 * estimated if the request was sent.
 */
export async function recordInterrupted(
  session: Session,
  prepared: Prepared,
  cause: Pick<AnswerInterrupted, 'by' | 'limit'>,
  answer: Omit<Answer, 'usage'> & { readonly usage: Usage | undefined; readonly unsent?: true },
  at: Timestamp,
  message?: string,
): Promise<Recorded | undefined> {
  const answerRecord = answerData(session, prepared, { ...answer, usage: answer.usage ?? {} });
  const { step, stream, request, provider, model, parts, usage, cost, estimated, prices } = answerRecord;
  const data: AnswerInterrupted = {
    step,
    stream,
    by: cause.by,
    ...defined({ limit: cause.limit }),
    provider,
    model,
    parts,
    ...(answer.usage === undefined ? {} : { usage }),
    ...defined({ request, cost, costAtMost: answerRecord.costAtMost }),
    ...(estimated === undefined || answer.unsent === true ? {} : { estimated }),
    ...defined({ prices, message }),
  };
  const [record] = await commit(session, [
    { kind: 'answer.interrupted', ...defined({ at, turn: prepared.record.turn }), data },
  ]);
  return record;
}

/** Commits a call that failed before any part of an answer arrived. */
export async function recordFailed(
  session: Session,
  prepared: Prepared,
  { class: sort, code, message }: Pick<ProviderError, 'class' | 'code' | 'message'>,
  retry: boolean,
  at: Timestamp,
): Promise<Recorded | undefined> {
  const { position, data } = prepared.record;
  const failed: AnswerFailed = {
    step: data.step,
    stream: data.stream,
    request: position,
    class: sort,
    code,
    message,
    retry,
  };
  const [record] = await commit(session, [
    { kind: 'answer.failed', ...defined({ at, turn: prepared.record.turn }), data: failed },
  ]);
  return record;
}

function answerData(session: Session, prepared: Prepared, answer: Answer): AnswerReceived {
  const { record, outlook } = prepared;
  const { provider, model, contract } = prepared.epoch;
  const counted = countCall(session.state, prepared, answer);
  const { usage } = counted;
  const sentAt = record.at;
  // Anthropic's diagnosis is `same` even if a request named no earlier answer. The diagnosis is therefore used only if
  // the request named an answer to compare with.
  const diagnosis = prepared.compared === undefined ? undefined : answer.diagnosis;
  const miss = missOf({
    capabilities: prepared.capabilities,
    at: sentAt,
    usage,
    held: outlook.held,
    heldBy: outlook.heldBy,
    forecast: record.data.forecast,
    loss: outlook.loss,
    gone: outlook.gone,
    racing: lostRace(session, prepared),
    crowded: isCrowded(session.state.pace, sentAt),
    diagnosis,
    seen: outlook.loss === undefined && (session.state.streams['main']?.accepted?.cached ?? 0) > 0,
  });
  return {
    step: record.data.step,
    stream: record.data.stream,
    request: record.position,
    provider,
    model,
    contract,
    parts: answer.parts.map((part, index) => namedPart(part, `call_${record.position}_${index}`)),
    stop: answer.stop,
    ...defined({ stopRaw: answer.stopRaw, response: answer.response }),
    truncated: answer.truncated,
    ...counted,
    ...wayOf(prepared, answer),
    forecast: record.data.forecast,
    ...defined({ miss, diagnosis }),
  };
}

/** Returns the part with a call id. If a call has no id, it gets the id `otherwise`, which its result can then name. */
function namedPart(part: Answer['parts'][number], otherwise: string): AnswerPart<CallId> {
  return part.type === 'call' ? { ...part, call: callId(part.call === '' ? otherwise : part.call) } : part;
}

/**
 * Returns the tokens of a prefix that another call wrote or is still writing. This call was sent too early to read
 * them. Returns 0 if no other call wrote the prefix, for example because the other call failed.
 */
function lostRace({ state }: Session, { racing, record }: Prepared): number {
  const { stream, account } = record.data;
  const places = [...state.cache.entries, ...pendingPlaces(state, { own: stream, account })];
  return racing !== undefined && places.some(({ prefix }) => prefix === racing.prefix) ? racing.tokens : 0;
}

/**
 * Returns the transport of the call. If this process could not send the request as a continuation, `reset` is the
 * reason.
 */
function wayOf({ reset }: Prepared, { transport }: Answer): Pick<AnswerReceived, 'transport'> {
  if (transport === undefined) return {};
  return { transport: reset === undefined || transport.kind === 'http' ? transport : { ...transport, reset } };
}

/**
 * Token counts and cost of a call, in the form of its record. A count that the provider omitted is derived from the
 * request if only one value is possible. Otherwise the cost gets an upper bound, or the count is estimated (L7).
 */
type CountedUse = Pick<AnswerReceived, 'usage' | 'cost' | 'costAtMost' | 'estimated' | 'prices'>;

/**
 * Counts the tokens and the cost of a call from its answer. `state` must be the state before the answer is recorded.
 * Counts that the provider did not report are estimated.
 */
function countCall(state: State, prepared: Prepared, answer: Pick<Answer, 'parts' | 'usage'>): CountedUse {
  const { capabilities, record } = prepared;
  const lives = livesWritten(state, record.data, answer.usage);
  const usage = completeUsage(answer.usage, { lives, ...rulesOf(capabilities, record.at) });
  const estimates = estimatesFor(state, prepared, { ...answer, usage });
  const guessed = { ...usage, ...estimates.input, ...estimates.output };
  const price = priceOf(capabilities, record.at, guessed);
  if (price === undefined) return { usage, ...estimatedUse(estimates, undefined) };
  const named = { prices: `${capabilities.model} ${capabilities.asOf}` };
  const cost = costOf(price, usage);
  if (cost !== undefined) return { usage, cost: money(cost.total), ...named };
  const most = costAtMost(price, guessed, lives);
  const bound = most === undefined ? undefined : money(most);
  if (estimates.input === undefined && estimates.output === undefined) {
    return bound === undefined ? { usage } : { usage, costAtMost: bound, ...named };
  }
  return { usage, ...estimatedUse(estimates, bound) };
}

/**
 * Returns the possible lifetimes of the tokens that a call wrote. There is one lifetime for each marker that may have
 * written tokens. If the call read everything that the previous call left in the cache, markers inside that content
 * wrote nothing and are ignored.
 */
function livesWritten({ streams }: State, request: RequestPrepared, { read }: Usage): readonly Ttl[] {
  const { cached, end } = streams['main']?.accepted ?? {};
  const isRead = request.stream === 'main' && request.relation === 'extends';
  const from = isRead && end !== undefined && read !== undefined && read >= (cached ?? Infinity) ? end : -1;
  return request.markers.flatMap(({ block, ttl }) => (block > from ? [ttl] : []));
}

function rulesOf({ prices, markers }: Capabilities, at: string): { billsWrites: boolean; caches: boolean } {
  const list = prices.findLast(({ from }) => from <= at.slice(0, 10));
  const bills = list === undefined || list.tiers.some(({ price }) => Object.keys(price.writes).length > 0);
  return { billsWrites: bills, caches: markers !== 'none' };
}

function priceOf(capabilities: Capabilities, at: string, usage: Usage): Price | undefined {
  const input = inputTokens(usage);
  return input === undefined ? undefined : priceAt(capabilities, at.slice(0, 10), input);
}

/** Estimates that replace missing counts. A field is absent if the provider reported its count. */
interface Estimates {
  readonly input?: { readonly input: number };
  readonly output?: { readonly answer: number };
}

function estimatesFor(state: State, { record, outlook }: Prepared, answer: Pick<Answer, 'parts' | 'usage'>): Estimates {
  const input = Math.max(record.data.size?.input ?? expectedInput(outlook.forecast), leastInput(answer.usage));
  return {
    ...(inputTokens(answer.usage) === undefined && { input: { input } }),
    ...(outputTokens(answer.usage) === undefined && { output: { answer: estimatedOutput(state, answer.parts) } }),
  };
}

/** Returns the sum of the reported input buckets. An estimate of the whole input is never below this sum. */
function leastInput(usage: Usage): number {
  return (usage.fresh ?? 0) + (usage.read ?? 0) + (allWritten(usage) ?? 0);
}

function estimatedUse({ input, output }: Estimates, cost: EstimatedUse['cost']): Pick<CountedUse, 'estimated'> {
  if (input === undefined && output === undefined) return {};
  const tokens = { ...input, ...defined({ output: output?.answer }) };
  return { estimated: { ...tokens, ...defined({ cost }) } };
}
