// Bytes of the requests (L2): each request is rebuilt from the log by a store that has not seen the session.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Verification } from '@tidemark/agent';
import { rebuildSession, verifySession } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import { expect } from 'vitest';
import { perform } from './loop-perform.ts';
import type { SentCall } from './loop.ts';
import { continueIn } from './loop.ts';
import type { LoopPlayed, Played } from './play.ts';
import { within } from './place.ts';
import { encoders } from './server.ts';
import { asFields, digestOf } from './shown.ts';

const CHILD = fileURLToPath(new URL('rebuild-child.ts', import.meta.url));
const run = promisify(execFile);

/** Expects that all `count` requests were rebuilt with the recorded digests. */
export function expectVerified({ requests, differences }: Verification, count: number): void {
  expect({ requests, differences }).toEqual({ requests: count, differences: [] });
}

/** Expects that each request can also be rebuilt on its own, not only from the one before it. */
export async function expectRebuiltAlone({ log, id, requests }: Played): Promise<void> {
  const { differences, requests: count } = await verifySession(log, id, { encoders, full: true });
  expect({ count, differences }).toEqual({ count: requests.length, differences: [] });
}

/**
 * Expects that each request is rebuilt with the bytes that were sent, before any later record of the log is read. The
 * bytes of a request therefore depend only on the log up to the request.
 */
export async function expectBytesFromPrefixes({ place, id, requests }: Played): Promise<void> {
  const { log, read } = counting(place.open());
  let index = 0;
  for await (const step of rebuildSession(log, id, { encoders })) {
    if (step.type === 'record') continue;
    const { record, body } = step.rebuilt;
    const sent = requests[index]?.prepared.body ?? new Uint8Array();
    expect({ position: record.position, last: read.last }).toEqual({
      position: record.position,
      last: record.position,
    });
    if (Buffer.compare(body(), sent) !== 0) expect(textOf(body())).toBe(textOf(sent));
    index += 1;
  }
  expect(index).toBe(requests.length);
}

function counting(log: Log): { readonly log: Log; readonly read: { last: number } } {
  const read = { last: -1 };
  const counted: Log = {
    ...log,
    artifacts: log.artifacts,
    async *read(session, from, to) {
      for await (const record of log.read(session, from, to)) {
        read.last = record.position;
        yield record;
      }
    },
  };
  return { log: counted, read };
}

/** Rebuilds the requests in the first half of a log from this half alone, and expects the recorded digests. */
export async function expectHalfGivesDigests({ place, id, book, requests }: Played): Promise<void> {
  const end = Math.floor(book.records.length / 2);
  const log = place.open();
  const half: Log = {
    ...log,
    artifacts: log.artifacts,
    read: (session, from = 0, to = Infinity) => log.read(session, from, Math.min(to, end)),
  };
  const recorded = requests.map(({ prepared }) => prepared.record).filter(({ position }) => position < end);
  expect(await rebuiltDigests(half, id)).toEqual(recorded.map(({ data }) => data.digest));
}

/** Rebuilds all requests of a session, and returns their digests in the order of the log. */
export async function rebuiltDigests(log: Log, id: SessionId): Promise<readonly string[]> {
  const digests: string[] = [];
  for await (const step of rebuildSession(log, id, { encoders }))
    if (step.type === 'request') digests.push(step.rebuilt.digest);
  return digests;
}

/**
 * Expects that another process rebuilds the requests with the recorded digests. It gets only the home and the id of the
 * session.
 */
export async function expectSameBytesInAnotherProcess({ place, id, requests }: Played): Promise<void> {
  const { stdout } = await run(process.execPath, [CHILD, place.home ?? '', id]);
  const rebuilt = asFields(JSON.parse(stdout));
  expect(rebuilt['digests']).toEqual(requests.map(({ prepared }) => prepared.record.data.digest));
  expect(rebuilt['differences']).toEqual([]);
}

/** Expects that the server got the recorded bodies of the turn loop: all of them, in order, and no other. */
export function expectArrivedInOrder({ arrived, loop: { sent } }: LoopPlayed): void {
  expect(arrived).toEqual(sent.map(({ prepared }) => prepared.record.data.digest));
  for (const { prepared } of sent) expect(digestOf(prepared.body)).toBe(prepared.record.data.digest);
}

/** Expects that each body that arrived is in the log, at least as often as it arrived. */
export function expectArrivedRecorded({ arrived, requests }: Played): void {
  const recorded = Map.groupBy(requests, ({ prepared }) => String(prepared.record.data.digest));
  for (const [digest, times] of Map.groupBy(arrived, (one) => one))
    expect({ digest, recorded: times.length <= (recorded.get(digest)?.length ?? 0) }).toEqual({
      digest,
      recorded: true,
    });
}

/**
 * Expects that a restart does not change the next request: it opens no epoch and begins with all blocks of the previous
 * request.
 */
export async function expectRestartChangesNothing({ loop, place, id }: LoopPlayed): Promise<void> {
  const answer = { said: [{ kind: 'text', text: { kind: 'words', size: 40 } }], calls: [] } as const;
  await within(place.copyWith(id, place.bytesOf(id)), (copy) =>
    continueIn(loop, copy, async (again) => {
      await perform(again, { do: 'ask', answer, outcome: 'answered', during: [] });
      await perform(again, { do: 'restart' });
      await perform(again, { do: 'ask', answer: { said: [], calls: [] }, outcome: 'answered', during: [] });
      const [before, after] = again.calls.slice(-2);
      expect(after?.prepared.opened).toBeUndefined();
      expect(beginsWith(after, before)).toBe(true);
    }),
  );
}

function beginsWith(after: SentCall | undefined, before: SentCall | undefined): boolean {
  const { buffer = [], length = 0 } = before?.prepared.sequence.prefixes ?? {};
  return length > 0 && after?.prepared.sequence.prefixes.buffer[length - 1] === buffer[length - 1];
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}
