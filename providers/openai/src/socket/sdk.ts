// Wraps OpenAI's official SDK in the client interface of `@tidemark/provider-wire`. Also opens the WebSockets of the
// Responses API.

import type { SdkSetup } from '@tidemark/provider-wire';
import type { EventSourceMessage } from 'eventsource-parser';
import { createParser } from 'eventsource-parser';
import { OpenAI } from 'openai';
import type { OpenAISdk } from './provider-connection.ts';
import { connect } from './connection.ts';
import { sortError } from './sdk-errors.ts';

/** Creates an SDK client. The client never retries. */
export function createOpenAISdk(setup: SdkSetup): OpenAISdk {
  const { key, baseURL, idleMs, fetch } = setup;
  const client = new OpenAI({
    apiKey: key,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL,
    maxRetries: 0,
    timeout: idleMs,
    logLevel: 'off',
    fetch,
  });
  return {
    post: (path, request) => client.post(path, request).asResponse(),
    // The public stream of the SDK parses events and drops the text, but encrypted reasoning must be kept as it was
    // sent.
    events: readEvents,
    connect: (opening) => connect({ ...setup, client }, opening),
    sort: (error, phase) => sortError(setup, error, phase),
  };
}

/**
 * Yields the server-sent events of a response. The last event is complete even without its blank line, because some
 * servers omit it. The caller bounds the size and the number of events (`boundAnswer`).
 */
async function* readEvents({ body }: Response, { signal }: AbortController): AsyncGenerator<EventSourceMessage, void> {
  if (body === null) return;
  const reader = body.getReader();
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => arrived.push(event) });
  const decoder = new TextDecoder();
  // Cancelling the reader ends a pending read, even if the body ignores the abort signal.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  for (let isDone = false; !isDone && !signal.aborted;) {
    const chunk = await readUnlessAborted(reader, signal);
    isDone = chunk === undefined;
    parser.feed(chunk === undefined ? `${decoder.decode()}\n\n` : decoder.decode(chunk, { stream: true }));
    for (const event of arrived.splice(0)) {
      if (signal.aborted) return;
      yield event;
    }
  }
}

async function readUnlessAborted(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
