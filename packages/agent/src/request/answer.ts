// Records the end of a call: the answer, its usage and cost, and the cache miss. The miss is found by comparing the
// usage with the forecast.

import { defined } from '@tidemark/core';
import type { CountedUse, State } from '@tidemark/context';
import { countUse, estimatedOutput, isCrowded, missOf } from '@tidemark/context';
import type {
  AnswerFailed,
  AnswerInterrupted,
  AnswerPart,
  AnswerReceived,
  CallId,
  Recorded,
  RequestPrepared,
  Timestamp,
} from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { Answer, ProviderError, Ttl, Usage } from '@tidemark/model';
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

/** Counts the tokens and the cost of a call from its answer. `state` must be the state before the answer is recorded. */
function countCall(state: State, prepared: Prepared, { parts, usage }: Pick<Answer, 'parts' | 'usage'>): CountedUse {
  const { capabilities, record } = prepared;
  const lives = livesWritten(state, record.data, usage);
  const output = estimatedOutput(state, parts);
  return countUse({ capabilities, at: record.at, request: record.data, usage, lives, output });
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
