// L2: a request is a pure function of the log up to and including its own `request.prepared`.

import { describe, expect, it } from 'vitest';
import { rebuildSession, verifySession } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import type { SentCall } from './driver.ts';
import { perform } from './perform.ts';
import { readBook } from './book.ts';
import { encoders } from './server.ts';
import { digestOf } from './shown.ts';
import { tryStories, WORLDS } from './try-stories.ts';

describe.each(WORLDS)('L2 on $store against $provider', (world) => {
  it('L2: verify finds no difference in a log read by a new process, request on request or each from nothing', async () => {
    await tryStories({ world, runs: 6 }, async ({ place, session, calls }) => {
      const id = session.writer.session;
      for (const full of [false, true]) {
        const found = await verifySession(place.open(), id, { encoders, full });
        expect(found).toMatchObject({ requests: calls.length, differences: [] });
      }
    });
  });

  it('L2: the bytes are those that were sent, and what arrived is what was recorded', async () => {
    await tryStories({ world, runs: 6 }, async ({ place, session, server, sent, calls }) => {
      expect(await bodiesOf(place.open(), session.writer.session)).toEqual(
        calls.map(({ prepared }) => textOf(prepared.body)),
      );
      expect(server.arrived()).toEqual(sent.map(({ prepared }) => prepared.record.data.digest));
      for (const { prepared } of sent) expect(digestOf(prepared.body)).toBe(prepared.record.data.digest);
    });
  });

  it('L2: every prefix of the log gives the same bytes for the requests it holds', async () => {
    await tryStories({ world, runs: 6, length: 24 }, async ({ place, session, calls }) => {
      const log = place.open();
      const id = session.writer.session;
      const { length } = await readBook(log, id);
      const ends = [...calls.map(({ prepared }) => prepared.record.position + 1), Math.floor(length / 2)];
      for (const end of ends) expect(await digestsOf(upTo(log, end), id)).toEqual(digestsBefore(calls, end));
    });
  });

  it('anthropics/claude-code#34629, L2: after a restart the next request is the one that would have been sent without it', async () => {
    await tryStories({ world, runs: 5 }, async (driver) => {
      await perform(driver, {
        do: 'ask',
        answer: { said: [{ kind: 'text', text: { kind: 'words', size: 40 } }], calls: [] },
        outcome: 'answered',
        during: [],
      });
      await perform(driver, { do: 'restart' });
      await perform(driver, { do: 'ask', answer: { said: [], calls: [] }, outcome: 'answered', during: [] });
      const [before, after] = driver.calls.slice(-2);
      expect(after?.prepared.opened).toBeUndefined();
      expect(beginsWith(after, before)).toBe(true);
    });
  });
});

function digestsBefore(calls: readonly SentCall[], end: number): readonly string[] {
  return calls
    .map(({ prepared }) => prepared.record)
    .flatMap(({ position, data }) => (position < end ? [data.digest] : []));
}

async function bodiesOf(log: Log, session: SessionId): Promise<readonly string[]> {
  const bodies: string[] = [];
  for await (const step of rebuildSession(log, session, { encoders }))
    if (step.type === 'request') bodies.push(textOf(step.rebuilt.body()));
  return bodies;
}

async function digestsOf(log: Log, session: SessionId): Promise<readonly string[]> {
  const digests: string[] = [];
  for await (const step of rebuildSession(log, session, { encoders }))
    if (step.type === 'request') digests.push(step.rebuilt.digest);
  return digests;
}

function upTo(log: Log, end: number): Log {
  return {
    ...log,
    artifacts: log.artifacts,
    read: (session, from = 0, to = Infinity) => log.read(session, from, Math.min(to, end)),
  };
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

function beginsWith(after: SentCall | undefined, before: SentCall | undefined): boolean {
  const { buffer = [], length = 0 } = before?.prepared.sequence.prefixes ?? {};
  return length > 0 && after?.prepared.sequence.prefixes.buffer[length - 1] === buffer[length - 1];
}
