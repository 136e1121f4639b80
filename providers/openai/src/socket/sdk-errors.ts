// Turns errors of OpenAI's SDK, and of the socket that it uses, into ProviderErrors.

import type { ProviderError } from '@tidemark/model';
import type { CallPhase, SdkSetup } from '@tidemark/provider-wire';
import { mapError } from '@tidemark/provider-wire';
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { sortFailure } from '../decode/failure.ts';

/** Sorts an error of a call by the action that can follow. The result never contains a secret. */
export function sortError(
  { service, hide }: Pick<SdkSetup, 'service' | 'hide'>,
  error: unknown,
  phase: CallPhase,
): ProviderError {
  const classes = { APIError, APIConnectionError, APIConnectionTimeoutError, APIUserAbortError };
  return mapError(
    { service, hide },
    {
      ...classes,
      messageOf,
      sort: (failure, { code, param }) =>
        sortFailure(service, {
          ...failure,
          ...(typeof code === 'string' && { code }),
          ...(typeof param === 'string' && { param }),
        }),
    },
    error,
    phase,
  );
}

// The SDK's message starts with the status, so the server's own message is used if there is one.
function messageOf({ error: body, message }: APIError): string {
  const words = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  return typeof words === 'string' ? words : message;
}
