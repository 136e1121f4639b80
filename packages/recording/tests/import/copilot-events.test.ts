// Tests the import of single events of the Copilot CLI: how answers get their token counts, prompts with context,
// compactions, subagents, failures and damaged files.

import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { importInto } from '../../src/import/import-into.ts';
import { calls, counted, event, returns, says, start, turn, user } from './copilot-rows.ts';
import type { ImportedRows } from './import-rows.ts';
import { importRows, kinds, only, packed, pick, sourceOf } from './import-rows.ts';

const MESSAGES = '/v1/messages';

async function usageOf(fields: object): Promise<unknown> {
  const { events } = await importRows([start(), user('A'), turn(), counted('r1', fields), says('r1', 'B')]);
  return only(events, 'answer.received').usage;
}

describe('the token counts of Copilot', () => {
  test('are disjoint buckets, although the input includes read and written tokens', async () => {
    expect(await usageOf({})).toEqual({
      fresh: 10,
      read: 60,
      writes: [{ ttl: '5m', tokens: 30 }],
      answer: 6,
      reasoning: 4,
    });
  });

  test('have the lifetime that the client states', async () => {
    expect(await usageOf({ cacheTtlSeconds: 3600 })).toMatchObject({ writes: [{ ttl: '1h', tokens: 30 }] });
  });

  test('have written tokens without a lifetime for another API than that of Anthropic', async () => {
    const usage = await usageOf({ apiEndpoint: '/chat/completions', isByok: false });
    expect(usage).toMatchObject({ fresh: 10, read: 60, written: 30 });
    expect(usage).not.toHaveProperty('writes');
  });

  test.each([
    [MESSAGES, 'claude-sonnet-4-5', { fresh: 40, read: 60, writes: [] }],
    ['/responses', 'gpt-5.5', { fresh: 40, read: 60, writes: [] }],
    ['/chat/completions', 'claude-sonnet-4-5', { read: 60, input: 100 }],
  ])('that state 0 written tokens on %s for %s', async (apiEndpoint, model, expected) => {
    expect(await usageOf({ cacheWriteTokens: 0, apiEndpoint, model })).toEqual({
      ...expected,
      answer: 6,
      reasoning: 4,
    });
  });

  test('have only the whole input, if the provider reported nothing about its cache', async () => {
    expect(await usageOf({ cacheDetailsReported: false, apiEndpoint: '/responses' })).toEqual({
      input: 100,
      answer: 6,
      reasoning: 4,
    });
  });

  test('have the output without reasoning for a version that states only the output', async () => {
    const { events } = await importRows([start(), user('A'), says(undefined, 'B', { outputTokens: 7 })]);
    expect(only(events, 'answer.received').usage).toEqual({ answer: 7 });
  });

  test('without an answer become a call without parts', async () => {
    const rows = [start(), user('A'), turn(), counted('r1'), user('B'), turn(), counted('r2'), says('r2', 'C')];
    const { events, imported } = await importRows(rows);
    expect(imported.calls).toBe(2);
    expect(pick(events, 'answer.received').map(({ data }) => [data.response, data.parts.length])).toEqual([
      ['r1', 0],
      ['r2', 1],
    ]);
  });

  test('of another call are not the counts of an answer', async () => {
    const rows = [start(), user('A'), turn(), counted('r1'), says('r2', 'B'), says(undefined, '', calls('own'))];
    const { events } = await importRows(rows);
    expect(pick(events, 'answer.received').map(({ data }) => [data.response, Object.keys(data.usage).length])).toEqual([
      ['r1', 5],
      ['r2', 0],
      [undefined, 0],
    ]);
  });

  test('name the provider and the reason of the end', async () => {
    const rows = [start(), user('A'), counted('r1', { isByok: false, finishReason: 'length' }), says('r1', 'B')];
    const { events } = await importRows(rows);
    expect(only(events, 'answer.received')).toMatchObject({
      provider: 'github-copilot',
      stop: 'length',
      stopRaw: 'length',
      truncated: 'yes',
    });
  });
});

describe('an answer of Copilot', () => {
  test('that is written as several messages is one answer, and the events between them come after it', async () => {
    const rows = [
      start(),
      user('A'),
      turn(),
      counted('r1'),
      says('r1', 'one', { reasoningText: 'first', chunkIndex: 0, chunkCount: 2 }),
      event('hook.start', { hookType: 'x' }),
      says('r1', 'two', { ...calls('c1'), reasoningText: 'second', chunkIndex: 1, chunkCount: 2 }),
      returns('c1'),
    ];
    const { events } = await importRows(rows);
    expect(only(events, 'answer.received').parts.map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'reasoning',
      'text',
      'call',
    ]);
    const order = events.map(({ kind }) => kind).slice(-4);
    expect(order).toEqual(['answer.received', 'foreign.recorded', 'tool.returned', 'turn.ended']);
  });

  test('keeps the arguments of its calls as they were written', async () => {
    const row = JSON.stringify(says(undefined, '', calls('c1'))).replace(
      '{"command":"ls"}',
      '{"n":1.0,"command":"ls"}',
    );
    const free = { toolRequests: [{ toolCallId: 'c2', name: 'edit', type: 'custom', arguments: 'a patch' }] };
    const { events } = await importRows([start(), user('A'), row, returns('c1'), says(undefined, '', free)]);
    expect(pick(events, 'answer.received').flatMap(({ data }) => data.parts)).toEqual([
      { type: 'call', call: 'c1', name: 'bash', arguments: '{"n":1.0,"command":"ls"}' },
      { type: 'call', call: 'c2', name: 'edit', arguments: '{"input":"a patch"}' },
    ]);
  });

  test('has the reasoning of each version as the provider accepts it back', async () => {
    const thinking = { type: 'thinking', thinking: 'x', signature: 's' };
    const rows = [
      start(),
      user('A'),
      says(undefined, '', { reasoningText: 'a' }),
      says(undefined, '', { reasoningText: 'b', reasoningOpaque: 'sealed' }),
      says(undefined, '', { reasoningText: 'c', reasoningOpaque: 'rs_1', encryptedContent: 'e' }),
      says(undefined, '', { reasoningBlocks: { blocks: [thinking, { type: 'redacted_thinking', data: 'd' }] } }),
    ];
    const parts = pick((await importRows(rows)).events, 'answer.received').flatMap(({ data }) => data.parts);
    const [first, ...others] = parts;
    expect(first).toEqual({ type: 'reasoning', text: 'a' });
    expect(others.map((part) => (part.type === 'reasoning' ? JSON.parse(part.opaque ?? '') : part))).toEqual([
      { type: 'thinking', thinking: 'b', signature: 'sealed' },
      { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'c' }], encrypted_content: 'e' },
      thinking,
      { type: 'redacted_thinking', data: 'd' },
    ]);
  });
});

describe('a prompt of Copilot', () => {
  test('is the typed text, and the context that the client adds is a note', async () => {
    const transformedContent = '<current_datetime>noon</current_datetime>\n\nRead.\n\n<reminder>none</reminder>';
    const { events } = await importRows([start(), user('Read.', { transformedContent })]);
    expect(only(events, 'prompt.given').parts).toEqual([{ type: 'text', text: 'Read.' }]);
    expect(only(events, 'context.noted').body).toBe(
      '<current_datetime>noon</current_datetime>\n<reminder>none</reminder>',
    );
  });

  test('is the text that was sent, if the client changed it, and the event is kept', async () => {
    const row = user('/plan', { transformedContent: 'Make a plan.' });
    const { events } = await importRows([start(), row]);
    expect(only(events, 'prompt.given').parts).toEqual([{ type: 'text', text: 'Make a plan.' }]);
    expect(pick(events, 'foreign.recorded').map(({ data }) => data.record)).toContainEqual(row);
  });

  test('that came while the model worked is marked, and an attachment that is no image keeps the event', async () => {
    const row = user('Wait.', { delivery: 'steering', attachments: [{ type: 'file', path: '/work/a.txt' }] });
    const { events } = await importRows([start(), user('A'), row, says(undefined, 'B')]);
    expect(pick(events, 'prompt.given').map(({ data }) => data.steer)).toEqual([undefined, true]);
    expect(pick(events, 'foreign.recorded').map(({ data }) => data.reason)).toContain(
      'attachments that are not images',
    );
  });

  test('of a skill is a note and not a turn', async () => {
    const { events } = await importRows([start(), user('A'), user('Count.', { source: 'skill-counting' })]);
    expect(pick(events, 'prompt.given')).toHaveLength(1);
    expect(only(events, 'context.noted').body).toBe('Count.');
  });
});

describe('a compaction of Copilot', () => {
  const end = (fields: object = {}): object =>
    event('session.compaction_complete', { success: true, summaryContent: 'S', preCompactionTokens: 90, ...fields });

  test('keeps the events that came while it ran', async () => {
    const rows = [
      start(),
      user('A'),
      says(undefined, 'B'),
      event('session.compaction_start', {}),
      user('C'),
      says(undefined, 'D'),
      end(),
      user('E'),
      says(undefined, 'F'),
    ];
    const { events } = await importRows(rows);
    expect(only(events, 'history.compacted')).toMatchObject({ checkpoint: 'S', before: 90 });
    const history = packed(events);
    expect(history.filter((text) => /: [A-F]$/.test(text))).toEqual([
      'user: C',
      'assistant: D',
      'user: E',
      'assistant: F',
    ]);
  });

  test('replaces everything before it if nothing came while it ran, and its own call is counted', async () => {
    const used = { inputTokens: 80, outputTokens: 5, cacheReadTokens: 70, cacheWriteTokens: 10 };
    const rows = [
      start(),
      user('A'),
      counted('r1'),
      says('r1', 'B'),
      event('session.compaction_start', {}),
      end({ compactionTokensUsed: used }),
      user('C'),
      says(undefined, 'D'),
    ];
    const { events, imported } = await importRows(rows);
    expect(packed(events).filter((text) => /: [A-D]$/.test(text))).toEqual(['user: C', 'assistant: D']);
    expect(imported.calls).toBe(2);
    expect(pick(events, 'answer.received')[1]?.data).toMatchObject({
      provider: 'anthropic',
      parts: [],
      usage: { fresh: 0, read: 70, writes: [{ ttl: '5m', tokens: 10 }], answer: 5 },
    });
  });

  test('that failed is kept and changes nothing', async () => {
    const rows = [
      start(),
      user('A'),
      event('session.compaction_start', {}),
      end({ success: false }),
      says(undefined, 'B'),
    ];
    const { events } = await importRows(rows);
    expect(kinds(events)).not.toContain('history.compacted');
    expect(packed(events)).toContain('user: A');
  });

  test('is also a cleared context', async () => {
    const cleared = event('session.context_cleared', { messagesCleared: 2, initialMessage: 'Start here.' });
    const { events } = await importRows([
      start(),
      user('A'),
      says(undefined, 'B'),
      cleared,
      user('C'),
      says(undefined, 'D'),
    ]);
    expect(only(events, 'history.compacted')).toMatchObject({ checkpoint: 'Start here.', trigger: 'cleared' });
    expect(packed(events)).not.toContain('user: A');
  });
});

describe('a session of Copilot', () => {
  test('has a change of the effort and of the model', async () => {
    const change = { newModel: 'claude-opus-4-5', reasoningEffort: 'low' };
    const rows = [
      start({ selectedModel: 'claude-sonnet-4-5', reasoningEffort: 'high' }),
      user('A'),
      says(undefined, 'B'),
      event('session.model_change', change),
      user('C'),
      says(undefined, 'D'),
    ];
    const { events } = await importRows(rows);
    expect(only(events, 'reasoning.changed').setting).toBe('low');
    expect(pick(events, 'answer.received').map(({ data }) => data.model)).toEqual([
      'claude-sonnet-4-5',
      'claude-opus-4-5',
    ]);
  });

  test('has a failed call once, and no failed call for an error after the answer', async () => {
    const error = event('session.error', { errorType: 'rate_limit', statusCode: 429, message: 'Slow down.' });
    const late = event('session.error', { errorType: 'query', message: 'The hook failed.' });
    const { events } = await importRows([start(), user('A'), turn(), error, user('B'), says(undefined, 'C'), late]);
    expect(only(events, 'answer.failed')).toMatchObject({
      class: 'retryable',
      code: 'provider/rate-limited',
      message: 'Slow down.',
    });
  });

  test('has the end of an interrupted turn, and its open call is abandoned', async () => {
    const abort = event('abort', { reason: 'user_initiated' });
    const { events } = await importRows([start(), user('A'), says(undefined, '', calls('c1')), abort, user('B')]);
    expect(only(events, 'tool.abandoned')).toMatchObject({ call: 'c1' });
    expect(pick(events, 'turn.ended').length).toBe(2);
  });

  test('has a subagent of an old version with the task of its call as prompt', async () => {
    const task = { toolCallId: 'c1', toolName: 'task', arguments: { prompt: 'Count.' } };
    const rows = [
      start(),
      user('A'),
      says(undefined, '', calls('c1')),
      event('tool.execution_start', task),
      event('subagent.started', { toolCallId: 'c1', agentDisplayName: 'Counter' }),
      says(undefined, 'Five.', { parentToolCallId: 'c1' }),
      event('subagent.completed', { toolCallId: 'c1' }),
      returns('c1'),
    ];
    const { events, of } = await importRows(rows);
    expect(only(of(1), 'session.created').title).toBe('Counter');
    expect(packed(of(1))).toEqual(['user: Count.', 'assistant: Five.']);
    expect(only(events, 'subagent.started').task).toBe('Count.');
    expect(pick(events, 'answer.received')).toHaveLength(1);
  });

  test('has no starting call for a subagent that another subagent started', async () => {
    const task = { toolCallId: 'c2', toolName: 'task', arguments: { prompt: 'Count.' } };
    const rows = [
      start(),
      user('A'),
      says(undefined, '', calls('c1')),
      event('subagent.started', { toolCallId: 'c1', agentName: 'one' }, 'a1'),
      says(undefined, '', calls('c2'), 'a1'),
      event('tool.execution_start', task, 'a1'),
      event('subagent.started', { toolCallId: 'c2', agentName: 'two' }, 'a2'),
      says(undefined, 'Five.', {}, 'a2'),
    ];
    const { of } = await importRows(rows);
    const created = [1, 2].map((index) => only(of(index), 'session.created'));
    expect(created.map(({ title, startedBy }) => [title, startedBy?.call])).toEqual([
      ['one', 'c1'],
      ['two', undefined],
    ]);
  });

  test('that was damaged keeps its other events, and names each lost line', async () => {
    const answered = JSON.stringify(says(undefined, 'B'));
    const rows = [
      start(),
      user('A'),
      answered.slice(0, 40),
      `${'\0'.repeat(9)}${answered}`,
      event('future.kind', { a: 1 }),
      { type: 'user.message', id: 'x', timestamp: 'never', parentId: null },
    ];
    const read: ImportedRows = await importRows(rows);
    expect(read.imported.skipped.map(({ line }) => line)).toEqual([3, 4]);
    expect(only(read.events, 'answer.received').parts).toEqual([{ type: 'text', text: 'B' }]);
    expect(pick(read.events, 'foreign.recorded').map(({ data }) => data.line)).toContain(5);
  });

  test('with invalid UTF-8 is imported, and a copy of an event counts once', async () => {
    const text = JSON.stringify(says('r1', 'B?'));
    const [before = '', after = ''] = text.split('?');
    const bytes = Buffer.concat([
      Buffer.from([start(), user('A'), counted('r1')].map((row) => `${JSON.stringify(row)}\n`).join('')),
      Buffer.from(before),
      Buffer.from([0xff]),
      Buffer.from(`${after}\n${before}${after}\n`),
    ]);
    const store = createMemoryStore();
    expect(await importInto(store, sourceOf(bytes))).toMatchObject({ format: 'copilot', calls: 1 });
  });
});
