// Many sessions that are copies of one session of an agent, with other ids, days, folders, models, contracts and misses.
// The copies are written to a store, or they are only read from memory.

import type { Event, Log, Recorded, SessionId, SessionSummary, Timestamp } from '@tidemark/log';
import { money, sessionId, timestamp } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';

import { beginSteady } from './steady-session.ts';

/** Session that is copied. */
export interface TemplateSession {
  readonly log: Log;
  readonly records: readonly Recorded[];
  readonly calls: number;
}

/** Steps of a turn, and turns of a session. */
const STEPS = 20;
const TURNS = 5;

/**
 * Lets an agent run a session of turns with 20 calls, by default of 100 calls. Each of its steps has one call of a tool
 * with a result of 1,000 bytes.
 */
export async function templateSession(turns: number = TURNS): Promise<TemplateSession> {
  const log = createMemoryStore();
  const steady = await beginSteady({ log, calls: 1, bytes: 1_000 });
  for (let turn = 0; turn < turns; turn += 1) await steady.turn(STEPS);
  await steady.close();
  const records: Recorded[] = [];
  for await (const record of log.read(steady.id)) records.push(record);
  return { log, records, calls: STEPS * turns };
}

const MODELS = ['claude-opus-5-5', 'claude-sonnet-4-5', 'claude-haiku-4-5'];
const CAUSES = ['expired', 'evicted', 'image', 'unknown'] as const;
const DAY_MS = 86_400_000;
/** Days over which the sessions are spread, folders in which they work, and calls from one miss to the next. */
const DAYS = 90;
const FOLDERS = 20;
const MISS_EVERY = 25;

/** Returns the id of a copy. */
export function copyId(number: number): SessionId {
  return sessionId(`copy-${String(number).padStart(6, '0')}`);
}

/** Returns the records of a copy. Their chain values are those of the template. */
export function copyRecords({ records }: TemplateSession, number: number): readonly Recorded[] {
  const first = records[0]?.at ?? timestamp('2026-11-20T00:00:00.000Z');
  const shift = Date.UTC(2026, 7, 1) + (number % DAYS) * DAY_MS + (number % 1_000) * 1_000 - Date.parse(first);
  const model = MODELS[number % MODELS.length] ?? '';
  let answers = 0;
  return records.map((record) => {
    if (record.kind === 'answer.received') answers += 1;
    return copyRecord(record, { number, model, at: later(record.at, shift), isMiss: answers % MISS_EVERY === 0 });
  });
}

function later(at: Timestamp, milliseconds: number): Timestamp {
  return timestamp(new Date(Date.parse(at) + milliseconds).toISOString());
}

interface Copy {
  readonly number: number;
  readonly model: string;
  readonly at: Timestamp;
  readonly isMiss: boolean;
}

function copyRecord(record: Recorded, { number, model, at, isMiss }: Copy): Recorded {
  switch (record.kind) {
    case 'session.created': {
      const id = copyId(number);
      return { ...record, at, data: { ...record.data, id, root: id, workspace: `/work/${number % FOLDERS}` } };
    }
    case 'epoch.opened':
      return { ...record, at, data: { ...record.data, model, contract: `tm${number % 2}` } };
    case 'answer.received': {
      const cause = CAUSES[number % CAUSES.length] ?? 'unknown';
      const miss = isMiss ? { miss: { cause, tokens: 1_000 + number, cost: money('0.004242') } } : {};
      return { ...record, at, data: { ...record.data, model, cost: money('0.0123456'), ...miss } };
    }
    default:
      return { ...record, at };
  }
}

/** Appends copies to a store. The artifacts are those that the calls refer to. */
export async function writeCopies(template: TemplateSession, log: Log, count: number): Promise<void> {
  await copyArtifacts(template, log);
  for (let number = 0; number < count; number += 1) {
    const writer = await log.create(copyId(number));
    await writer.append(copyRecords(template, number).map(eventOf), 0);
    await writer.close();
  }
}

/** Returns the event of a record. */
export function eventOf(record: Recorded): Event {
  if (record.kind === 'unknown') throw new Error('the template has a record of an unknown kind');
  const { v: _v, position: _position, fence: _fence, chain: _chain, ...event } = record;
  return event;
}

async function copyArtifacts({ log: from, records }: TemplateSession, to: Log): Promise<void> {
  for (const { kind, data } of records)
    if (kind === 'epoch.opened') await to.artifacts.put(from.artifacts.get(data.capabilities));
}

/** Returns a store that makes the records of a copy when it is read, so that no file is read and nothing is decoded. */
export function logOfCopies(template: TemplateSession, count: number): Log {
  const summaries = Array.from({ length: count }, (_, number): SessionSummary => {
    const created = {
      createdAt: timestamp('2026-08-01T00:00:00.000Z'),
      changedAt: timestamp('2026-08-01T00:00:00.000Z'),
    };
    return { session: copyId(number), root: copyId(number), workspace: '/work', ...created, bytes: 1 };
  });
  return {
    ...template.log,
    artifacts: template.log.artifacts,
    sessions: async () => ({ sessions: summaries, unreadable: [] }),
    async *read(session, from = 0) {
      for (const record of copyRecords(template, Number(session.slice('copy-'.length))).slice(from)) yield record;
    },
  };
}

/** Returns the events of one more call at the end of a copy. */
export function oneMoreCall(template: TemplateSession, number: number): readonly Event[] {
  const copied = copyRecords(template, number);
  const request = copied.findLast(({ kind }) => kind === 'request.prepared');
  const answer = copied.findLast(({ kind }) => kind === 'answer.received');
  return [request, answer].flatMap((record) => (record === undefined ? [] : [eventOf(record)]));
}
