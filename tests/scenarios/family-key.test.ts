// Cache keys. On models that route requests by the key (gpt-5.1), a key belongs to one family of sessions and is not
// shared by all sessions. A busy stream stops using its family's key. On models that route by themselves (gpt-5.6-sol),
// one marker is set after the prompt contract.

import type { Log, Recorded } from '@tidemark/log';
import { sessionId, timestamp } from '@tidemark/log';
import type { Prepared, Session } from '@tidemark/agent';
import { commit, createSession, keepCapabilities, newHash, prepareRequest, recordAnswer } from '@tidemark/agent';
import { composeFront, itemAt } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { decodeResponse, openaiResponsesEncoder } from '@tidemark/provider-openai';
import { createMemoryStore } from '@tidemark/store-memory';
import type { Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { describe, expect, it } from 'vitest';

const MINUTE = 60_000;
const BEGIN = Date.parse('2026-11-20T09:00:00.000Z');
const TEXTS = composeFront(
  { tools: [], role: `You mend builds. ${'Say what a command printed. '.repeat(400)}` },
  newHash,
);

function row(model: string): Capabilities {
  const found = findModel(defaultCatalog(), model, 'openai');
  if (found === undefined) throw new Error(`the catalog has no ${model}`);
  return found;
}

/** A session that makes a call every `everyMs` milliseconds, and the root of its family. */
interface Caller {
  readonly name: string;
  readonly root: string;
  readonly everyMs: number;
  /** Stream name that is passed to the engine, so that the calls get their own cache key. */
  readonly stream?: string;
  /** Cache key that replaces the key chosen by the engine. */
  readonly key?: string;
}

interface Called {
  readonly key: unknown;
  readonly prepared: Prepared;
  readonly read: number;
  readonly written: number;
  readonly end: Recorded | undefined;
}

interface Running extends Caller {
  readonly session: Session;
  readonly promptStreams: Parameters<typeof prepareRequest>[1];
  readonly calls: Called[];
}

/**
 * Runs all callers at the same time for some minutes of the simulator's clock. Returns the calls of each caller, in the
 * order of the callers. Each call contains a new prompt.
 */
async function play(callers: readonly Caller[], capabilities: Capabilities, minutes: number): Promise<Called[][]> {
  const log = createMemoryStore();
  const simulator = createSimulator({ clock: 'virtual', capabilities: () => capabilities });
  const running = await Promise.all(callers.map((caller) => begin(log, caller)));
  const turns = running.flatMap((one, place) =>
    Array.from({ length: Math.floor((minutes * MINUTE) / one.everyMs) }, (_, n) => ({
      one,
      at: BEGIN + n * one.everyMs + place * 10,
    })),
  );
  for (const { one, at } of turns.toSorted((a, b) => a.at - b.at)) await call(log, simulator, one, capabilities, at);
  return running.map(({ calls }) => calls);
}

async function begin(log: Log, caller: Caller): Promise<Running> {
  const id = sessionId(caller.name);
  const session = await createSession(log, id);
  const data = { id, root: sessionId(caller.root), workspace: '/w' };
  await commit(session, [{ kind: 'session.created', at: at(BEGIN), data }]);
  return { ...caller, session, promptStreams: { main: undefined }, calls: [] };
}

const at = (ms: number): ReturnType<typeof timestamp> => timestamp(new Date(ms).toISOString());

async function call(
  log: Log,
  simulator: Simulator,
  { session, promptStreams, calls, name, stream, key }: Running,
  capabilities: Capabilities,
  now: number,
): Promise<void> {
  const text = `${name} ${calls.length}: ${'the gauge is read at the quay '.repeat(60)}`;
  await commit(session, [
    { kind: 'prompt.given', at: at(now), data: { parts: [{ type: 'text', text }], presenter: 'test' } },
  ]);
  const { provider, model } = capabilities;
  const kept = await keepCapabilities(log.artifacts, capabilities);
  const wanted = { provider, model, parameters: {}, capabilities: kept, texts: TEXTS };
  const prepared = await prepareRequest(session, promptStreams, {
    at: at(now),
    wanted: stream === undefined ? wanted : { ...wanted, stream },
    capabilities,
    encoder: openaiResponsesEncoder,
    outputLimit: 1_000,
    ...(key === undefined ? {} : { envelope: { prompt_cache_key: key } }),
  });
  const { sequence, body, record } = prepared;
  const sizes = (index: number): number | undefined => itemAt(sequence.blocks, index)?.tokens;
  const outcome = simulator.responses({ body, at: now, sizes });
  if (outcome.outcome === 'refused') throw new Error(outcome.message);
  const answer = decodeResponse(JSON.stringify(outcome.body));
  const end = await recordAnswer(session, prepared, answer, at(now));
  const { read, writtenShort: written } = outcome.counts;
  calls.push({ key: record.data.envelope['prompt_cache_key'], prepared, read, written, end });
}

function missed(calls: readonly (readonly Called[])[]): readonly Called[] {
  return calls.flat().filter(({ prepared, read }) => read < prepared.outlook.forecast.read);
}

const keysOf = (calls: readonly Called[]): ReadonlySet<unknown> => new Set(calls.map(({ key }) => key));

describe('a cache key on a model that routes by it', () => {
  const sessions = Array.from({ length: 8 }, (_, n) => `s${n}`);

  it('causes misses if all sessions share it, because calls above 15 a minute go to machines with an empty cache', async () => {
    const callers = sessions.map((name) => ({ name, root: name, everyMs: 15_000, key: 'tm1.everybody' }));
    const calls = await play(callers, row('gpt-5.1'), 3);
    expect(missed(calls).length).toBeGreaterThan(10);
  });

  it('causes no misses if each family has its own key', async () => {
    const calls = await play(
      sessions.map((name) => ({ name, root: name, everyMs: 15_000 })),
      row('gpt-5.1'),
      3,
    );
    expect(missed(calls)).toEqual([]);
    expect(keysOf(calls.flat()).size).toBe(sessions.length);
    for (const key of keysOf(calls.flat())) expect(key).toMatch(/^tm3(\.[0-9a-f]{12}){4}$/);
  });

  const children = Array.from({ length: 4 }, (_, n) => `child-${n}`);

  it('causes misses if many children share the family’s key, and causes no misses if each stream has its own key', async () => {
    const shared = children.map((name) => ({ name, root: 'root', everyMs: 9_000 }));
    expect(missed(await play(shared, row('gpt-5.1'), 2)).length).toBeGreaterThan(2);
    const split = await play(
      shared.map((one) => ({ ...one, stream: one.name })),
      row('gpt-5.1'),
      2,
    );
    expect(missed(split)).toEqual([]);
    expect(keysOf(split.flat()).size).toBe(children.length);
  });

  it('is abandoned permanently by a child that calls more than 8 times in a minute, and never by the root', async () => {
    const callers = ['root', 'fast', 'slow'].map((name) => ({
      name,
      root: 'root',
      everyMs: name === 'slow' ? 8_000 : 5_000,
    }));
    const [root = [], fast = [], slow = []] = await play(callers, row('gpt-5.1'), 2);
    expect([...keysOf(root)]).toEqual([...keysOf(slow)]);
    expect(keysOf(root).size).toBe(1);
    const changes = fast.flatMap(({ key }, n) => (n > 0 && key !== fast[n - 1]?.key ? [n] : []));
    expect(changes).toEqual([9]);
    const left = fast[9];
    expect(left?.prepared.outlook.loss?.cause).toBe('overflow-routing');
    expect(left?.read).toBe(left?.prepared.outlook.forecast.read);
    expect(left?.end?.kind === 'answer.received' && left.end.data.miss?.cause).toBe('overflow-routing');
  });
});

it('a session that calls more often than one machine accepts records its misses as `overflow-routing`', async () => {
  const calls = await play([{ name: 'root', root: 'root', everyMs: 2_500 }], row('gpt-5.1'), 1);
  const misses = missed(calls).map(({ end }) => end?.kind === 'answer.received' && end.data.miss?.cause);
  expect(misses.length).toBeGreaterThan(0);
  expect([...new Set(misses)]).toEqual(['overflow-routing']);
});

describe('a model that routes by itself', () => {
  const family = ['root', 'child'].map((name) => ({ name, root: 'root', everyMs: MINUTE }));

  it('gets a cache key that names only the root', async () => {
    const calls = (await play(family, row('gpt-5.6-sol'), 1)).flat();
    expect([...keysOf(calls)]).toEqual([expect.stringMatching(/^tm3\.[0-9a-f]{12}$/)]);
    expect(calls.map(({ prepared }) => prepared.epoch.cacheKey)).toEqual(calls.map(({ key }) => key));
  });

  it('lets sessions share the contract through the one marker after it, at no extra cost', async () => {
    const [[first] = [], [second] = []] = await play(family, row('gpt-5.6-sol'), 1);
    const [[plain] = [], [alone] = []] = await play(family, { ...row('gpt-5.6-sol'), slots: 0 }, 1);
    const front = first?.prepared.sequence.front ?? 0;
    const size = itemAt(first?.prepared.sequence.tokens ?? { buffer: [], length: 0 }, front - 1);
    expect(first?.prepared.record.data.markers).toEqual([expect.objectContaining({ block: front - 1, ttl: '30m' })]);
    expect([second?.read, alone?.read]).toEqual([size, 0]);
    expect(first?.written).toBe(plain?.written);
  });

  it('gets no marker below the floor', async () => {
    const [[first] = []] = await play(family, { ...row('gpt-5.6-sol'), floor: 100_000 }, 1);
    expect(first?.prepared.record.data.markers).toEqual([]);
    expect(new TextDecoder().decode(first?.prepared.body)).not.toContain('prompt_cache_breakpoint');
  });
});
