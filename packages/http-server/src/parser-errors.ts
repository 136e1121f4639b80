// Converts errors of the HTTP parser of Node.js, and of its time limits, to refusals.

import type { ServerRefusal } from './refusal.ts';

/** Returns the refusal for the error code of a `clientError` event. */
export function refusalOfParser(code: string | undefined): ServerRefusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { reason: 'headers-too-large', status: 431, message: 'The headers of the request are too large.' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { reason: 'body-too-large', status: 413, message: 'The chunk extensions of the request are too large.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { reason: 'timeout', status: 408, message: 'The request did not arrive in time. Send it again.' };
    default:
      return { reason: 'malformed', status: 400, message: 'This is not a valid HTTP/1.1 request.' };
  }
}
