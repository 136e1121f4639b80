// Tests that the front of a new epoch and its wanted catalog row are used from memory. They are not read back after
// they were stored. The bytes are the same as after reading them back (L2).

import { scriptedEncoder } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, test } from 'vitest';
import { answering, goLive, says } from '../../tests/small-live.ts';
import { ID, row } from '../../tests/small-session.ts';
import { verifySession } from '../audit/rebuild.ts';

test.each([
  ['a byte order mark', '\uFEFFYou mend code.'],
  ['a lone surrogate', 'You mend \uD83D code.'],
  ['line endings of another system', 'You mend code.\r\n\r\nSlowly.\u2028'],
])('a role with %s is sent with the same bytes that `verifySession` rebuilds from the log', async (_what, role) => {
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

test('a catalog row that changed before the session is reopened waits for the next epoch', async () => {
  const before = row('claude-sonnet-4-5');
  const parameters = { speed: 'fast' };
  const first = await goLive({ provider: answering(says('One.')), runtime: { capabilities: before, parameters } });
  await first.live.prompt('Go.');
  await first.live.close();
  const capabilities = { ...before, renderParameters: { ...before.renderParameters, speed: 'tools' as const } };
  const again = await goLive({
    provider: answering(says('Two.')),
    shelf: first.shelf,
    runtime: { capabilities, parameters },
  });
  await again.live.prompt('On.');
  const records = await again.records();
  const sequences = records.flatMap((one) => (one.kind === 'request.prepared' ? [one.data.sequence.parameters] : []));
  expect(records.filter(({ kind }) => kind === 'epoch.opened')).toHaveLength(1);
  expect(sequences).toHaveLength(2);
  expect(sequences[1]).toEqual(sequences[0]);
});
