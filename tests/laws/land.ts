// How a call to the model ends in the log, on whatever stream it was.

import type { Recorded } from '@tidemark/log';
import type { Prepared } from '@tidemark/agent';
import { recordAnswer, recordInterrupted } from '@tidemark/agent';
import type { Answer } from '@tidemark/model';
import type { Outcome } from './commands.ts';
import type { Driver, SentCall } from './driver.ts';
import { clock, noteClosed, put } from './driver.ts';
import { isAnswered } from './server.ts';

/** Records how a call ended. */
export async function land(driver: Driver, { prepared, served, outcome }: SentCall): Promise<void> {
  const { step, stream } = prepared.record.data;
  if (!isAnswered(served) || outcome === 'failed') {
    return put(driver, {
      kind: 'answer.failed',
      data: { step, stream, class: 'retryable', code: 'provider/overloaded', message: 'Overloaded' },
    });
  }
  const { answer } = served;
  const record = outcome === 'lost' ? undefined : await recordEnd(driver, prepared, answer, outcome);
  noteClosed(driver, record === undefined ? [] : [record]);
}

function recordEnd(
  driver: Driver,
  prepared: Prepared,
  answer: Answer,
  outcome: Outcome,
): Promise<Recorded | undefined> {
  const { session } = driver;
  switch (outcome) {
    case 'stopped-by-user':
      return recordInterrupted(session, prepared, 'user', answer, clock(driver));
    case 'cut-by-transport':
      return recordInterrupted(session, prepared, 'transport', answer, clock(driver));
    case 'cut-unmeasured':
      return recordInterrupted(session, prepared, 'transport', { ...answer, usage: {} }, clock(driver));
    default:
      return recordAnswer(session, prepared, answer, clock(driver));
  }
}
