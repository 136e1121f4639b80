import type { Event } from '@tidemark/log';
import { callId, position, sessionId } from '@tidemark/log';
import { scriptedEncoder } from '@tidemark/provider-scripted';
import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { ID, READ, answer, begin, prepare, prompt, second } from '../../tests/small-session.ts';
import { explainSession } from '../audit/explain.ts';
import { verifySession } from '../audit/rebuild.ts';
import { commit, createSession, foldLog, openSession } from '../session/session.ts';
import { recordAnswer } from './answer.ts';

const encoders = { encoders: () => scriptedEncoder };
const LONG = 'word '.repeat(8000);

async function turn(small: Small, text: string, at: number, change = {}): Promise<Awaited<ReturnType<typeof prepare>>> {
  await commit(small.session, [prompt(text, at)]);
  const prepared = await prepare(small, at, change);
  await answer(small, prepared, undefined, at);
  return prepared;
}

describe('preparing a request', () => {
  test('appends the request and its epoch to the log before anything is sent (L1)', async () => {
    const small = await begin();
    await commit(small.session, [prompt('go')]);
    const prepared = await prepare(small);
    const kinds = [];
    for await (const record of small.log.read(ID)) kinds.push(record.kind);
    expect(kinds).toEqual(['session.created', 'prompt.given', 'epoch.opened', 'request.prepared']);
    expect(prepared.opened?.data).toMatchObject({ number: 0, cause: 'initial', forecast: { rewrite: 0 } });
    expect(prepared.record.data.relation).toBe('opens');
  });

  test('adds the routing key to the recorded envelope, and marked entries are still found', async () => {
    const encoder = { ...scriptedEncoder, routing: (key: string) => ({ session_id: key }) };
    const change = { row: { routing: 'automatic' } } as const;
    const small = await begin();
    await commit(small.session, [prompt(LONG)]);
    const first = await prepare(small, 0, change, { encoder });
    await answer(small, first);
    await commit(small.session, [prompt('and now?', 60)]);
    const next = await prepare(small, 60, change, { encoder });
    expect(next.record.data.envelope).toEqual({ session_id: expect.stringMatching(/^tm3\.[0-9a-f]{12}$/) });
    expect(next.record.data.envelope).toEqual(first.record.data.envelope);
    expect(next.record.data.forecast.read).toBe(first.outlook.forecast.write);
    expect((await verifySession(small.log, ID, encoders)).differences).toEqual([]);
  });

  test('asks for a comparison with the last answer, for side calls too, but only from the API that gave that answer', async () => {
    const comparing = (previous?: string): Record<string, string> => ({ compare: previous ?? 'none' });
    const encoder = { ...scriptedEncoder, comparing };
    const small = await begin();
    await commit(small.session, [prompt('go')]);
    const first = await prepare(small, 0, {}, { encoder });
    const said = { parts: [], stop: 'end', truncated: 'no', usage: {}, response: 'msg_1' } as const;
    await recordAnswer(small.session, first, said, second(0));
    await commit(small.session, [prompt('and now?', 60)]);
    const asides = { stream: 'side/a', extra: [{ type: 'text', text: 'A title.' }] } as const;
    const besides = [
      await prepare(small, 60, {}, { encoder, beside: { ...asides, history: 'main' } }),
      await prepare(small, 60, {}, { encoder, beside: { ...asides, stream: 'side/b', history: 'none' } }),
    ];
    const next = await prepare(small, 60, {}, { encoder });
    const elsewhere = { ...encoder, revision: 'other/1' };
    const other = await prepare(small, 90, { provider: 'other' }, { encoder: elsewhere });
    const asked = [first, ...besides, next, other].map(({ record, compared }) => [record.data.envelope, compared]);
    const same = [{ compare: 'msg_1' }, 'msg_1'];
    const none = [{ compare: 'none' }, undefined];
    expect(asked).toEqual([none, same, [{}, undefined], same, none]);
  });

  test('sends no cache key if the catalog row has no routing', async () => {
    const encoder = { ...scriptedEncoder, routing: (key: string) => ({ session_id: key }) };
    const small = await begin();
    await commit(small.session, [prompt('go')]);
    expect((await prepare(small, 0, {}, { encoder })).record.data.envelope).toEqual({});
  });

  test('extends the request before it and forecasts that the request before it will be read', async () => {
    const small = await begin();
    const first = await turn(small, LONG, 0);
    const next = await turn(small, 'and now?', 60);
    const held = first.outlook.forecast.write;
    expect(next.record.data).toMatchObject({ relation: 'extends', step: 1, forecast: { read: held } });
    expect(next.outlook.loss).toBeUndefined();
    expect(next.opened).toBeUndefined();
  });

  test('forecasts before sending that an entry has expired', async () => {
    const small = await begin();
    const first = await turn(small, LONG, 0);
    const next = await turn(small, 'back from lunch', 3600);
    expect(next.outlook.loss).toEqual({ cause: 'expired', tokens: first.outlook.forecast.write });
    expect(next.record.data.forecast.read).toBe(0);
  });

  test('records the cost of a break before the request is sent', async () => {
    const small = await begin();
    await turn(small, LONG, 0);
    const next = await turn(small, 'think', 60, { parameters: { thinking: { type: 'enabled', budget_tokens: 1024 } } });
    expect(next.opened?.data.cause).toBe('reasoning');
    expect(next.opened?.data.forecast.rewrite).toBeGreaterThan(5000);
    expect(Number(next.opened?.data.forecast.cost)).toBeGreaterThan(0);
  });

  test('forecasts no rewrite for an epoch that opens after the entries had expired', async () => {
    const small = await begin();
    await turn(small, LONG, 0);
    const next = await turn(small, 'later', 3600, { model: 'claude-opus-5-5' });
    expect(next.opened?.data).toMatchObject({ cause: 'model', forecast: { rewrite: 0 } });
  });

  test('refuses an empty history and a history with open calls, each with its own error code', async () => {
    const small = await begin();
    await expect(prepare(small)).rejects.toMatchObject({ code: 'agent/nothing-to-send', sort: 'refused' });
    await commit(small.session, [prompt('go')]);
    const calls: Event = {
      kind: 'answer.received',
      at: second(1),
      data: {
        step: 0,
        stream: 'main',
        provider: 'scripted',
        model: 'm',
        parts: [{ type: 'call', call: callId('c1'), name: 'read', arguments: '{}' }],
        stop: 'calls',
        truncated: 'no',
        usage: {},
      },
    };
    await commit(small.session, [calls]);
    await expect(prepare(small)).rejects.toMatchObject({ code: 'agent/unclosed-history', sort: 'bug' });
  });

  test('continues with the same bytes in a new process (L2)', async () => {
    const shelf = createMemoryBackend();
    const small = await begin(createMemoryStore(shelf));
    await turn(small, LONG, 0);
    await small.session.writer.close();
    const log = createMemoryStore(shelf);
    const reopened: Small = { log, session: await openSession(log, ID), promptStreams: { main: undefined } };
    const next = await turn(reopened, 'go on', 60);
    expect(next.record.data.relation).toBe('extends');
    expect(next.outlook.loss).toBeUndefined();
    expect(await verifySession(log, ID, encoders)).toMatchObject({ requests: 2, differences: [], breaks: [] });
  });
});

describe('a fork', () => {
  test('inherits the epoch and reads what its parent wrote', async () => {
    const small = await begin();
    const first = await turn(small, LONG, 0);
    const parent = {
      session: ID,
      position: position(small.session.state.length - 1),
      chain: small.session.writer.chain,
    };
    await small.session.writer.close();
    const id = sessionId('s2');
    const session = await createSession(small.log, id, parent);
    await commit(session, [
      { kind: 'session.created', at: second(30), data: { id, root: ID, parent, workspace: '/w' } },
    ]);
    const child: Small = { log: small.log, session, promptStreams: { main: undefined } };
    const next = await turn(child, 'another way', 60);
    expect(next.record.data).toMatchObject({ relation: 'inherits', forecast: { read: first.outlook.forecast.write } });
    expect(next.opened).toBeUndefined();
  });
});

describe('the answer of a call', () => {
  test('carries its miss: the tokens that were in the cache and not read, the cause and the price', async () => {
    const small = await begin();
    const first = await turn(small, LONG, 0);
    await commit(small.session, [prompt('again', 60)]);
    const prepared = await prepare(small, 60);
    await answer(small, prepared, { fresh: 0, read: 0, writes: [{ ttl: '5m', tokens: 9000 }], answer: 1 }, 60);
    const {
      explained: [explained],
    } = await explainSession(small.log, ID, () => scriptedEncoder);
    expect(explained).toMatchObject({ step: 1, miss: { cause: 'evicted', tokens: first.outlook.forecast.write } });
  });

  test('leaves the counts undefined if the provider reported no usage (L7)', async () => {
    const small = await begin();
    await commit(small.session, [prompt('go')]);
    await answer(small, await prepare(small), {});
    const state = await foldLog(small.log, ID);
    expect(state.streams['main']?.accepted).toMatchObject({ cached: undefined, input: undefined });
  });
});

describe('`verifySession`', () => {
  test('reports a request whose bytes cannot be rebuilt', async () => {
    const small = await begin();
    await turn(small, LONG, 0);
    const other = {
      ...scriptedEncoder,
      join: (...given: Parameters<typeof scriptedEncoder.join>) => ({
        ...scriptedEncoder.join(...given),
        digest: () => '0'.repeat(64),
      }),
    };
    const found = await verifySession(small.log, ID, { encoders: () => other });
    expect(found.differences).toMatchObject([{ step: 0, rebuilt: '0'.repeat(64) }]);
  });

  test('refuses an encoder that this version does not have', async () => {
    const small = await begin();
    await turn(small, LONG, 0);
    await expect(verifySession(small.log, ID, { encoders: () => undefined })).rejects.toMatchObject({
      code: 'agent/unknown-encoder',
    });
  });

  test('rebuilds the same bytes from the whole log as by extending the previous request', async () => {
    const small = await begin();
    for (let step = 0; step < 5; step += 1) await turn(small, `prompt ${step} ${LONG}`, step * 30);
    expect(await verifySession(small.log, ID, { ...encoders, full: true })).toEqual(
      await verifySession(small.log, ID, encoders),
    );
  });

  test('counts a labelled break with its cause, and `explainSession` reports the place of the divergence', async () => {
    const small = await begin();
    await turn(small, LONG, 0);
    await turn(small, 'other tools', 30, { tools: [READ, { ...READ, name: 'look' }] });
    const found = await verifySession(small.log, ID, encoders);
    expect(found.breaks).toMatchObject([{ step: 1, cause: 'tools' }]);
    const {
      explained: [explained],
    } = await explainSession(small.log, ID, () => scriptedEncoder);
    expect(explained).toMatchObject({ step: 1, gap: 30_000, opened: { cause: 'tools' }, divergence: { at: 0 } });
  });
});
