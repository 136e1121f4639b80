// OpenAI's official SDK as the HTTP client of `wire` takes it. It opens the WebSockets of Responses too.

import type { SdkSetup } from '@tidemark/provider-wire';
import { OpenAI } from 'openai';
import { _iterSSEMessages as rawEvents } from 'openai/core/streaming';
import type { OpenAISdk } from './provider-connection.ts';
import { connect } from './connection.ts';
import { sortError } from './sdk-errors.ts';

/** Sets the SDK up. It retries nothing. */
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
    // The SDK's public stream parses and prints: only its raw events keep encrypted reasoning as it was sent.
    events: rawEvents,
    connect: (opening) => connect({ ...setup, client }, opening),
    sort: (error, phase) => sortError(setup, error, phase),
  };
}
