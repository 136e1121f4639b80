// Keeps the secrets of a session on this machine.

import type { ToolContext } from '@tidemark/agent';

import { WebError } from './web-error.ts';

/**
 * Checks that a text which leaves this machine contains no secret of the session, also if it is percent-encoded.
 *
 * @throws WebError `web/secret`.
 */
export async function requireNoSecret(text: string, name: string, { mask }: Pick<ToolContext, 'mask'>): Promise<void> {
  for (const form of new Set([text, decodePercents(text)])) {
    if ((await mask(form)) === form) continue;
    const message = `The ${name} contains a secret of this session, so nothing was sent. Call again without the secret. If the user wants it sent, the user has to do that.`;
    throw new WebError('web/secret', message);
  }
}

/** Returns the text with its percent-encoded bytes decoded as UTF-8. */
function decodePercents(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
