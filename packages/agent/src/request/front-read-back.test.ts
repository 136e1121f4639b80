// The front of an epoch that opens is not read back from where it was just kept: it is the same as if it were (L2).

import { scriptedEncoder } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, test } from 'vitest';
import { answering, goLive, says } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';
import { verifySession } from '../audit/verify.ts';

test.each([
  ['a mark of byte order', '\uFEFFYou mend code.'],
  ['half a character', 'You mend \uD83D code.'],
  ['line ends of another system', 'You mend code.\r\n\r\nSlowly.\u2028'],
])('a role with %s is sent with the bytes that its log makes again', async (_what, role) => {
  const sent: string[] = [];
  const { live, shelf } = await goLive({
    provider: answering(says('Done.')),
    runtime: { role, onRequest: (body) => void sent.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)) },
  });
  await live.prompt('Go.');
  const { requests, differences } = await verifySession(createMemoryStore(shelf), ID, {
    encoders: () => scriptedEncoder,
  });
  expect({ requests, differences }).toEqual({ requests: 1, differences: [] });
  expect(sent[0]).toContain(JSON.stringify(role.toWellFormed()).slice(1, -1));
});
