// Checks the headers of a request before any byte of its body is read.

import type { IncomingMessage } from 'node:http';
import type { AllowedHosts } from './hosts.ts';
import { refuseForeign } from './hosts.ts';
import type { ServerLimits } from './limits.ts';
import type { ServerRefusal } from './refusal.ts';

/**
 * Returns a refusal for a request with too many headers, a wrong host or origin, a compressed body, or a declared
 * length above the limit. Returns `undefined` for any other request.
 */
export function refuseHead(
  request: IncomingMessage,
  hosts: AllowedHosts,
  limits: ServerLimits,
): ServerRefusal | undefined {
  const count = request.rawHeaders.length / 2;
  if (count > limits.headerCount) {
    const message = `The request has ${count} headers. The limit is ${limits.headerCount}.`;
    return { reason: 'headers-too-large', status: 431, message };
  }
  return refuseForeign(request, hosts) ?? refuseEncoding(request) ?? refuseLength(request, limits);
}

/** Refuses a compressed body, because the decompressed body can be a thousand times larger. */
function refuseEncoding({ headers }: IncomingMessage): ServerRefusal | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  const message = 'A request body with a content-encoding is not supported. Send it without compression.';
  return { reason: 'encoding', status: 415, message };
}

function refuseLength({ headers }: IncomingMessage, { bodyBytes }: ServerLimits): ServerRefusal | undefined {
  return Number(headers['content-length'] ?? 0) > bodyBytes ? tooLarge(bodyBytes) : undefined;
}

/** Returns the refusal of a body above the limit. */
export function tooLarge(bodyBytes: number): ServerRefusal {
  const message = `The request body is larger than ${bodyBytes} bytes, the limit of this server.`;
  return { reason: 'body-too-large', status: 413, message };
}
