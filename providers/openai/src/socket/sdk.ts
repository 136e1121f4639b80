// Wraps OpenAI's official SDK in the client interface of `wire`. Also opens the WebSockets of the Responses API.

import type { SdkSetup } from '@tidemark/provider-wire';
import { OpenAI } from 'openai';
import { _iterSSEMessages as rawEvents } from 'openai/core/streaming';
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
    // The public stream of the SDK parses events and drops the text. Only its raw events keep encrypted reasoning as it
    // was sent.
    events: rawEvents,
    connect: (opening) => connect({ ...setup, client }, opening),
    sort: (error, phase) => sortError(setup, error, phase),
  };
}
