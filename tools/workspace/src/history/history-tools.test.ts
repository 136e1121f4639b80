import type { Digest, Event, ImagePart, Recorded } from '@tidemark/log';
import { CHAIN_START, callId, digest, position, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { historyOf } from '../../tests/history-of.ts';
import { createHistoryReadTool } from './history-read-tool.ts';
import { createHistorySearchTool } from './history-search-tool.ts';

const at = timestamp('2026-11-21T08:00:00.000Z');
const usage = {};
const SHOT: ImagePart<Digest> = { type: 'image', artifact: digest('a'.repeat(64)), mediaType: 'image/png', bytes: 4 };

function logOf(...events: readonly Event[]): readonly Recorded[] {
  return events.map((event, index) => ({ ...event, v: 1, position: position(index), fence: 1, chain: CHAIN_START }));
}

function prompt(text: string): Event {
  return { kind: 'prompt.given', at, data: { parts: [{ type: 'text', text }], presenter: 'test' } };
}

function result(call: string, text: string, images: readonly ImagePart<Digest>[] = []): Event {
  return { kind: 'tool.returned', at, data: { call: callId(call), parts: [{ type: 'text', text }, ...images] } };
}

function calls(name: string, args: string): Event {
  const part = { type: 'call', call: callId('c1'), name, arguments: args } as const;
  const said = { step: 0, stream: 'main', provider: 'p', model: 'm', stop: 'calls', truncated: 'no', usage } as const;
  return { kind: 'answer.received', at, data: { ...said, parts: [{ type: 'text', text: 'I look.' }, part] } };
}

const started = (call: string, name: string): Event => ({
  kind: 'tool.started',
  at,
  data: { call: callId(call), name, effect: 'none' },
});

test('history_read shows a whole record by its position, and a single part, with an image as an image', async () => {
  const { call } = await openBench();
  const history = historyOf(
    logOf(prompt('go'), calls('read', '{"path":"a"}'), result('c1', 'x'.repeat(9_000), [SHOT])),
    bytes,
  );
  const tool = createHistoryReadTool();
  expect((await call(tool, { position: 1 }, { history })).text).toBe(
    '#1 answer, 2026-11-21T08:00:00.000Z\nI look.\n[c1 calls read] {"path":"a"}',
  );
  expect((await call(tool, { position: 2, part: 0 }, { history })).text).toContain('x'.repeat(9_000));
  const shown = await call(tool, { position: 2, part: 1 }, { history });
  expect(shown.images).toEqual([{ mediaType: 'image/png', data: Buffer.from('shot') }]);
});

async function* bytes(): AsyncIterable<Uint8Array> {
  yield Buffer.from('shot');
}

test('history_read shortens long records of a range, stops at the page limit and names the next position', async () => {
  const { call } = await openBench();
  const many = Array.from({ length: 40 }, (_, index) => result(`c${index}`, `${index} `.repeat(3_000)));
  const history = historyOf(logOf(...many));
  const tool = createHistoryReadTool();
  const first = (await call(tool, { position: 0, to: 39 }, { history })).text;
  expect(Buffer.byteLength(first)).toBeLessThan(49 * 1024);
  expect(first).toContain('of 6000 characters; to read all of it, pass only position 0]');
  const next = Number(/\[read on with position (\d+) and to 39\]$/.exec(first)?.[1]);
  expect(next).toBeGreaterThan(5);
  const last = (await call(tool, { position: 39, to: 90 }, { history })).text;
  expect(last.endsWith('[the log ends at position 39]')).toBe(true);
});

test('history_read reports a missing position, a missing part and a record that no model was shown', async () => {
  const { call } = await openBench();
  const history = historyOf(logOf(prompt('go'), started('c1', 'read')));
  const tool = createHistoryReadTool();
  expect(await call(tool, { position: 2 }, { history })).toMatchObject({ code: 'workspace/no-record' });
  expect(await call(tool, { position: 0, part: 1 }, { history })).toMatchObject({ code: 'workspace/no-record' });
  expect(await call(tool, { position: 2, to: 1 }, { history })).toMatchObject({ code: 'problem' });
  expect((await call(tool, { position: 1 }, { history })).text).toBe(
    '#1 tool.started: this record was not shown to a model.',
  );
});

test('history_search finds the records that contain all words, in any case, latest first', async () => {
  const { call } = await openBench();
  const history = historyOf(
    logOf(
      prompt('Rename the Harbour'),
      result('c1', 'the harbour is old'),
      prompt('nothing'),
      prompt('harbour, rename!'),
    ),
  );
  const tool = createHistorySearchTool();
  expect((await call(tool, { query: 'RENAME harbour' }, { history })).text.split('\n')).toEqual([
    '#3 prompt, 2026-11-21T08:00:00.000Z: harbour, rename!',
    '#0 prompt, 2026-11-21T08:00:00.000Z: Rename the Harbour',
  ]);
  const one = (await call(tool, { query: 'harbour', limit: 1, kinds: ['results'] }, { history })).text;
  expect(one).toContain('#1 result of c1');
  expect((await call(tool, { query: 'harbour', limit: 1 }, { history })).text).toContain(
    '[the latest 1 of 3 matches; to see others, add words to query or raise limit]',
  );
  expect((await call(tool, { query: 'ship' }, { history })).text).toBe(
    'No record contains all of these words. Search for fewer or other words.',
  );
});

test('history_search does not find its own queries and results', async () => {
  const { call } = await openBench();
  const history = historyOf(
    logOf(calls('history_search', '{"query":"harbour"}'), started('c1', 'history_search'), result('c1', '#4 harbour')),
  );
  expect((await call(createHistorySearchTool(), { query: 'harbour' }, { history })).text).toContain('No record');
});

test('history_search keeps only the matches that it shows, and stops when it is aborted', async () => {
  const { call } = await openBench();
  const [record] = logOf(prompt('harbour'));
  const stop = new AbortController();
  let read = 0;
  const history = {
    ...historyOf([]),
    length: 1_000_000,
    async *read(): AsyncIterable<Recorded> {
      if (record === undefined) return;
      for (;;) {
        if (read === 1_000) stop.abort(Object.assign(new Error('given up'), { code: 'test/given-up' }));
        yield record;
        read += 1;
      }
    },
  };
  const given = { history, signal: stop.signal };
  expect(await call(createHistorySearchTool(), { query: 'harbour' }, given)).toMatchObject({ code: 'test/given-up' });
  expect(read).toBe(1_000);
});
