// Wraps Anthropic's official SDK in the client interface of `@tidemark/provider-wire`.

import {
  Anthropic,
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import type { SdkClient, SdkErrors, SdkSetup } from '@tidemark/provider-wire';
import { mapError } from '@tidemark/provider-wire';
import { sortFailure } from '../decode/failure.ts';

/** Creates an SDK client. The client never retries. */
export function createAnthropicSdk(setup: SdkSetup): SdkClient {
  const { key, baseURL, idleMs, fetch } = setup;
  const client = new Anthropic({ apiKey: key, baseURL, maxRetries: 0, timeout: idleMs, logLevel: 'off', fetch });
  return {
    post: (path, request) => client.post(path, request).asResponse(),
    events: (response, controller) => Stream.rawEvents(response, controller),
    sort: (error, phase) => mapError(setup, ERRORS, error, phase),
  };
}

const ERRORS: SdkErrors<APIError> = {
  APIError,
  APIConnectionError,
  APIConnectionTimeoutError,
  APIUserAbortError,
  messageOf: ({ apiMessage, message }) => apiMessage ?? message,
  sort: sortFailure,
};
