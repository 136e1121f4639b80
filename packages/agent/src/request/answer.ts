// The end of a call as a record: the answer with its usage, its cost, and what it missed against the forecast.

import type {
  AnswerFailed,
  AnswerInterrupted,
  AnswerPart,
  AnswerReceived,
  CallId,
  Event,
  Recorded,
  Timestamp,
} from '@tidemark/log';
import { callId } from '@tidemark/log';
import { isCrowded, missOf } from '@tidemark/context';
import type { Answer, ProviderError, Usage } from '@tidemark/model';
import { pendingPlaces } from './call-plan.ts';
import { countCall } from './count-call.ts';
import type { Prepared } from './prepare.ts';
import type { Session } from '../session/session.ts';
import { commit } from '../session/session.ts';

/** Commits a finished answer. */
export async function recordAnswer(
  session: Session,
  prepared: Prepared,
  answer: Answer,
  at: Timestamp,
): Promise<Recorded | undefined> {
  const data = answered(session, prepared, answer);
  const [record] = await commit(session, [{ kind: 'answer.received', ...stampOf(prepared, at), data }]);
  return record;
}

/**
 * Commits an answer that was cut, with the usage that the provider told. Without one nothing had begun: the request then
 * counts as not accepted. What the provider may bill for it all the same is estimated, unless the request did not go out.
 */
export async function recordInterrupted(
  session: Session,
  prepared: Prepared,
  by: AnswerInterrupted['by'],
  answer: Omit<Answer, 'usage'> & { readonly usage: Usage | undefined; readonly unsent?: true },
  at: Timestamp,
  message?: string,
): Promise<Recorded | undefined> {
  const told = answered(session, prepared, { ...answer, usage: answer.usage ?? {} });
  const { step, stream, request, provider, model, parts, usage, cost, costAtMost, estimated, prices } = told;
  const data: AnswerInterrupted = {
    step,
    stream,
    by,
    provider,
    model,
    parts,
    ...(answer.usage === undefined ? {} : { usage }),
    ...(request === undefined ? {} : { request }),
    ...(cost === undefined ? {} : { cost }),
    ...(costAtMost === undefined ? {} : { costAtMost }),
    ...(estimated === undefined || answer.unsent === true ? {} : { estimated }),
    ...(prices === undefined ? {} : { prices }),
    ...(message === undefined ? {} : { message }),
  };
  const [record] = await commit(session, [{ kind: 'answer.interrupted', ...stampOf(prepared, at), data }]);
  return record;
}

/** Commits a call that failed before anything arrived. */
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
  const [record] = await commit(session, [{ kind: 'answer.failed', ...stampOf(prepared, at), data: failed }]);
  return record;
}

/** What ends a call belongs to the turn that asked. */
function stampOf({ record: { turn } }: Prepared, at: Timestamp): Pick<Event, 'at' | 'turn'> {
  return turn === undefined ? { at } : { at, turn };
}

function answered(session: Session, prepared: Prepared, answer: Answer): AnswerReceived {
  const { record, outlook } = prepared;
  const { provider, model, contract } = prepared.epoch;
  const counted = countCall(session.state, prepared, answer);
  const { usage } = counted;
  const sentAt = record.at;
  // An answer to a request that named none says `same` too.
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
    ...(answer.stopRaw === undefined ? {} : { stopRaw: answer.stopRaw }),
    ...(answer.response === undefined ? {} : { response: answer.response }),
    truncated: answer.truncated,
    ...counted,
    ...wayOf(prepared, answer),
    forecast: record.data.forecast,
    ...(miss === undefined ? {} : { miss }),
    ...(diagnosis === undefined ? {} : { diagnosis }),
  };
}

/** A call without an id takes this one, so that its result can name it. */
function namedPart(part: Answer['parts'][number], otherwise: string): AnswerPart<CallId> {
  return part.type === 'call' ? { ...part, call: callId(part.call === '' ? otherwise : part.call) } : part;
}

/** Tokens that another call wrote, or writes still, and this one was sent too early to read. A call that failed wrote none. */
function lostRace({ state }: Session, { racing, record }: Prepared): number {
  const { stream, account } = record.data;
  const places = [...state.cache.entries, ...pendingPlaces(state, { own: stream, account })];
  return racing !== undefined && places.some(({ prefix }) => prefix === racing.prefix) ? racing.tokens : 0;
}

/** Which way the call went; where it had no other form to go in, the reason is our own. */
function wayOf({ reset }: Prepared, { transport }: Answer): Pick<AnswerReceived, 'transport'> {
  if (transport === undefined) return {};
  return { transport: reset === undefined || transport.kind === 'http' ? transport : { ...transport, reset } };
}
