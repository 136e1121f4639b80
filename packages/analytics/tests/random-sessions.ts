// Random sessions for tests: sessions with forks, subagents, imports, side calls, misses and unknown values. The records
// are written to a store without any agent.

import { createHash } from 'node:crypto';
import type { Digest, Event, EventData, Kind, Log, LogWriter, Miss, SessionId, Timestamp, Usage } from '@tidemark/log';
import { callId, canonicalJson, digest, money, sessionId, timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import fc from 'fast-check';

/** Models of the random sessions. The catalog has no row for the last one. */
const MODELS = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-opus-5-5'],
  ['openai', 'gpt-5.6'],
  ['elsewhere', 'unknown-model'],
] as const;

/** Returns the row of the shipped catalog. */
export function rowOf(provider: string, model: string): Capabilities | undefined {
  return findModel(defaultCatalog(), model, provider);
}

/** One random event of a session, or several that belong together. */
export type RandomEvent =
  | { readonly type: 'epoch'; readonly model: number; readonly cause: number; readonly also: boolean }
  | { readonly type: 'prompt'; readonly length: number }
  | { readonly type: 'charge'; readonly cost: number | undefined }
  | { readonly type: 'skill'; readonly skill: number; readonly reason: number }
  | ({ readonly type: 'request' } & RandomRequest)
  | ({ readonly type: 'call' } & RandomRequest & RandomAnswer)
  | ({ readonly type: 'answer' } & Pick<RandomRequest, 'side'> & RandomAnswer);

interface RandomRequest {
  readonly side: boolean;
  readonly alone: boolean;
  /** Expected input of the request, if it is recorded. */
  readonly size: number | undefined;
  /** True if the request asks for a cache entry of one hour. */
  readonly marked: boolean;
  readonly forecast: readonly [read: number, write: number, fresh: number, unsent: number];
}

interface RandomAnswer {
  readonly end: 'received' | 'interrupted' | 'failed';
  readonly usage: RandomUsage | undefined;
  readonly cost: number | undefined;
  readonly miss: readonly [cause: number, tokens: number] | undefined;
  readonly seconds: number;
}

type RandomUsage = readonly [fresh: number | undefined, read: number | undefined, written: number | undefined];

/** One action on a store. Indexes of sessions are taken modulo their number. */
export type RandomAction =
  | {
      readonly type: 'session';
      readonly workspace: number;
      readonly startedBy: number | undefined;
      readonly imported: boolean;
    }
  | { readonly type: 'fork'; readonly of: number; readonly share: number }
  | { readonly type: 'events'; readonly of: number; readonly events: readonly RandomEvent[] }
  | { readonly type: 'update'; readonly only: number | undefined }
  | { readonly type: 'reopen' };

const tokens = fc.integer({ min: 0, max: 60_000 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const request = {
  side: fc.boolean(),
  alone: fc.boolean(),
  size: maybe(tokens),
  marked: fc.boolean(),
  forecast: fc.tuple(tokens, tokens, tokens, tokens),
};

const answer = {
  end: fc.constantFrom('received', 'received', 'received', 'interrupted', 'failed'),
  usage: maybe(fc.tuple(maybe(tokens), maybe(tokens), maybe(tokens))),
  cost: maybe(fc.integer({ min: 0, max: 3_000_000_000 })),
  miss: maybe(fc.tuple(fc.nat(5), tokens)),
  seconds: fc.integer({ min: -5, max: 40_000 }),
} as const;

const randomEvent: fc.Arbitrary<RandomEvent> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('epoch'), model: fc.nat(3), cause: fc.nat(4), also: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('prompt'), length: fc.nat(4_000) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('charge'), cost: maybe(fc.nat(1_000_000)) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('skill'), skill: fc.nat(2), reason: fc.nat(2) }) },
  // A process that is killed leaves a request without an end. The next process sends another one.
  { weight: 3, arbitrary: fc.record({ type: fc.constant('request'), ...request }) },
  { weight: 8, arbitrary: fc.record({ type: fc.constant('call'), ...request, ...answer }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('answer'), side: request.side, ...answer }) },
);

/** Random actions on a store. */
export const randomActions: fc.Arbitrary<readonly RandomAction[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('session'),
        workspace: fc.nat(1),
        startedBy: maybe(fc.nat(5)),
        imported: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('fork'), of: fc.nat(5), share: fc.integer({ min: 0, max: 100 }) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('events'),
        of: fc.nat(5),
        events: fc.array(randomEvent, { maxLength: 8 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('update'), only: maybe(fc.nat(5)) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('reopen') }) },
  ),
  { maxLength: 24 },
);

/** Sessions in a store, each with its writer. */
export interface RandomSessions {
  readonly log: Log;
  readonly ids: readonly SessionId[];
  /** Performs an action that changes the store. */
  perform(action: Extract<RandomAction, { type: 'session' | 'fork' | 'events' }>): Promise<void>;
}

/** Begins without any session. */
export function beginSessions(log: Log): RandomSessions {
  const writers: LogWriter[] = [];
  const clock = { now: Date.UTC(2026, 10, 20, 12) };
  const begin = async (
    data: Omit<EventData['session.created'], 'id' | 'root' | 'workspace'>,
    workspace: string,
  ): Promise<void> => {
    const id = sessionId(`s${writers.length}`);
    const writer = await log.create(id, data.parent);
    await append(writer, [{ kind: 'session.created', at: time(clock, 1), data: { id, root: id, workspace, ...data } }]);
    writers.push(writer);
  };
  return {
    log,
    get ids() {
      return writers.map(({ session }) => session);
    },
    async perform(action) {
      const chosen = writers[('of' in action ? action.of : 0) % Math.max(1, writers.length)];
      if (action.type === 'session') {
        const by = action.startedBy === undefined ? undefined : writers[action.startedBy % Math.max(1, writers.length)];
        await begin(
          {
            title: `Title ${writers.length}`,
            ...(by === undefined ? {} : { startedBy: { session: by.session, call: callId('c1'), depth: 1 } }),
            ...(action.imported ? { imported: { format: 'claude-code', source: '/x' } } : {}),
          },
          `/work/${action.workspace}`,
        );
      } else if (chosen !== undefined && action.type === 'fork') {
        await chosen.sync();
        const at = Math.floor(((chosen.length - 1) * action.share) / 100);
        for await (const record of log.read(chosen.session, at, at + 1))
          await begin(
            { parent: { session: chosen.session, position: record.position, chain: record.chain } },
            '/work/0',
          );
      } else if (chosen !== undefined && action.type === 'events')
        for (const one of action.events) await append(chosen, await eventsOf(log, one, clock));
    },
  };
}

async function append(writer: LogWriter, events: readonly Event[]): Promise<void> {
  const appended = await writer.append(events, writer.length);
  if (!appended.ok) throw new Error('the log has another length');
}

interface Clock {
  now: number;
}

function time(clock: Clock, seconds: number): Timestamp {
  clock.now += seconds * 1000;
  return timestamp(new Date(clock.now).toISOString());
}

function named(text: string): Digest {
  return digest(createHash('sha256').update(text).digest('hex'));
}

async function eventsOf(log: Log, event: RandomEvent, clock: Clock): Promise<readonly Event[]> {
  const now = (): Timestamp => time(clock, 1);
  switch (event.type) {
    case 'epoch':
      return [made('epoch.opened', now(), await epoch(log, event))];
    case 'prompt':
      return [
        made('prompt.given', now(), { parts: [{ type: 'text', text: 'x'.repeat(event.length) }], presenter: 'test' }),
      ];
    case 'charge':
      return [
        made('tool.charged', now(), {
          call: callId('c1'),
          service: 'brave',
          requests: 2,
          ...(event.cost === undefined ? {} : { cost: money(`0.${String(event.cost).padStart(7, '0')}`) }),
        }),
      ];
    case 'skill':
      return [
        made('skill.loaded', now(), {
          name: `skill ${event.skill}`,
          version: `v${event.reason}`,
          reason: REASONS[event.reason] ?? 'always',
          tokens: 100 + event.skill,
          source: 'user',
        }),
      ];
    case 'request':
      return [requestOf(event, now())];
    case 'call':
      return [requestOf(event, now()), answerOf(event, time(clock, event.seconds))];
    case 'answer':
      return [answerOf(event, time(clock, event.seconds))];
  }
}

const REASONS = ['always', 'on_demand', 'auto_suggested'] as const;
const CAUSES = ['initial', 'model', 'tools', 'compaction', 'reasoning'] as const;
const MISSES = ['opened', 'expired', 'evicted', 'unknown', 'image', 'racing'] as const;

function made<K extends Kind>(kind: K, at: Timestamp, data: EventData[K]): Event {
  // The payload has the type of its kind, but TypeScript cannot check this for a union.
  // eslint-disable-next-line typescript/no-unsafe-type-assertion
  return { kind, at, data } as unknown as Event;
}

async function epoch(
  log: Log,
  { model, cause, also }: Extract<RandomEvent, { type: 'epoch' }>,
): Promise<EventData['epoch.opened']> {
  const [provider, name] = MODELS[model] ?? MODELS[0];
  const row = rowOf(provider, name);
  // The row of the epoch has other prices than the catalog has now.
  const kept =
    row && canonicalJson({ revision: 1, asOf: row.asOf, rows: [{ ...row, prices: row.prices.slice(0, 1) }] }).text;
  const capabilities = kept === undefined ? named('no row') : (await log.artifacts.put(Buffer.from(kept))).digest;
  return {
    number: 0,
    cause: CAUSES[cause] ?? 'initial',
    ...(also ? { also: ['role'] } : {}),
    provider,
    model: name,
    parameters: {},
    capabilities,
    contract: also ? 'tm2' : 'tm3',
    layers: [],
    tools: [],
    cacheKey: 'key',
    forecast: { rewrite: 0 },
  };
}

function requestOf({ side, alone, size, marked, forecast }: RandomRequest, at: Timestamp): Event {
  const [read, write, fresh, unsent] = forecast;
  const parameters = { tools: named('p'), system: named('p'), messages: named('p') };
  return made('request.prepared', at, {
    step: 0,
    attempt: 0,
    stream: side ? 'title' : 'main',
    purpose: 'turn',
    epoch: 0,
    encoder: 'scripted/1',
    digest: named('body'),
    bytes: 10,
    relation: 'extends',
    sequence: { parameters, blocks: 1, digest: named('prefix') },
    ...(side && alone ? { history: 'none' } : {}),
    markers: marked ? [{ block: 0, ttl: '1h', prefix: named('prefix') }] : [],
    outputLimit: 100,
    envelope: {},
    counts: { tools: 0, system: 0, messages: 1 },
    forecast: { read, write, fresh, unsent, ...(alone ? { cost: money('0.0125') } : {}) },
    ...(size === undefined ? {} : { size: { input: size, measured: 0, appended: size } }),
  });
}

function answerOf({ side, end, ...random }: Pick<RandomRequest, 'side'> & RandomAnswer, at: Timestamp): Event {
  const [provider, model] = MODELS[(random.usage?.[0] ?? 0) % 2] ?? MODELS[0];
  const stream = side ? 'title' : 'main';
  const usage = usageOf(random.usage);
  const cost = random.cost === undefined ? {} : { cost: money(`0.${String(random.cost).padStart(12, '0')}`) };
  if (end === 'failed')
    return made('answer.failed', at, {
      step: 0,
      stream,
      class: 'stop',
      code: 'x',
      message: 'x',
      ...(usage && { usage }),
    });
  const shared = { step: 0, stream, provider, model, parts: [], ...cost };
  if (end === 'interrupted') return made('answer.interrupted', at, { ...shared, by: 'user', ...(usage && { usage }) });
  const miss = missOf(random.miss);
  return made('answer.received', at, {
    ...shared,
    stop: 'end',
    truncated: 'no',
    usage: usage ?? {},
    ...(miss && { miss }),
  });
}

function usageOf(random: RandomUsage | undefined): Usage | undefined {
  if (random === undefined) return undefined;
  const [fresh, read, written] = random;
  return {
    ...(fresh === undefined ? {} : { fresh, answer: fresh % 1000 }),
    ...(read === undefined ? {} : { read }),
    ...(written === undefined ? {} : { writes: [{ ttl: written % 2 === 0 ? '5m' : '1h', tokens: written }] }),
  };
}

function missOf(random: RandomAnswer['miss']): Miss | undefined {
  if (random === undefined) return undefined;
  const [cause, missed] = random;
  return {
    cause: MISSES[cause] ?? 'unknown',
    ...(missed % 3 === 0 ? { also: ['lookback'] } : {}),
    tokens: missed,
    ...(missed % 2 === 0 ? { cost: money('0.000123456789') } : {}),
  };
}
