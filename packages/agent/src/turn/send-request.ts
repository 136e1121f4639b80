// A prepared request goes out, and is listened to until it ends: the same for a step of a turn and for a side call.

import { milliseconds } from '@tidemark/log';
import type { StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { entriesToWrite } from '../request/cache-write-gate.ts';
import type { Prepared } from '../request/prepare.ts';
import type { Session } from '../session/session.ts';
import type { Received } from './call-provider.ts';
import { callProvider } from './call-provider.ts';
import { NOTHING_SENT } from './partial-answer.ts';
import type { Runtime } from './runtime.ts';
import type { SessionEvent } from './session-event.ts';

const IDLE_MS = 180_000;

/** What a request is sent with. */
export interface Sending {
  readonly session: Session;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  readonly tell: (event: SessionEvent) => void;
}

/** Sends exactly the prepared bytes, and listens to the end. Nothing goes out once the signal has aborted. */
export async function sendRequest(
  sending: Sending,
  prepared: Prepared,
  hear: (part: StreamPart) => void,
): Promise<Received> {
  const { session, runtime, signal } = sending;
  if (runtime.gate === undefined) return send(sending, prepared, hear);
  const now = milliseconds(runtime.surroundings.now());
  const passage = await runtime.gate.enter(entriesToWrite(session.state, prepared.record.data, now), signal);
  try {
    return await send(sending, prepared, (part) => {
      passage.begun();
      hear(part);
    });
  } finally {
    passage.over();
  }
}

async function send(
  { session, runtime, signal, tell }: Sending,
  prepared: Prepared,
  hear: (part: StreamPart) => void,
): Promise<Received> {
  if (signal.aborted) return { end: 'stopped', arrived: NOTHING_SENT };
  const tooLarge = refuseTooLarge(prepared);
  if (tooLarge !== undefined) return { end: 'failed', arrived: NOTHING_SENT, error: tooLarge };
  showRequest(runtime, prepared, tell);
  const { body, betas, continues, record } = prepared;
  const { provider, surroundings, idleMs = IDLE_MS } = runtime;
  const lane = record.data.stream === 'main' ? session.state.session : undefined;
  const further = { ...(continues !== undefined && { continues }), ...(lane !== undefined && { lane }) };
  const { outputLimit } = record.data;
  return callProvider({ body, betas, outputLimit, ...further }, { provider, surroundings, idleMs, signal, hear });
}

/** A body above the limit is not sent: a server that cuts the upload short looks like a broken connection. */
function refuseTooLarge({ body, capabilities, epoch: { provider, model } }: Prepared): ProviderError | undefined {
  const { requestBytes } = capabilities;
  if (requestBytes === undefined || body.length <= requestBytes) return undefined;
  const message = `the request of ${body.length} bytes was not sent: ${model} takes ${requestBytes} at most. Next: compact, images first`;
  return new ProviderError('compaction', 'provider/too-large', message, { provider });
}

function showRequest({ onRequest }: Runtime, { body }: Prepared, tell: Sending['tell']): void {
  try {
    onRequest?.(body.slice());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `onRequest threw when it was shown a request: ${why}`;
    const next = 'The request goes out all the same. Correct onRequest: it only watches.';
    tell({ type: 'notice.raised', notice: { code: 'turn/on-request-failed', message, next } });
  }
}
