// A prepared request goes out, and how that ended goes into the log: the same for a step of a turn and for a side call.

import type { Recorded } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { recordAnswer, recordFailed, recordInterrupted } from '../request/answer.ts';
import { entriesToWrite } from '../request/gate.ts';
import type { Prepared } from '../request/prepare.ts';
import type { Session } from '../session/session.ts';
import { asAnswer, NOTHING_ARRIVED } from './arrived.ts';
import type { Received } from './receive.ts';
import { receive } from './receive.ts';
import type { Runtime } from './runtime.ts';
import type { SessionEvent } from './session-event.ts';

const IDLE_MS = 180_000;

/** What an exchange needs. */
export interface Exchanging {
  readonly session: Session;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  readonly tell: (event: SessionEvent) => void;
}

/** Sends exactly the prepared bytes, and listens to the end. Nothing goes out once the signal has aborted. */
export async function exchange(
  exchanging: Exchanging,
  prepared: Prepared,
  hear: (part: StreamPart) => void,
): Promise<Received> {
  const { session, runtime, signal } = exchanging;
  if (runtime.gate === undefined) return send(exchanging, prepared, hear);
  const now = milliseconds(runtime.surroundings.now());
  const passage = await runtime.gate.enter(entriesToWrite(session.state, prepared.record.data, now), signal);
  try {
    return await send(exchanging, prepared, (part) => {
      passage.begun();
      hear(part);
    });
  } finally {
    passage.over();
  }
}

async function send(
  { session, runtime, signal, tell }: Exchanging,
  prepared: Prepared,
  hear: (part: StreamPart) => void,
): Promise<Received> {
  if (signal.aborted) return { end: 'stopped', arrived: NOTHING_ARRIVED };
  const tooLarge = refuseTooLarge(prepared);
  if (tooLarge !== undefined) return { end: 'failed', arrived: NOTHING_ARRIVED, error: tooLarge };
  showRequest(runtime, prepared, tell);
  const { body, betas, continues, record } = prepared;
  const { provider, surroundings, idleMs = IDLE_MS } = runtime;
  const lane = record.data.stream === 'main' ? session.state.session : undefined;
  const further = { ...(continues !== undefined && { continues }), ...(lane !== undefined && { lane }) };
  return receive({ body, betas, ...further }, { provider, surroundings, idleMs, signal, hear });
}

/** A body above the limit is not sent: a server that cuts the upload short looks like a broken connection. */
function refuseTooLarge({ body, capabilities, epoch: { provider, model } }: Prepared): ProviderError | undefined {
  const { requestBytes } = capabilities;
  if (requestBytes === undefined || body.length <= requestBytes) return undefined;
  const message = `the request of ${body.length} bytes was not sent: ${model} takes ${requestBytes} at most. Next: compact, images first`;
  return new ProviderError('compaction', 'provider/too-large', message, { provider });
}

function showRequest({ onRequest }: Runtime, { body }: Prepared, tell: Exchanging['tell']): void {
  try {
    onRequest?.(body.slice());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `onRequest threw when it was shown a request: ${why}`;
    const next = 'The request goes out all the same. Correct onRequest: it only watches.';
    tell({ type: 'notice.raised', notice: { code: 'turn/on-request-failed', message, next } });
  }
}

/** Records how it ended. `retry`: a failure is followed by another attempt. */
export function recordEnd(
  { session, runtime }: Pick<Exchanging, 'session' | 'runtime'>,
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
      // Once the provider has told a usage, it has taken the request and bills it.
      return arrived.usage === undefined
        ? recordFailed(session, prepared, error, retry, at)
        : recordInterrupted(session, prepared, 'transport', asAnswer(arrived), at, error.message);
    }
  }
}
