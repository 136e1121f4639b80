// `node bench/src/inspected-home.ts <folder> [calls] [sessions]`: makes a home with one long session, and many short ones,
// so that the pages of the inspector can be tried and measured. The long session has compactions, pauses and misses.

import type { Event, Log, Recorded } from '@tidemark/log';
import { money, sessionId, timestamp } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';
import { createMemoryStore } from '@tidemark/store-memory';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { eventOf, templateSession, writeCopies } from './copied-sessions.ts';
import { beginSteady } from './steady-session.ts';

/** Steps of a turn, turns from one compaction to the next, and calls from one miss to the next. */
const STEPS = 100;
const COMPACT_EVERY = 9;
const MISS_EVERY = 83;
/** Pause before a call that misses, in milliseconds. */
const PAUSE_MS = 7 * 60_000;
/** Events of one append. */
const BATCH = 2_000;

const [home, calls = '10000', sessions = '0'] = process.argv.slice(2);
if (home === undefined) throw new Error('usage: node bench/src/inspected-home.ts <folder> [calls] [sessions]');
const store = openNdjsonStore({ home });
console.log(await writeLongSession(store, Number(calls)));
await writeCopies(await templateSession(1), store, Number(sessions));

/** Writes a session of this many calls, and returns its id. */
async function writeLongSession(log: Log, count: number): Promise<string> {
  const made = createMemoryStore();
  const steady = await beginSteady({ log: made, calls: 1, bytes: 200, endless: true });
  for (let turn = 1; turn * STEPS <= count; turn += 1) {
    if (turn % COMPACT_EVERY === 0) steady.compact();
    await steady.turn(STEPS);
  }
  await steady.close();
  const writer = await log.create(sessionId(steady.id));
  let batch: Event[] = [];
  const change = withMisses();
  for await (const record of made.read(steady.id)) {
    await copyArtifacts(made, record, log);
    if (batch.push(change(eventOf(record))) === BATCH) {
      await writer.append(batch, writer.length);
      batch = [];
    }
  }
  await writer.append(batch, writer.length);
  await writer.close();
  return steady.id;
}

/** Returns a function that adds pauses to events, and misses to answers after them. */
function withMisses(): (event: Event) => Event {
  let [answers, shift] = [0, 0];
  return (event) => {
    if (event.kind === 'request.prepared' && (answers + 1) % MISS_EVERY === 0) shift += PAUSE_MS;
    const at = timestamp(new Date(Date.parse(event.at) + shift).toISOString());
    if (event.kind !== 'answer.received') return { ...event, at };
    answers += 1;
    const tokens = event.data.usage.read ?? 0;
    if (answers % MISS_EVERY !== 0 || tokens === 0) return { ...event, at };
    const usage = { ...event.data.usage, read: 0, writes: [{ ttl: '5m' as const, tokens }] };
    const cost = money((tokens * 5.75e-6).toFixed(9));
    const paid = event.data.cost && money(sumOfMoney([event.data.cost, cost]));
    return {
      ...event,
      at,
      data: { ...event.data, usage, ...(paid && { cost: paid }), miss: { cause: 'expired' as const, tokens, cost } },
    };
  };
}

async function copyArtifacts(from: Log, { kind, data }: Recorded, to: Log): Promise<void> {
  if (kind !== 'epoch.opened') return;
  for (const digest of [
    data.capabilities,
    ...data.layers.map((layer) => layer.digest),
    ...data.tools.map((tool) => tool.digest),
  ])
    if (await from.artifacts.has(digest)) await to.artifacts.put(from.artifacts.get(digest));
}
