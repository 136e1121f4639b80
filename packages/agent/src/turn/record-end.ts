// How a call ended goes into the log: the same for a step of a turn and for a side call.

import type { Recorded } from '@tidemark/log';
import { recordAnswer, recordFailed, recordInterrupted } from '../request/answer.ts';
import type { Prepared } from '../request/prepare.ts';
import type { Received } from './call-provider.ts';
import { asAnswer } from './partial-answer.ts';
import type { Sending } from './send-request.ts';

/** Records how it ended. `retry`: a failure is followed by another attempt. */
export function recordEnd(
  { session, runtime }: Pick<Sending, 'session' | 'runtime'>,
  prepared: Prepared,
  received: Received,
  retry: boolean,
): Promise<Recorded | undefined> {
  const at = runtime.surroundings.now();
  switch (received.end) {
    case 'finished':
      return recordAnswer(session, prepared, received.answer, at);
    case 'stopped':
      return recordInterrupted(session, prepared, 'user', asAnswer(received.arrived), at);
    case 'failed': {
      const { arrived, error } = received;
      // A provider that has begun its answer has taken the request and bills it, though nobody can read how it began.
      const usage = arrived.usage ?? (error.code === 'provider/malformed' ? {} : undefined);
      return usage === undefined
        ? recordFailed(session, prepared, error, retry, at)
        : recordInterrupted(session, prepared, 'transport', asAnswer({ ...arrived, usage }), at, error.message);
    }
  }
}
