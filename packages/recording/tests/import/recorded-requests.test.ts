// Tests the import of the requests that Claude Code records. The fixtures were made by the real client
// (`../make-claude-code.ts`).

import { verifySession } from '@tidemark/agent';
import type { ObservedVerification } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { importInto } from '../../src/import/import-into.ts';
import { answer, prompt, say } from './claude-rows.ts';
import type { ImportedRows, Row } from './import-rows.ts';
import { collect, fileOf, importRows, pick, sourceOf } from './import-rows.ts';
import type { SentMessage, SentRequest } from './request-rows.ts';
import { MAIN, SUBAGENT, blobRow, linesOf, recordOf, requestRow, shapeRow } from './request-rows.ts';

async function check(store: Log, session: SessionId): Promise<ObservedVerification> {
  return (await verifySession(store, session, { encoders: () => undefined })).observed;
}

async function checkRows(rows: readonly Row[]): Promise<ObservedVerification & { readonly rows: ImportedRows }> {
  const imported = await importRows(rows);
  return { ...(await check(imported.store, imported.imported.session)), rows: imported };
}

const isOf =
  (type: string) =>
  (line: string): boolean =>
    recordOf(line)['type'] === type;

function versionOf(lines: readonly string[]): string {
  return lines.flatMap((line) => /"version":"([\d.]+)"/.exec(line)?.[1] ?? [])[0] ?? 'unknown';
}

describe('a transcript of Claude Code with recorded requests', () => {
  console.warn(`fixtures made with Claude Code ${versionOf(linesOf(MAIN))}`);

  test.each([
    ['main session', MAIN, 8],
    ['subagent', SUBAGENT, 1],
  ])('rebuilds each request of the %s to the digest that the client recorded', async (_, file, requests) => {
    const found = await checkRows(linesOf(file));
    expect(found).toMatchObject({ requests, identical: requests, differences: [], partial: 0 });
    expect(found.rows.imported.requests).toEqual({ recorded: requests, incomplete: 0 });
    expect(pick(found.rows.events, 'foreign.recorded').map(({ data }) => data.reason)).not.toContain(
      'no recorded request refers to this content',
    );
  });

  test('stores of each request only the messages that the request before it does not contain', async () => {
    const { events } = await importRows(linesOf(MAIN));
    const stored = pick(events, 'request.observed').map(({ data: { keep, tail } }) => [keep, tail.length]);
    expect(stored).toEqual([
      [0, 1],
      [1, 2],
      [3, 2],
      [5, 2],
      [7, 2],
      [9, 2],
      [11, 2],
      [0, 4],
    ]);
    const positions = pick(events, 'request.observed').map(({ position }) => position);
    expect(pick(events, 'request.observed').map(({ data }) => data.base)).toEqual([
      undefined,
      ...positions.slice(0, 6),
      undefined,
    ]);
  });

  test('names the request of each answer', async () => {
    const { events } = await importRows(linesOf(MAIN));
    const requests = pick(events, 'request.observed');
    const answers = pick(events, 'answer.received');
    expect(answers.map(({ data }) => data.request)).toEqual(requests.map(({ position }) => position));
    expect(answers.map(({ data }) => data.step)).toEqual(requests.map(({ data }) => data.step));
  });

  test('contains each recorded content as an artifact, or unchanged as a foreign record', async () => {
    const { events, store } = await importRows(linesOf(MAIN));
    const foreign = pick(events, 'foreign.recorded').map(({ data }) => data.line);
    for (const [index, line] of linesOf(MAIN).entries()) {
      const { type, hash, shapeHash } = recordOf(line);
      if (type !== 'api-request-blob' && type !== 'api-request-shape') continue;
      const name = String(hash ?? shapeHash);
      const held = pick(events, 'request.observed').some(({ data }) =>
        [data.front, ...data.tail].some((one) => one === name),
      );
      expect(held || foreign.includes(index + 1), line.slice(0, 80)).toBe(true);
    }
    for (const { data } of pick(events, 'request.observed'))
      for (const one of [data.front, ...data.tail])
        if (one !== undefined) expect(await store.artifacts.has(one)).toBe(true);
  });

  test('is verified with one read of each content', async () => {
    const { store, imported } = await importRows(linesOf(MAIN));
    let reads = 0;
    const artifacts: Log['artifacts'] = {
      put: (bytes) => store.artifacts.put(bytes),
      has: (one) => store.artifacts.has(one),
      get: (one) => {
        reads += 1;
        return store.artifacts.get(one);
      },
    };
    const counted: Log = { ...store, artifacts, read: (...place) => store.read(...place) };
    expect((await check(counted, imported.session)).identical).toBe(8);
    // Three fronts, and 17 messages that are new in their request.
    expect(reads).toBe(20);
  });

  test('is imported only once, and a file that grew continues its session', async () => {
    const lines = linesOf(MAIN);
    const store = createMemoryStore();
    const part = fileOf(lines.slice(0, 45));
    const first = await importInto(store, sourceOf(part, 4096));
    expect((await importInto(store, sourceOf(part, 4096))).added).toBe(0);
    const again = await importInto(store, sourceOf(fileOf(lines), 4096));
    expect(again).toMatchObject({ session: first.session, updated: true });
    expect(again.added).toBeGreaterThan(0);
    expect(await check(store, again.session)).toMatchObject({ requests: 8, identical: 8 });
    expect((await importInto(store, sourceOf(fileOf(lines), 4096))).added).toBe(0);
  });

  test('is imported after a cut at any line, and then rebuilds all requests that are whole in the file', async () => {
    const lines = linesOf(MAIN);
    for (let end = 1; end <= lines.length; end += 1) {
      const next = lines[end] ?? '';
      const torn = next.slice(0, Math.floor(next.length / 2));
      const kept = lines.slice(0, end);
      const found = await checkRows(torn === '' ? kept : [...kept, torn]);
      expect(found.requests).toBe(kept.filter(isOf('api-request')).length);
      expect(found.identical).toBe(found.requests);
    }
  });
});

describe('a transcript whose recorded requests are damaged', () => {
  test('without the record of a message names the messages of each request that has it', async () => {
    const lines = linesOf(MAIN);
    const first = lines.findIndex(isOf('api-request-blob'));
    const found = await checkRows(lines.toSpliced(first, 1));
    expect(found).toMatchObject({ requests: 8, identical: 1 });
    expect(found.differences.map(({ step, missing }) => [step, missing])).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((step) => [step, ['message 0']]),
    );
    expect(found.rows.imported.requests).toEqual({ recorded: 8, incomplete: 7 });
  });

  test('without the record of the front names the front', async () => {
    const lines = linesOf(MAIN);
    const found = await checkRows(lines.toSpliced(lines.findIndex(isOf('api-request-shape')), 1));
    expect(found.differences.map(({ step, missing }) => [step, missing])).toEqual([
      [0, ['front']],
      [1, ['front']],
    ]);
  });

  test('keeps a content that does not match its digest as a foreign record, and counts it as missing', async () => {
    const lines = linesOf(MAIN);
    const first = lines.findIndex(isOf('api-request-blob'));
    const changed = (lines[first] ?? '').replace('Read note.txt.', 'Read other.txt.');
    expect(changed).not.toBe(lines[first]);
    const found = await checkRows(lines.with(first, changed));
    expect(found.differences[0]).toMatchObject({ step: 0, missing: ['message 0'] });
    const foreign = pick(found.rows.events, 'foreign.recorded').filter(({ data }) => data.reason?.includes('digest'));
    expect(foreign.map(({ data }) => data.record)).toEqual([recordOf(changed)]);
    expect(foreign[0]?.data.reason).toMatch(/^the content does not match its digest [0-9a-f]{64}$/);
  });

  test('reports a request whose parts are all there but whose digest differs', async () => {
    const lines = linesOf(MAIN);
    const at = lines.findIndex(isOf('api-request'));
    const changed = (lines[at] ?? '').replace('"max_tokens":32000', '"max_tokens":32001');
    expect(changed).not.toBe(lines[at]);
    const { differences } = await checkRows(lines.with(at, changed));
    expect(differences).toMatchObject([{ step: 0, missing: [] }]);
    expect(differences[0]?.rebuilt).not.toBe(differences[0]?.recorded);
  });

  test('keeps a second copy of a request as a foreign record', async () => {
    const lines = linesOf(MAIN);
    const at = lines.findIndex(isOf('api-request'));
    const found = await checkRows(lines.toSpliced(at, 0, lines[at] ?? ''));
    expect(found).toMatchObject({ requests: 8, identical: 8 });
    expect(pick(found.rows.events, 'foreign.recorded').map(({ data }) => data.reason)).toContain(
      'a second copy of a record',
    );
  });

  test('keeps the other requests if one is removed to which none of them refers', async () => {
    const lines = linesOf(MAIN);
    const second = lines.filter(isOf('api-request'))[1] ?? '';
    const found = await checkRows(lines.toSpliced(lines.indexOf(second), 1));
    expect(found.requests).toBe(7);
    expect(found.identical).toBe(7);
  });
});

// Requests of a small conversation, made by hand.

const user = (text: string): SentMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const model = (text: string): SentMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });

describe('a request that refers to an earlier one', () => {
  const one: SentRequest = { id: 'r1', system: 'S', messages: [user('a')] };
  const two: SentRequest = { id: 'r2', system: 'S', messages: [user('a'), model('b'), user('c')], base: one };
  const three: SentRequest = { ...two, id: 'r3', messages: [...two.messages, model('d'), user('e')], base: two };

  const rows = [
    prompt('p1', null, 'a'),
    shapeRow(one),
    requestRow(one),
    answer('a1', 'p1', 'm1', say('b')),
    prompt('p2', 'a1', 'c'),
    requestRow(two),
    answer('a2', 'p2', 'm2', say('d')),
    prompt('p3', 'a2', 'e'),
    requestRow(three),
    answer('a3', 'p3', 'm3', say('f')),
  ];

  test('is rebuilt from rows alone, without a record of any message', async () => {
    expect(await checkRows(rows)).toMatchObject({ requests: 3, identical: 3, breaks: 0 });
  });

  test('counts the messages that only the missing request names', async () => {
    const { differences, breaks, rows: imported } = await checkRows(rows.toSpliced(5, 1));
    expect(breaks).toBe(0);
    expect(differences).toMatchObject([{ step: 2, missing: ['message 0', 'message 1', 'message 2'] }]);
    const [, last] = pick(imported.events, 'request.observed');
    expect(last?.data).toMatchObject({ keep: 0, unnamed: 3 });
    expect(last?.data.tail).toHaveLength(2);
  });

  test('after an answer that was taken back is rebuilt from the rows of the second answer alone', async () => {
    const again: SentRequest = { ...two, id: 'r8', messages: [user('a'), model('second'), user('g')] };
    const taken = [
      ...rows.slice(0, 4),
      answer('a9', 'p1', 'm9', say('second')),
      prompt('p9', 'a9', 'g'),
      requestRow(again),
      answer('a10', 'p9', 'm10', say('h')),
    ];
    const { imported, store } = await importRows(taken);
    const checks = await Promise.all(imported.sessions.map((session) => check(store, session)));
    expect(checks.flatMap(({ differences }) => differences)).toEqual([]);
    expect(checks.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThanOrEqual(2);
  });

  test('that takes over more messages than the request before it has cannot be compared, and does not differ', async () => {
    const strange: SentRequest = { ...two, id: 'r6', messages: [user('z')] };
    const late = { ...requestRow({ ...three, id: 'r7' }), base: 'r1', keep: 4 };
    const { requests, differences, rows: imported } = await checkRows([...rows, requestRow(strange), late]);
    expect(requests).toBe(5);
    const last = differences.find(
      ({ position }) => position === pick(imported.events, 'request.observed').at(-1)?.position,
    );
    expect(last?.missing).toEqual(expect.arrayContaining(['message 1', 'message 2', 'message 3']));
    expect(last).not.toHaveProperty('rebuilt');
  });

  test('that names an impossible number of messages is kept as a foreign record, and many requests share the rest', async () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      ...requestRow(two),
      id: `m${index}`,
      base: 'x',
      keep: 9_999,
    }));
    const found = await checkRows([...rows, ...many, { ...requestRow(two), id: 'over', base: 'x', keep: 10_001 }]);
    expect(found.requests).toBe(43);
    expect(found.differences.at(-1)?.missing).toHaveLength(9_999);
    const foreign = pick(found.rows.events, 'foreign.recorded').map(({ data }) => data.reason);
    expect(foreign).toContain('an incomplete record of a request');
  });

  test('in a fork refers only to records of the fork and its ancestors', async () => {
    const other: SentRequest = { ...two, id: 'r4', messages: [user('a'), model('b'), user('g')], base: three };
    const forked = [...rows, prompt('p4', 'a1', 'g'), requestRow(other), answer('a4', 'p4', 'm4', say('h'))];
    const { imported, store, of } = await importRows(forked);
    expect(imported.sessions).toHaveLength(2);
    const fork = imported.sessions[1];
    if (fork === undefined) throw new Error('no fork');
    expect(await check(store, fork)).toMatchObject({ identical: 2, differences: [] });
    const [first, last] = pick(of(1), 'request.observed');
    expect(last?.data).toMatchObject({ name: 'r4', base: first?.position, keep: 1 });
    expect(await check(store, imported.session)).toMatchObject({ requests: 3, identical: 3 });
  });

  test('keeps a content without a request as a foreign record, until a later state of the file has the request', async () => {
    const before = [...rows.slice(0, 4), blobRow(user('later'))];
    const late: SentRequest = { ...two, id: 'r5', messages: [user('a'), model('b'), user('later')], base: one };
    const store = createMemoryStore();
    const first = await importInto(store, sourceOf(fileOf(before)));
    const foreign = pick(await collect(store.read(first.session)), 'foreign.recorded');
    expect(foreign.map(({ data }) => data.reason)).toEqual(['no recorded request refers to this content']);
    const grown = [...before, requestRow(late), answer('a9', 'a1', 'm9', say('z'))];
    const again = await importInto(store, sourceOf(fileOf(grown)));
    expect(again).toMatchObject({ session: first.session, updated: true });
    expect(await check(store, again.session)).toMatchObject({ requests: 2, identical: 2 });
  });

  test('counts text as content like a list with one text', async () => {
    const plain = { ...blobRow(user('q')), message: { role: 'user', content: 'q' } };
    const sent: SentRequest = { id: 'r6', system: 'S', messages: [user('q')] };
    expect(await checkRows([prompt('p', null, 'x'), shapeRow(sent), plain, requestRow(sent)])).toMatchObject({
      identical: 1,
    });
  });

  test.each([
    ['a lone surrogate', { type: 'text', text: 'cut \ud83d' }],
    ['keys that look like integers', { type: 'tool_use', id: 'c', name: 'Read', input: { 10: 1, 9: 2, b: 1, a: 2 } }],
    ['a key `__proto__`', JSON.parse('{"type":"tool_use","id":"c","name":"Read","input":{"__proto__":{"x":1}}}')],
    ['text that looks like the field of the messages', { type: 'text', text: '"messages":[]' }],
  ])('is rebuilt with %s', async (_, block: object) => {
    const odd: SentRequest = {
      id: 'r7',
      system: '"messages":[]',
      messages: [{ role: 'user', content: [block, { type: 'text', text: 'end' }] }],
      parameters: { betas: ['"messages":[]'], metadata_like: '"messages":[]' },
    };
    const rowsOf = [prompt('p', null, 'x'), shapeRow(odd), ...odd.messages.map(blobRow), requestRow(odd)];
    expect(await checkRows(rowsOf)).toMatchObject({ requests: 1, identical: 1 });
  });

  test('states which parts the client left out on purpose', async () => {
    const fields = { withheld: ['temperature'], cut: { kind: 'memory', cuts: 2 }, requestDigest: undefined };
    const whole = recordOf(JSON.stringify(requestRow(one)));
    const cut = { ...whole, ...fields, cutRequestDigest: whole['requestDigest'] };
    const found = await checkRows([prompt('p1', null, 'a'), shapeRow(one), cut]);
    expect(found).toMatchObject({ requests: 1, identical: 1, partial: 1 });
    const [observed] = pick(found.rows.events, 'request.observed');
    expect(observed?.data.leftOut).toEqual(['2 texts (memory)', 'the field temperature']);
    expect(observed?.data.rest).toEqual({ withheld: ['temperature'], cut: { kind: 'memory', cuts: 2 } });
  });

  test.each([
    ['no parameters', { params: undefined }],
    ['no list of messages', { tail: 'x' }],
    ['a message that is no digest', { tail: ['x'] }],
    ['no id', { id: undefined }],
    ['more messages than any request', { keep: 1e9 }],
  ])('is kept as a foreign record if it has %s', async (_, fields) => {
    const { events } = await importRows([prompt('p1', null, 'a'), { ...requestRow(one), ...fields }]);
    expect(pick(events, 'request.observed')).toEqual([]);
    expect(pick(events, 'foreign.recorded').map(({ data }) => data.reason)).toEqual([
      'an incomplete record of a request',
    ]);
  });

  test('does not link an answer whose request a hook changed after it was recorded', async () => {
    const sent = { ...answer('a1', 'p1', 'm1', say('b')), requestRef: 'r1' };
    const hooked = { ...answer('a1', 'p1', 'm1', say('b')), requestHookChanged: { record: 'r1', what: ['body'] } };
    const linked = async (row: object): Promise<readonly unknown[]> =>
      pick((await importRows([...rows.slice(0, 3), row])).events, 'answer.received').map(({ data }) => data.request);
    expect(await linked(sent)).toEqual([3]);
    expect(await linked(hooked)).toEqual([undefined]);
  });
});
