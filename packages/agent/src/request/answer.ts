// The end of a call as a record: the answer with its usage, its cost, and what it missed against the forecast.

import type { AnswerInterrupted, AnswerPart, AnswerReceived, Recorded, Timestamp } from '@tidemark/log';
import { callId, money } from '@tidemark/log';
import { missOf } from '@tidemark/context';
import type { Answer } from '@tidemark/model';
import { costOf, inputTokens, priceAt } from '@tidemark/model';
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
  const [record] = await commit(session, [{ kind: 'answer.received', at, data }]);
  return record;
}

/** Commits an answer that was cut, with the usage that the provider told. */
export async function recordInterrupted(
  session: Session,
  prepared: Prepared,
  by: AnswerInterrupted['by'],
  answer: Answer,
  at: Timestamp,
): Promise<Recorded | undefined> {
  const { step, stream, request, provider, model, parts, usage, cost, prices } = answered(session, prepared, answer);
  const data: AnswerInterrupted = {
    step,
    stream,
    by,
    provider,
    model,
    parts,
    usage,
    ...(request === undefined ? {} : { request }),
    ...(cost === undefined ? {} : { cost }),
    ...(prices === undefined ? {} : { prices }),
  };
  const [record] = await commit(session, [{ kind: 'answer.interrupted', at, data }]);
  return record;
}

function answered(session: Session, prepared: Prepared, answer: Answer): AnswerReceived {
  const { record, outlook } = prepared;
  const opened = session.state.epoch?.opened;
  const { usage } = answer;
  const sentAt = record.at;
  const miss = missOf({
    capabilities: prepared.capabilities,
    at: sentAt,
    usage,
    held: outlook.held,
    loss: outlook.loss,
  });
  return {
    step: record.data.step,
    stream: record.data.stream,
    request: record.position,
    provider: opened?.provider ?? 'unknown',
    model: opened?.model ?? 'unknown',
    ...(opened === undefined ? {} : { contract: opened.contract }),
    parts: answer.parts.map((part): AnswerPart => (part.type === 'call' ? { ...part, call: callId(part.call) } : part)),
    stop: answer.stop,
    ...(answer.stopRaw === undefined ? {} : { stopRaw: answer.stopRaw }),
    ...(answer.response === undefined ? {} : { response: answer.response }),
    truncated: answer.truncated,
    usage,
    ...costOfAnswer(prepared, usage, sentAt),
    forecast: record.data.forecast,
    ...(miss === undefined ? {} : { miss }),
  };
}

function costOfAnswer(
  { capabilities }: Prepared,
  usage: Answer['usage'],
  at: Timestamp,
): Pick<AnswerReceived, 'cost' | 'prices'> {
  const input = inputTokens(usage);
  const price = input === undefined ? undefined : priceAt(capabilities, at.slice(0, 10), input);
  const cost = price === undefined ? undefined : costOf(price, usage);
  return cost === undefined ? {} : { cost: money(cost.total), prices: `${capabilities.model} ${capabilities.asOf}` };
}
