// What must hold of the requests of a session that has worked: no byte came from elsewhere, each extends the one before,
// the numbers are those that were billed (L1, L2, L3, L4, L7). Every request is made again from the log alone.

import { rebuildSession, verifySession } from '@tidemark/agent';
import { slice } from '@tidemark/context';
import type { Log, SessionId } from '@tidemark/log';
import { totalInput } from '@tidemark/simulator';
import { expect } from 'vitest';
import type { Made } from './billed.ts';
import { extendsCall, shownBlocks, sum } from './billed.ts';
import type { Entry } from './book.ts';
import type { LiveServer } from './live-provider.ts';
import { strangers, wrongEvent } from './origins.ts';
import { encoders } from './server.ts';

type Rebuilt = Made<'record' | 'sequence' | 'capabilities'>;

/** Checks all requests of a session against its log, and what the provider was sent. */
export async function checkRequests(
  log: Log,
  id: SessionId,
  book: readonly Entry[],
  server: LiveServer,
): Promise<void> {
  const found = await verifySession(log, id, { encoders });
  expect({ ...found, breaks: found.breaks.filter(({ cause }) => cause === undefined) }).toMatchObject({
    differences: [],
    breaks: [],
    problems: [],
  });
  const calls = await rebuiltFrom(log, id);
  for (const call of calls) {
    expect(strangers(book, call.prepared)).toEqual([]);
    expect(slice(call.prepared.sequence.blocks).flatMap((block) => wrongEvent(book, block) ?? [])).toEqual([]);
  }
  checkGrowth(calls);
  checkArrived(calls, server);
  checkNumbers(book, calls, server);
}

async function rebuiltFrom(log: Log, id: SessionId): Promise<readonly Rebuilt[]> {
  const calls: Rebuilt[] = [];
  for await (const step of rebuildSession(log, id, { encoders })) {
    if (step.type === 'record') continue;
    const { record, promptStream } = step.rebuilt;
    const { sequence, materials } = promptStream;
    calls.push({ prepared: { record, sequence, capabilities: materials.capabilities } });
  }
  return calls;
}

function checkGrowth(calls: readonly Rebuilt[]): void {
  const main = calls.filter(({ prepared }) => prepared.record.data.stream === 'main');
  const broken = main.filter((call, index) => {
    const before = main[index - 1];
    // A side call may have opened the epoch: the first one, or one that sets aside what it was refused for.
    return before !== undefined && epochOf(call) === epochOf(before) && !extendsCall(call, before);
  });
  expect(broken.map(({ prepared }) => prepared.record.position)).toEqual([]);
}

function epochOf({ prepared }: Rebuilt): number {
  return prepared.record.data.epoch;
}

/** What arrived stands in the log, at least as often. */
function checkArrived(calls: readonly Rebuilt[], { simulator }: LiveServer): void {
  const prepared = Map.groupBy(calls, (call) => String(call.prepared.record.data.digest));
  for (const [digest, times] of Map.groupBy(simulator.calls, (call) => call.digest))
    expect({ digest, arrived: times.length <= (prepared.get(digest)?.length ?? 0) }).toEqual({ digest, arrived: true });
}

/** The record of an answer holds the buckets as they were billed, and together they are all that was sent. */
function checkNumbers(book: readonly Entry[], calls: readonly Rebuilt[], { simulator }: LiveServer): void {
  const billed = new Map(simulator.calls.map(({ message, usage }) => [message, usage]));
  const requests = new Map(calls.map((call) => [call.prepared.record.position, call]));
  for (const { record } of book) {
    if (record.kind !== 'answer.received' || record.data.request === undefined) continue;
    const usage = billed.get(record.data.response);
    const request = requests.get(record.data.request);
    if (usage === undefined || request === undefined) throw new Error(`answer ${record.position} answers nothing`);
    const { fresh, read, writes } = record.data.usage;
    expect({
      position: record.position,
      fresh,
      read,
      written: writes?.reduce((all, one) => all + one.tokens, 0),
    }).toEqual({
      position: record.position,
      fresh: usage.input_tokens,
      read: usage.cache_read_input_tokens,
      written: usage.cache_creation_input_tokens,
    });
    expect(totalInput(usage)).toBe(sum(shownBlocks(request)));
  }
}
