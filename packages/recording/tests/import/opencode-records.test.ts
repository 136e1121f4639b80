// Tests the import of single rows of OpenCode, which the fixtures of the real client do not contain.

import { expect, test } from 'vitest';
import { openCodeUsage } from '../../src/import/opencode/opencode-usage.ts';
import { importRows, only, packed, pick } from './import-rows.ts';
import type { ImportedRows } from './import-rows.ts';
import { assistant, finish, session, text, tokens, tool, user } from './opencode-rows.ts';

function importAll(...messages: readonly (readonly object[])[]): Promise<ImportedRows> {
  return importRows([session(), ...messages.flat()]);
}

const idOf = (rows: readonly object[]): string => {
  const [first] = rows;
  return first !== undefined && 'id' in first && typeof first.id === 'string' ? first.id : '';
};

test('a message with several calls of the model becomes an answer for each call, in order', async () => {
  const { events } = await importAll(
    user('Go.'),
    assistant([
      { type: 'step-start' },
      text('First.'),
      tool('a'),
      finish(tokens(5, 0, 100), 'tool-calls'),
      { type: 'step-start' },
      text('Second.'),
      finish(tokens(5, 100, 20)),
    ]),
  );
  expect(packed(events)).toEqual([
    'user: Go.',
    'assistant: First.',
    'assistant: call a',
    'user: result a',
    'assistant: Second.',
  ]);
  const [first, second] = pick(events, 'answer.received').map(({ data }) => data);
  expect([first?.usage.fresh, second?.usage.read]).toEqual([5, 100]);
  expect(second?.startedAt).toBe(pick(events, 'tool.returned')[0]?.at);
});

test('the arguments of a call have the text of the row', async () => {
  const { events } = await importAll(user('Go.'), assistant([tool('a'), finish(undefined, 'tool-calls')]));
  const [part] = only(events, 'answer.received').parts;
  expect(part).toMatchObject({ type: 'call', arguments: '{"1":1.5,"command":"ls"}' });
});

test('text that the client added becomes a note after the prompt, or a notification without a prompt', async () => {
  const { events } = await importAll(
    user([text('Read it.'), text('The file says noon.', { synthetic: true }), text('hidden', { ignored: true })]),
    assistant([text('Done.'), finish()]),
    user([text('Continue if you have next steps.', { synthetic: true })]),
    assistant([text('No steps.'), finish()]),
  );
  expect(only(events, 'context.noted')).toMatchObject({ source: 'opencode', body: 'The file says noon.' });
  expect(only(events, 'notification.received').body).toBe('Continue if you have next steps.');
  expect(pick(events, 'turn.started').map(({ data }) => data.trigger)).toEqual(['user', 'notification']);
  expect(pick(events, 'foreign.recorded').map(({ data }) => data.record)).toContainEqual(
    expect.objectContaining({ text: 'hidden' }),
  );
});

test('a PDF of a prompt is stored, and a file that is only named is kept as a row', async () => {
  const pdf = { type: 'file', mime: 'application/pdf', filename: 'a.pdf', url: 'data:application/pdf;base64,JVBERg==' };
  const named = { type: 'file', mime: 'text/plain', filename: 'b.ts', url: 'file:///work/b.ts' };
  const { events } = await importAll(user([text('Read.'), pdf, named]));
  expect(only(events, 'prompt.given').parts.map(({ type }) => type)).toEqual(['text', 'file']);
  expect(pick(events, 'foreign.recorded').map(({ data }) => data.record)).toContainEqual(
    expect.objectContaining({ filename: 'b.ts' }),
  );
});

test('a message that did not end is an interrupted answer', async () => {
  const { events } = await importAll(user('Go.'), assistant([text('I look.')], { finish: undefined }));
  expect(only(events, 'answer.interrupted')).toMatchObject({ by: 'transport', parts: [{ text: 'I look.' }] });
  expect(only(events, 'turn.ended').outcome).toBe('failed');
});

test('a message that was aborted after its calls has their results, and a call that still runs is abandoned', async () => {
  const aborted = { finish: undefined, error: { name: 'MessageAbortedError', data: { message: 'Aborted' } } };
  const failed = tool('a', { status: 'error', error: 'Tool execution aborted' });
  const { events } = await importAll(user('Go.'), assistant([failed, tool('b', { status: 'running' })], aborted));
  expect(only(events, 'answer.received').parts).toMatchObject([{ call: 'a' }, { call: 'b' }]);
  expect(only(events, 'tool.failed').parts).toEqual([{ type: 'text', text: 'Tool execution aborted' }]);
  expect(only(events, 'tool.abandoned').call).toBe('b');
  expect(only(events, 'turn.ended').outcome).toBe('interrupted');
});

test('a message without `step-finish` has the counts and the end of its message', async () => {
  const { events } = await importAll(
    user('Go.'),
    assistant([text('Done.')], { tokens: tokens(1, 2, 3), finish: 'length' }),
  );
  expect(only(events, 'answer.received')).toMatchObject({
    stop: 'length',
    truncated: 'yes',
    usage: { fresh: 1, read: 2, writes: [{ ttl: '5m', tokens: 3 }] },
  });
});

test('a repeated request is a failed call before the answer', async () => {
  const error = { name: 'APIError', data: { message: 'Overloaded', statusCode: 529, isRetryable: true } };
  const { events } = await importAll(
    user('Go.'),
    assistant([
      { type: 'retry', attempt: 1, error, time: { created: Date.UTC(2026, 10, 24) } },
      text('Done.'),
      finish(),
    ]),
  );
  expect(only(events, 'answer.failed')).toMatchObject({ class: 'retryable', code: 'provider/overloaded' });
  expect(events.findIndex(({ kind }) => kind === 'answer.failed')).toBeLessThan(
    events.findIndex(({ kind }) => kind === 'answer.received'),
  );
});

test.each([
  ['ContextOverflowError', {}, 'compaction', 'provider/too-long'],
  ['ProviderAuthError', { message: 'invalid api key' }, 'stop', 'provider/authentication'],
  ['APIError', { message: 'no', statusCode: 429 }, 'retryable', 'provider/rate-limited'],
] as const)('the error %s with %j is a failed call of the class `%s`', async (name, data, sort, code) => {
  const { events } = await importAll(user('Go.'), assistant([], { finish: undefined, error: { name, data } }));
  expect(only(events, 'answer.failed')).toMatchObject({ class: sort, code });
});

test('a compaction that keeps the last messages keeps their part of the history', async () => {
  const kept = user('Keep this.');
  const { events } = await importAll(
    user('Old.'),
    assistant([text('Old answer.'), finish()]),
    kept,
    assistant([text('Kept answer.'), finish()]),
    user([{ type: 'compaction', auto: true, tail_start_id: idOf(kept) }]),
    assistant([text('The summary.'), finish()], { summary: true, mode: 'compaction' }),
    user('Next.'),
    assistant([text('Next answer.'), finish()]),
  );
  const compacted = only(events, 'history.compacted');
  const prompt = pick(events, 'prompt.given').find(({ data }) => JSON.stringify(data).includes('Keep this.'));
  expect(compacted).toMatchObject({ checkpoint: 'The summary.', trigger: 'auto' });
  expect(prompt?.position).toBeGreaterThan(compacted.range.to);
  expect(packed(events)).toContain('user: Keep this.');
  expect(packed(events)).not.toContain('assistant: Old answer.');
});

test('a summary that failed compacts nothing', async () => {
  const error = { name: 'APIError', data: { message: 'no' } };
  const { events } = await importAll(
    user('Old.'),
    assistant([text('Old answer.'), finish()]),
    user([{ type: 'compaction', auto: true }]),
    assistant([text('The sum')], { summary: true, finish: 'error', error }),
  );
  expect(pick(events, 'history.compacted')).toEqual([]);
  expect(packed(events)).toContain('assistant: Old answer.');
});

test('rows of an unknown kind, a part without its message and unknown parts are kept unchanged', async () => {
  const part = { id: 'prt_9', sessionID: 'ses_df00aaaaffe1', messageID: 'msg_9', type: 'text', text: 'lost' };
  const patch = { type: 'patch', hash: 'abc', files: ['a.ts'] };
  const { events } = await importRows([
    session(),
    part,
    { todo: [] },
    ...user('Go.'),
    ...assistant([text('Hi.'), finish(), patch]),
  ]);
  expect(pick(events, 'foreign.recorded').map(({ data }) => [data.record, data.reason])).toEqual(
    expect.arrayContaining([
      [part, 'a part without its message'],
      [{ todo: [] }, 'a row of an unknown kind'],
      [expect.objectContaining(patch), undefined],
    ]),
  );
});

test('a title that the client wrote before it had one gives way to the first prompt', async () => {
  const rows = [session({ title: 'New session - 2026-11-23T12:34:25.509Z' }), ...user('Count the shops.')];
  const { events } = await importRows(rows);
  expect(only(events, 'session.created').title).toBe('Count the shops.');
});

test('the session is recognised without its first row', async () => {
  const { imported } = await importRows([...user('Go.'), ...assistant([text('Done.'), finish()])]);
  expect(imported).toMatchObject({ format: 'opencode', calls: 1 });
});

test.each([
  // Anthropic: all buckets are known, and marks without a lifetime live 5 minutes.
  [
    'anthropic',
    'claude-sonnet-4-5',
    tokens(1, 2, 3),
    { fresh: 1, read: 2, writes: [{ ttl: '5m', tokens: 3 }], answer: 10 },
  ],
  ['anthropic', 'claude-sonnet-4-5', tokens(1, 2, 0), { fresh: 1, read: 2, writes: [], answer: 10 }],
  // Another provider of a model that bills writes: 0 written tokens can also mean that nothing was reported.
  ['openrouter', 'anthropic/claude-sonnet-4.5', tokens(1, 2, 0), { input: 3, read: 2, answer: 10 }],
  ['openrouter', 'anthropic/claude-sonnet-4.5', tokens(1, 2, 3), { fresh: 1, read: 2, written: 3, answer: 10 }],
  // A model that does not bill writes.
  ['openai', 'gpt-5.5', tokens(1, 2, 0, 10, 4), { fresh: 1, read: 2, writes: [], answer: 10, reasoning: 4 }],
] as const)('the counts of %s for %s are in disjoint buckets', (provider, model, counts, usage) => {
  expect(openCodeUsage(JSON.parse(JSON.stringify(counts)), provider, model)).toEqual({ reasoning: 0, ...usage });
});

test('the counted answer is not negative if the total does not fit the counts', () => {
  const torn = { total: 99, input: 10, output: 0, reasoning: 6, cache: { read: 0, write: 0 } };
  expect(openCodeUsage(torn, 'anthropic', 'claude-sonnet-4-5')).toMatchObject({ answer: 0, reasoning: 6 });
});

test('the output of versions without a total includes reasoning, and zeros are unknown', () => {
  const { total: _total, ...older }: Record<string, number> = JSON.parse(JSON.stringify(tokens(1, 2, 3, 10, 4)));
  expect(openCodeUsage(older, 'openai', 'gpt-5.5')).toMatchObject({ answer: 6, reasoning: 4 });
  expect(openCodeUsage(JSON.parse(JSON.stringify(tokens(0, 0, 0, 0))), 'openai', 'gpt-5.5')).toBeUndefined();
});
