// Tests single records of the Gemini CLI. The rewinds and the damaged records are written by hand after the source of
// version 0.61.0, because only a person at a terminal can rewind.

import { describe, expect, test } from 'vitest';
import { geminiPlaces } from '../../src/import/gemini-cli/gemini-places.ts';
import { geminiUsage } from '../../src/import/gemini-cli/gemini-answer.ts';
import { recogniseFormat } from '../../src/import/recognise.ts';
import { CONTEXT, answersWith, asks, changed, geminiHeader, geminiMessage, tokens, toolCall } from './gemini-rows.ts';
import { fileOf, importRows, kinds, only, packed, pick, sourceOf } from './import-rows.ts';

describe('the format of a file', () => {
  test.each([
    ['a header', geminiHeader()],
    ['a message of the user', asks('u', 'Hello.')],
    ['an answer', answersWith('g', 'Hi.')],
    ['a changed field', changed({ lastUpdated: '2026-01-01T00:00:00.000Z' })],
    ['a rewind', { $rewindTo: 'u' }],
    ['a document', JSON.stringify(geminiHeader({ messages: [] }), null, 2)],
  ])('is recognised by %s', async (_, row) => {
    expect((await recogniseFormat(sourceOf(fileOf([row])).open, 'x')).name).toBe('gemini-cli');
  });

  test.each([
    ['a change of other fields', changed({ price: 1 })],
    ['a user without a time', { id: 'a', type: 'user', content: 'x' }],
    ['a row of Claude Code', { type: 'user', uuid: 'a', parentUuid: null, id: 'b', timestamp: '2026', content: '' }],
  ])('is not recognised by %s', async (_, row) => {
    const name = recogniseFormat(sourceOf(fileOf([row])).open, 'x').then((format) => format.name);
    await expect(name.catch((error: { code: string }) => error.code)).resolves.not.toBe('gemini-cli');
  });
});

describe('a rewind', () => {
  const turn = [asks('u1', 'One.'), answersWith('g1', 'First.'), asks('u2', 'Two.'), answersWith('g2', 'Second.')];

  test('continues before the named message in a fork', async () => {
    const { of } = await importRows([geminiHeader(), ...turn, { $rewindTo: 'u2' }, asks('u3', 'Three.')]);
    expect(packed(of(0)).at(-1)).toBe('assistant: Second.');
    expect(packed(of(1))).toEqual(['user: One.', 'assistant: First.', 'user: Three.']);
  });

  test('to an unknown message continues at the start', async () => {
    const { of } = await importRows([geminiHeader(), ...turn, { $rewindTo: 'none' }, asks('u3', 'Three.')]);
    expect(packed(of(1))).toEqual(['user: Three.']);
  });

  test('that the next record takes back opens no fork', async () => {
    const all = turn.map((row) => ({ ...row }));
    const rows = [geminiHeader(), ...turn, changed({ messages: all.slice(0, 1) }), changed({ messages: all })];
    const { imported, events } = await importRows([...rows, asks('u3', 'Three.')]);
    expect(imported.sessions).toHaveLength(1);
    expect(packed(events)).toHaveLength(5);
  });
});

describe('an answer', () => {
  test('is billed once, with the calls of its last record', async () => {
    const early = answersWith('g1', 'I read.');
    const rows = [asks('u1', 'Read.'), early, changed({ lastUpdated: 'x' })];
    const late = { ...early, toolCalls: [toolCall('c1'), toolCall('c2', { status: 'cancelled' })] };
    const { events, imported } = await importRows([...rows, late, asks('u2', 'Thanks.')]);
    expect(imported.calls).toBe(1);
    expect(only(events, 'answer.received').parts.map(({ type }) => type)).toEqual(['text', 'call', 'call']);
    expect(only(events, 'tool.returned').call).toBe('c1');
    expect(only(events, 'tool.failed').call).toBe('c2');
  });

  test('that was imported before its calls ended gets them as an answer without usage', async () => {
    const early = answersWith('g1', 'I read.');
    const rows = [geminiHeader(), asks('u1', 'Read.'), early];
    const { store } = await importRows(rows);
    const { events, imported } = await importRows([...rows, { ...early, toolCalls: [toolCall('c1')] }], store);
    expect(imported.updated).toBe(true);
    expect(pick(events, 'answer.received').map(({ data }) => Object.keys(data.usage).length > 0)).toEqual([
      true,
      false,
    ]);
    expect(only(events, 'tool.returned').call).toBe('c1');
  });

  test('takes a result from the next message if its own record has none', async () => {
    const call = toolCall('c1', { result: null });
    const response = { functionResponse: { id: 'c1', name: 'read_file', response: { error: 'gone' } } };
    const { events } = await importRows([
      asks('u1', 'Read.'),
      answersWith('g1', '', { toolCalls: [call] }),
      geminiMessage('u2', 'user', { content: [response] }),
    ]);
    expect(only(events, 'tool.failed')).toMatchObject({ call: 'c1', parts: [{ type: 'text', text: 'gone' }] });
  });

  test('without a model keeps the model before it', async () => {
    const added = geminiMessage('g2', 'gemini', { content: [{ text: 'Binary content received.', thought: true }] });
    const { events } = await importRows([asks('u1', 'One.'), answersWith('g1', 'First.'), added, asks('u2', 'Two.')]);
    expect(pick(events, 'epoch.opened')).toHaveLength(1);
  });
});

test('the token counts are in disjoint buckets, and counts of 0 only are unknown', () => {
  expect(geminiUsage(tokens(100, 60, { thoughts: 5, tool: 20, total: 135 }))).toEqual({
    fresh: 60,
    read: 60,
    writes: [],
    answer: 10,
    reasoning: 5,
  });
  expect(geminiUsage(tokens(100, 0, { output: 15, thoughts: 5, total: 115 }))).toMatchObject({
    answer: 10,
    reasoning: 5,
  });
  expect(geminiUsage({ input: 100, output: 10 })).toEqual({ input: 100, writes: [], answer: 10, reasoning: 0 });
  expect(geminiUsage(tokens(0, 0, { output: 0, total: 0 }))).toBeUndefined();
  expect(geminiUsage(null)).toBeUndefined();
});

test('an error after a prompt is a failed call, and any other notice is kept', async () => {
  const { events } = await importRows([
    asks('u1', 'One.'),
    geminiMessage('e1', 'error', { content: '[API Error: 429 rate_limit]' }),
    geminiMessage('e2', 'error', { content: 'Unknown command' }),
    geminiMessage('i1', 'info', { content: 'Welcome.' }),
  ]);
  expect(only(events, 'answer.failed')).toMatchObject({ code: 'provider/rate-limited' });
  expect(pick(events, 'foreign.recorded')).toHaveLength(2);
});

test('a compaction without kept messages replaces the whole history', async () => {
  const context = geminiMessage('x', 'user', { content: [{ text: CONTEXT }] });
  const rows = [
    geminiHeader(),
    changed({ messages: [context] }),
    asks('u1', 'One.'),
    answersWith('g1', 'First.'),
    changed({
      messages: [context, asks('u9', 'SUMMARY'), answersWith('g9', 'Got it.')],
      lastUpdated: '2026-01-01T01:00:00.000Z',
    }),
    asks('u2', 'Two.'),
    answersWith('g2', 'Second.'),
  ];
  const { events } = await importRows(rows);
  expect(only(events, 'history.compacted').checkpoint).toBe('SUMMARY');
  expect(pick(events, 'history.compacted')[0]?.at).toBe('2026-01-01T01:00:00.000Z');
  expect(packed(events).filter((line) => line.includes('One.'))).toEqual([]);
  expect(packed(events).at(-1)).toBe('assistant: Second.');
});

test('a damaged line is skipped, and an unknown record is kept', async () => {
  const rows = [geminiHeader(), asks('u1', 'One.'), '{"id":"g1","times', { future: true }, answersWith('g2', 'Hi.')];
  const { events, imported } = await importRows(rows);
  expect(imported.skipped).toEqual([{ line: 3, reason: expect.stringContaining('incomplete') }]);
  expect(pick(events, 'foreign.recorded').map(({ data }) => data.reason)).toContain('a record without a known type');
  expect(kinds(events)).toContain('answer.received');
});

test('the sessions of Gemini are in the chats of each project, also for another home and in the sandbox of macOS', () => {
  const places = (environment: Readonly<Record<string, string>>) =>
    geminiPlaces({ userFolder: '/home/a', environment }).map(({ folder }) => folder);
  expect(places({})).toEqual(['/home/a/.gemini/tmp', '/home/a/.cache/.gemini/tmp']);
  expect(places({ GEMINI_CLI_HOME: '/data' })).toEqual(['/data/.gemini/tmp', '/data/.cache/.gemini/tmp']);
  const [place] = geminiPlaces({ userFolder: '/home/a', environment: {} });
  const files = [
    'shop/chats/session-2026-11-23T12-34-71dad343.jsonl',
    `${'0'.repeat(64)}/chats/session-2026-11-23T12-34-71dad343.json`,
    'shop/chats/816aedab/6be3a90c.jsonl',
    'shop/logs/session-816aedab.jsonl',
    'shop/chats/session-a.jsonl.unreadable-1',
    'shop/checkpoints/a.json',
  ];
  expect(files.filter((path) => place?.files.test(path))).toEqual(files.slice(0, 3));
});
