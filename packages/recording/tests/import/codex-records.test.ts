// Tests the import of single records of the Codex CLI: where answers end, how calls are counted, undone turns,
// compactions, copied calls and damaged files.

import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import {
  NOT_TEXT,
  answers,
  calls,
  context,
  counted,
  counts,
  event,
  item,
  line,
  meta,
  recorded,
  returns,
  says,
  thinks,
  user,
} from './codex-rows.ts';
import type { Row } from './import-rows.ts';
import { importRows, kinds, only, packed, pick } from './import-rows.ts';

const GPT = 'gpt-5.5';

describe('an answer of a rollout', () => {
  test('ends at its token counts, if they come after its items', async () => {
    const rows = [
      meta(),
      context(GPT),
      user('Read.'),
      thinks('a'),
      says('I read.'),
      calls('c1'),
      calls('c2'),
      counted(100, counts(100, 0)),
      returns('c1'),
      returns('c2'),
      thinks('b'),
      says('Done.'),
      counted(250, counts(150, 64)),
    ];
    const read = await importRows(rows);
    expect(answers(read)).toEqual([
      ['reasoning text call call', 100],
      ['reasoning text', 150],
    ]);
    expect(pick(read.events, 'answer.received')[1]?.data.usage).toEqual({
      fresh: 86,
      read: 64,
      writes: [],
      answer: 6,
      reasoning: 4,
    });
  });

  test('has the token counts before it, if they come before its items and results are between its calls', async () => {
    const rows = [
      meta(),
      user('Read.'),
      context(GPT),
      counted(100, counts(100, 0)),
      thinks('a'),
      calls('c1'),
      returns('c1'),
      calls('c2'),
      returns('c2'),
      context(GPT),
      counted(100, counts(100, 0)),
      counted(250, counts(150, 64)),
      thinks('b'),
      says('Done.'),
    ];
    const read = await importRows(rows);
    expect(answers(read)).toEqual([
      ['reasoning call call', 100],
      ['reasoning text', 150],
    ]);
    expect(pick(read.events, 'tool.returned')).toHaveLength(2);
  });

  test('begins after results, if the file has no token counts', async () => {
    const rows = [
      meta(),
      context(GPT),
      user('Read.'),
      calls('c1'),
      returns('c1'),
      calls('c2'),
      returns('c2'),
      says('Done.'),
    ];
    const read = await importRows(rows);
    expect(answers(read).map(([parts]) => parts)).toEqual(['call', 'call', 'text']);
    expect(read.imported.calls).toBe(0);
  });

  test('whose items are not in the file is a call without parts', async () => {
    const rows = [
      meta(),
      context(GPT),
      user('Go.'),
      counted(90, counts(90, 0)),
      line('compacted', { message: 'Sum.' }),
    ];
    expect(answers(await importRows(rows))).toEqual([['', 90]]);
  });

  test('has the id of the provider and is counted once, if the client writes its counts twice', async () => {
    const usage = counts(100, 0);
    const rows = [meta(), context(GPT), user('Go.'), says('Done.'), recorded('resp_1', usage), counted(500, usage)];
    const read = await importRows(rows);
    expect(answers(read)).toEqual([['text', 100]]);
    expect(only(read.events, 'answer.received').response).toBe('resp_1');
  });

  test('has unknown writes and unknown fresh tokens, if its model bills writes and the client states 0', async () => {
    const rows = [meta(), context('gpt-5.6-sol'), user('Go.'), says('Done.'), counted(100, counts(100, 64, 10, 0))];
    const { usage } = only((await importRows(rows)).events, 'answer.received');
    expect(usage).toEqual({ read: 64, input: 100, answer: 6, reasoning: 4 });
  });

  test('keeps its own token counts, if an earlier import ended before they arrived', async () => {
    const rows = [meta(), context(GPT), user('Go.'), calls('c1'), counted(100, counts(100, 0)), returns('c1')];
    const more = [calls('c2'), counted(220, counts(120, 96)), returns('c2')];
    const store = createMemoryStore();
    await importRows(rows.slice(0, 4), store);
    expect(answers(await importRows([...rows, ...more], store))).toEqual([
      ['call', undefined],
      ['', 100],
      ['call', 120],
    ]);
  });

  test('that failed is one failed call, although the client records the error twice', async () => {
    const error = { message: 'Rate limit reached', codex_error_info: 'usage_limit_exceeded' };
    const rows = [meta(), context(GPT), user('Go.'), event('error', error), event('task_complete', { error })];
    const { events } = await importRows(rows);
    expect(only(events, 'answer.failed')).toMatchObject({ class: 'retryable', code: 'provider/rate-limited' });
    expect(only(events, 'turn.ended').outcome).toBe('failed');
  });

  test.each(['gpt-5-codex', 'gpt-5.1-codex-max', 'o4-mini'])(
    'of %s has no written tokens, as its model bills none',
    async (model) => {
      const rows = [meta(), context(model), user('Go.'), says('Done.'), counted(100, counts(100, 64))];
      const { usage } = only((await importRows(rows)).events, 'answer.received');
      expect(usage).toEqual({ fresh: 36, read: 64, writes: [], answer: 6, reasoning: 4 });
    },
  );

  test('of a model that the catalog does not contain has unknown writes', async () => {
    const rows = [meta(), context('new-model'), user('Go.'), says('Done.'), counted(100, counts(100, 64))];
    const { usage } = only((await importRows(rows)).events, 'answer.received');
    expect(usage).toEqual({ read: 64, input: 100, answer: 6, reasoning: 4 });
  });

  test('that the user interrupted has the parts that arrived', async () => {
    const rows = [meta(), context(GPT), user('Go.'), says('A long'), event('turn_aborted', { reason: 'interrupted' })];
    const { events } = await importRows(rows);
    expect(only(events, 'answer.interrupted')).toMatchObject({ by: 'user', parts: [{ type: 'text', text: 'A long' }] });
    expect(only(events, 'turn.ended').outcome).toBe('interrupted');
  });

  test('keeps items that are no text and no call as native parts', async () => {
    const search = { status: 'completed', action: { type: 'search', query: 'noon' } };
    const rows = [meta(), context(GPT), user('Go.'), item('web_search_call', search), says('At noon.')];
    const [part] = only((await importRows(rows)).events, 'answer.received').parts;
    expect(part).toMatchObject({ type: 'native', provider: 'openai', text: '[web_search_call]' });
    expect(part?.type === 'native' ? JSON.parse(part.item) : undefined).toEqual({ type: 'web_search_call', ...search });
  });

  test('has calls of all kinds with arguments in JSON', async () => {
    const rows = [
      meta(),
      context(GPT),
      user('Go.'),
      item('custom_tool_call', { call_id: 'c1', name: 'apply_patch', input: '*** Begin Patch' }),
      item('local_shell_call', { call_id: 'c2', status: 'completed', action: { type: 'exec', command: ['ls'] } }),
      item('function_call', { call_id: 'c3', name: 'search', namespace: 'mcp__docs__', arguments: '{"q":1.0}' }),
      counted(10, counts(10, 0)),
      item('custom_tool_call_output', { call_id: 'c1', output: 'patched' }),
      returns('c2', '{"output":"x","metadata":{"exit_code":2,"duration_seconds":1.5}}'),
      returns('c3', [{ type: 'input_text', text: 'found' }]),
    ];
    const { events } = await importRows(rows);
    expect(only(events, 'answer.received').parts).toEqual([
      { type: 'call', call: 'c1', name: 'apply_patch', arguments: '{"input":"*** Begin Patch"}' },
      { type: 'call', call: 'c2', name: 'local_shell', arguments: '{"type":"exec","command":["ls"]}' },
      { type: 'call', call: 'c3', name: 'mcp__docs__search', arguments: '{"q":1.0}' },
    ]);
    expect(only(events, 'tool.failed')).toMatchObject({ call: 'c2', durationMs: 1500 });
    expect(pick(events, 'tool.returned').map(({ data }) => data.parts)).toEqual([
      [{ type: 'text', text: 'patched' }],
      [{ type: 'text', text: 'found' }],
    ]);
  });
});

describe('the history of a rollout', () => {
  const base = [meta(), context(GPT), user('One.'), says('1'), user('Two.'), says('2')];

  test('becomes a fork where turns were undone', async () => {
    const rows = [...base, event('thread_rolled_back', { num_turns: 1 }), user('Three.'), says('3')];
    const read = await importRows(rows);
    expect(read.imported.sessions).toHaveLength(2);
    expect(packed(read.of(1))).toEqual(['user: One.', 'assistant: 1', 'user: Three.', 'assistant: 3']);
    expect(pick(read.of(1), 'answer.received').at(-1)?.data.model).toBe(GPT);
  });

  test('starts again in a fork, if all turns were undone', async () => {
    const rows = [...base, event('thread_rolled_back', { num_turns: 9 }), user('Three.'), says('3')];
    expect(packed((await importRows(rows)).of(1))).toEqual(['user: Three.', 'assistant: 3']);
  });

  test('is replaced by the replacement history of a compaction', async () => {
    const kept = [user('One.'), user('Sum.')].map((row) => ('payload' in row ? row.payload : {}));
    const rows = [...base, line('compacted', { message: '', replacement_history: kept }), user('Three.'), says('3')];
    const { events } = await importRows(rows);
    expect(only(events, 'history.compacted').checkpoint).toBe('One.\n\nSum.');
    expect(packed(events).slice(1)).toEqual(['user: Three.', 'assistant: 3']);
    expect(pick(events, 'foreign.recorded').map(({ data }) => data.reason)).not.toContain(NOT_TEXT);
  });

  test('keeps the record of a compaction whose summary is encrypted', async () => {
    const sealed = { type: 'compaction', encrypted_content: 'gAAA' };
    const rows = [...base, line('compacted', { message: '', replacement_history: [sealed] })];
    const { events } = await importRows(rows);
    expect(only(events, 'history.compacted').checkpoint).toBe('[encrypted summary]');
    const kept = pick(events, 'foreign.recorded').find(({ data }) => data.reason === NOT_TEXT);
    expect(kept?.data.record).toMatchObject({ payload: { replacement_history: [sealed] } });
  });

  test('contains added context as notes, and messages of other agents as notifications', async () => {
    const rows = [
      meta(),
      item('message', { role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] }),
      user('<environment_context>\n  <cwd>/work</cwd>\n</environment_context>'),
      context(GPT),
      item('agent_message', {
        author: '/root',
        recipient: '/root/a',
        content: [{ type: 'input_text', text: 'Count.' }],
      }),
      says('5'),
    ];
    const { events } = await importRows(rows);
    expect(pick(events, 'context.noted').map(({ data }) => data.source)).toEqual(['developer', 'codex']);
    expect(only(events, 'notification.received')).toMatchObject({ provenance: '/root to /root/a', body: 'Count.' });
    expect(kinds(events)).not.toContain('prompt.given');
  });

  test('contains a message that looks like context as a prompt, if the client names it as one', async () => {
    const named = { internal_chat_message_metadata_passthrough: { content_item_kinds: ['user.text'] } };
    const content = [{ type: 'input_text', text: '<skill> is a strange tag' }];
    const rows = [meta(), context(GPT), item('message', { role: 'user', content, ...named }), says('Yes.')];
    expect(only((await importRows(rows)).events, 'prompt.given').parts).toMatchObject([
      { text: '<skill> is a strange tag' },
    ]);
  });
});

describe('a call of a rollout that was copied into the file of a fork', () => {
  const original = [
    meta(),
    context(GPT),
    user('Go.'),
    thinks('a'),
    calls('c1'),
    counted(100, counts(100, 0)),
    returns('c1'),
  ];
  const later = (row: object): object => ({ ...row, timestamp: '2026-11-23T12:00:00.000Z' });

  test('is billed once, although the copy has new times', async () => {
    const store = createMemoryStore();
    await importRows(original, store);
    const fork = [meta({ id: '01a2bbbb-0000', forked_from_id: '01a2aaaa-0000' }), ...original].map(later);
    const { events } = await importRows([...fork, says('In the fork.'), counted(220, counts(120, 96))], store);
    const billed = pick(events, 'answer.received').map(({ data }) => data.billed !== undefined);
    expect(billed).toEqual([true, false]);
  });

  test('is billed in both files, if nothing identifies it but its text', async () => {
    const plain: readonly object[] = [meta(), context(GPT), user('Go.'), says('Hi.'), counted(50, counts(50, 0))];
    const store = createMemoryStore();
    await importRows(plain, store);
    const { events } = await importRows(plain.map(later), store);
    expect(only(events, 'answer.received').billed).toBeUndefined();
  });
});

describe('a damaged rollout', () => {
  const rows: readonly Row[] = [
    meta(),
    context(GPT),
    user('Go.'),
    calls('c1'),
    counted(100, counts(100, 0)),
    returns('c1'),
  ];

  test('is imported without the damaged lines, which are reported', async () => {
    const damaged = [
      ...rows.slice(0, 3),
      '{"timestamp":"2026-11-23T10:00:00.000Z","type":"respo',
      'no json',
      ...rows.slice(3),
    ];
    const { imported, events } = await importRows(damaged);
    expect(imported.skipped.map(({ line: number }) => number)).toEqual([4, 5]);
    expect(only(events, 'tool.returned').call).toBe('c1');
  });

  test('keeps the whole record after a torn record on the same line', async () => {
    const glued = `{"timestamp":"2026-11-23T10:00:00.000Z","type":"event_msg","pay${JSON.stringify(user('Again.'))}`;
    const { imported, events } = await importRows([...rows, glued]);
    expect(imported.skipped).toHaveLength(1);
    expect(pick(events, 'prompt.given')).toHaveLength(2);
  });

  test('keeps records of unknown types and payloads unchanged', async () => {
    const strange = [
      line('new_thing', { a: 1 }),
      item('new_item', { b: 2 }),
      event('new_event', { c: 3 }),
      item('message', {}),
    ];
    const { events } = await importRows([...rows, ...strange]);
    const kept = pick(events, 'foreign.recorded').map(({ data }) => data.record);
    for (const row of strange) expect(kept).toContainEqual(row);
  });

  test('that ends in a call has a closed history', async () => {
    const { events } = await importRows(rows.slice(0, 4));
    expect(only(events, 'tool.abandoned')).toMatchObject({ call: 'c1', reason: 'crashed' });
    expect(only(events, 'turn.ended').outcome).toBe('interrupted');
  });

  test.each(['event_msg', 'turn_context', 'response_item'])(
    'is recognised without its first record, by %s',
    async (type) => {
      const first = rows.findIndex((row) => JSON.stringify(row).includes(`"type":"${type}"`));
      expect((await importRows(rows.slice(first))).imported.format).toBe('codex');
    },
  );
});
