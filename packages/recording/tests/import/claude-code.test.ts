import { describe, expect, it } from 'vitest';
import { answer, progress, prompt, row, say, toolResult, use } from './claude-rows.ts';
import { collect, fold, importRows, kinds, only, packed, pick } from './import-rows.ts';

const thinking = { type: 'thinking', thinking: 'hm', signature: '[REDACTED_SIGNATURE]' };

describe('an answer of Claude Code', () => {
  it('is merged from its rows, and results between these rows are placed after the answer', async () => {
    const { events, imported } = await importRows([
      prompt('p', null, 'go'),
      answer('a1', 'p', 'm1', say('\n\n')),
      answer('a2', 'a1', 'm1', thinking),
      answer('a3', 'a2', 'm1', use('x')),
      progress('g1', 'a3'),
      toolResult('r1', 'a3', 'x'),
      answer('a4', 'g1', 'm1', use('y'), { stop_reason: 'tool_use', usage: { input_tokens: 1, output_tokens: 9 } }),
      toolResult('r2', 'a4', 'y', { is_error: true }),
      answer('b1', 'r2', 'm2', say('done'), { stop_reason: 'end_turn' }),
    ]);
    expect(kinds(events).slice(3)).toEqual([
      'epoch.opened',
      'answer.received',
      'tool.returned',
      'tool.failed',
      'answer.received',
      'turn.ended',
    ]);
    const [first, second] = pick(events, 'answer.received').map(({ data }) => data);
    expect([first?.contract, second?.contract]).toEqual(['recorded', 'recorded']);
    expect(first?.parts.map((part) => part.type)).toEqual(['text', 'reasoning', 'call', 'call']);
    expect(first).toMatchObject({
      usage: { fresh: 1, answer: 9 },
      stop: 'calls',
      stopRaw: 'tool_use',
      response: 'm1',
      step: 0,
    });
    expect(second).toMatchObject({ step: 1, stop: 'end', truncated: 'no' });
    expect(imported).toMatchObject({ format: 'claude-code', calls: 2 });
  });

  it('keeps signed thinking and call arguments as the raw text of the file', async () => {
    const line = JSON.stringify(answer('a1', 'p', 'm1', use('x'))).replace(
      '"input":{}',
      '"input":{"10":1.0,"9":"\\u00e9"}',
    );
    const signed = JSON.stringify(answer('a2', 'a1', 'm1', thinking)).replace('"hm"', '"h\\u006d"');
    const { events } = await importRows([prompt('p', null, 'go'), line, signed]);
    expect(only(events, 'answer.received').parts).toEqual([
      { type: 'call', call: 'x', name: 'Read', arguments: '{"10":1.0,"9":"\\u00e9"}' },
      {
        type: 'reasoning',
        text: 'hm',
        opaque: '{"type":"thinking","thinking":"h\\u006d","signature":"[REDACTED_SIGNATURE]"}',
      },
    ]);
  });

  it('counts written tokens by lifetime', async () => {
    const { events } = await importRows([prompt('p', null, 'go'), answer('a1', 'p', 'm1', say('done'))]);
    expect(only(events, 'answer.received').usage).toEqual({
      fresh: 3,
      read: 100,
      writes: [
        { ttl: '1h', tokens: 20 },
        { ttl: '5m', tokens: 10 },
      ],
      answer: 5,
    });
  });

  it("keeps the provider's diagnosis of a cache miss, and no diagnosis for `null`, which also means that none was asked for", async () => {
    const diagnosed = async (diagnostics: unknown): Promise<unknown> => {
      const { events } = await importRows([
        prompt('p', null, 'go'),
        answer('a', 'p', 'm', say('yes'), { diagnostics }),
      ]);
      return only(events, 'answer.received').diagnosis;
    };
    const because = (type: string, fields: object = {}): object => ({ cache_miss_reason: { type, ...fields } });
    expect(await diagnosed(because('tools_changed', { cache_missed_input_tokens: 12_345 }))).toEqual({
      found: 'miss',
      reason: 'tools_changed',
      missed: 12_345,
    });
    expect(await diagnosed(because('messages_changed', { cache_missed_input_tokens: -1 }))).toEqual({
      found: 'miss',
      reason: 'messages_changed',
    });
    expect(await diagnosed(because('previous_message_not_found'))).toEqual({ found: 'unknown-response' });
    expect(await diagnosed(because('unavailable'))).toEqual({ found: 'unavailable' });
    for (const nothing of [null, undefined, 'text', {}, { cache_miss_reason: null }, { cache_miss_reason: 7 }])
      expect(await diagnosed(nothing)).toBeUndefined();
  });

  it('starts at the time of the row before its first row, and its event has the time of its last row', async () => {
    const rows = [
      prompt('p', null, 'go'),
      progress('g', 'p'),
      answer('a1', 'g', 'm1', say('a')),
      answer('a2', 'a1', 'm1', say('b')),
    ];
    const { events } = await importRows(rows);
    const [received] = pick(events, 'answer.received');
    expect(received?.data.startedAt).toBe(Reflect.get(rows[1] ?? {}, 'timestamp'));
    expect(received?.at).toBe(Reflect.get(rows[3] ?? {}, 'timestamp'));
  });

  it('that failed becomes a failed call with the right class and code', async () => {
    const failed = (uuid: string, parent: string, text: string): object => ({
      ...answer(uuid, parent, uuid, say(text), { model: '<synthetic>' }),
      isApiErrorMessage: true,
    });
    const { events } = await importRows([
      prompt('p', null, 'go'),
      failed('e1', 'p', 'API Error: 529 {"type":"overloaded_error"}'),
      failed('e2', 'e1', 'Prompt is too long'),
      answer('s', 'e2', 's', say('No response requested.'), { model: '<synthetic>' }),
    ]);
    expect(pick(events, 'answer.failed').map(({ data }) => [data.class, data.code])).toEqual([
      ['retryable', 'provider/overloaded'],
      ['compaction', 'provider/too-long'],
    ]);
    expect(only(events, 'foreign.recorded').reason).toBe('not written by a model');
    expect(pick(events, 'epoch.opened')).toEqual([]);
  });
});

describe('a turn of Claude Code', () => {
  it('ends as interrupted if the user stopped it', async () => {
    const { events } = await importRows([
      prompt('p', null, 'go'),
      answer('a1', 'p', 'm1', use('x')),
      toolResult('r1', 'a1', 'x', { is_error: true }),
      prompt('i', 'r1', [say('[Request interrupted by user for tool use]')]),
      prompt('q', 'i', 'something else'),
      answer('b1', 'q', 'm2', say('yes')),
    ]);
    expect(pick(events, 'turn.ended').map((event) => event.data.outcome)).toEqual(['interrupted', 'completed']);
    expect(pick(events, 'turn.started')).toHaveLength(2);
    expect(packed(events)).toContain('user: [Request interrupted by user for tool use]');
  });

  it('continues when a prompt is typed while it runs', async () => {
    const queued = {
      type: 'attachment',
      attachment: { type: 'queued_command', prompt: 'and hurry', commandMode: 'prompt' },
    };
    const { events } = await importRows([
      prompt('p', null, 'go'),
      answer('a1', 'p', 'm1', use('x')),
      toolResult('r1', 'a1', 'x'),
      row('q', 'r1', queued),
      answer('b1', 'q', 'm2', say('done')),
    ]);
    expect(pick(events, 'prompt.given').map(({ data }) => data.steer)).toEqual([undefined, true]);
    expect(pick(events, 'turn.started')).toHaveLength(1);
    expect(packed(events)).toEqual([
      'user: go',
      'assistant: call x',
      'user: result x',
      'user: and hurry',
      'assistant: done',
    ]);
  });

  const NEWS = '<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>\nRead it.';
  const waited = {
    type: 'attachment',
    attachment: { type: 'queued_command', prompt: NEWS, commandMode: 'task-notification' },
  };
  it('starts with a notification if a background task ended after the previous turn', async () => {
    const { events } = await importRows([
      prompt('p', null, 'go'),
      answer('a1', 'p', 'm1', say('it runs')),
      prompt('n', 'a1', [say(NEWS)]),
      answer('b1', 'n', 'm2', use('x')),
      toolResult('r1', 'b1', 'x'),
      row('w', 'r1', waited),
      answer('c1', 'w', 'm3', say('done')),
      prompt('q', 'c1', 'What is <task-notification>?'),
      answer('d1', 'q', 'm4', say('this')),
    ]);
    expect(pick(events, 'turn.started').map(({ data }) => data.trigger)).toEqual(['user', 'notification', 'user']);
    const notification = { source: 'claude-code', provenance: 'background task', body: NEWS };
    expect(pick(events, 'notification.received').map(({ data }) => data)).toEqual([notification, notification]);
    expect(pick(events, 'prompt.given').map(({ data }) => data.parts)).toEqual([
      [{ type: 'text', text: 'go' }],
      [{ type: 'text', text: 'What is <task-notification>?' }],
    ]);
    expect(packed(events)).toContain(
      `user: <notification source="claude-code" from="background task">\n${NEWS}\n</notification>`,
    );
  });

  it('has a note for text that Claude Code itself wrote as a user message', async () => {
    const { events } = await importRows([
      prompt('n', null, 'Caveat: ...', { isMeta: true }),
      prompt('p', 'n', 'go'),
      answer('a1', 'p', 'm1', say('done')),
    ]);
    expect(only(events, 'context.noted')).toMatchObject({ source: 'claude-code', body: 'Caveat: ...', urgent: true });
    expect(pick(events, 'prompt.given')).toHaveLength(1);
  });

  it('records the thinking budget in the epoch, and each change of the budget', async () => {
    const budget = (maxThinkingTokens: number): object => ({ thinkingMetadata: { maxThinkingTokens } });
    const { events } = await importRows([
      prompt('p', null, 'go', budget(31999)),
      answer('a1', 'p', 'm1', say('one')),
      prompt('q', 'a1', 'go on'),
      answer('b1', 'q', 'm2', say('two')),
      prompt('s', 'b1', 'think', budget(1024)),
      answer('c1', 's', 'm3', say('three')),
    ]);
    expect(pick(events, 'epoch.opened').map(({ data }) => [data.cause, data.parameters['reasoning']])).toEqual([
      ['initial', '31999'],
      ['reasoning', '1024'],
    ]);
    expect(only(events, 'reasoning.changed').setting).toBe('1024');
  });
});

describe('a compaction of Claude Code', () => {
  const boundary = (metadata: object = {}): object =>
    row('cb', null, {
      type: 'system',
      subtype: 'compact_boundary',
      logicalParentUuid: 'a1',
      compactMetadata: { trigger: 'auto', preTokens: 9, ...metadata },
    });
  const before = (): object[] => [
    prompt('p', null, 'go'),
    answer('a0', 'p', 'm0', say('zero')),
    prompt('p1', 'a0', 'more'),
    answer('a1', 'p1', 'm1', say('one')),
  ];
  const summary = (parent: string | null): object =>
    prompt('cs', parent, 'we did one', { isCompactSummary: true, isVisibleInTranscriptOnly: true });

  it('replaces the whole history before it', async () => {
    const { events } = await importRows([...before(), boundary(), summary('cb'), answer('b1', 'cs', 'm2', say('two'))]);
    const [compacted] = pick(events, 'history.compacted');
    expect(compacted?.data).toMatchObject({
      trigger: 'auto',
      before: 9,
      checkpoint: 'we did one',
      strategy: 'recorded',
    });
    expect(compacted?.data.range).toEqual({ from: 0, to: (compacted?.position ?? 0) - 1 });
    expect(packed(events)).toEqual(['user: <checkpoint>\nwe did one\n</checkpoint>', 'assistant: two']);
    expect(pick(events, 'foreign.recorded')).toEqual([]);
  });

  it('is recognized by its summary alone, because older versions write no boundary row', async () => {
    const { events } = await importRows([
      ...before(),
      summary(null),
      prompt('q', 'cs', 'next'),
      answer('b1', 'q', 'm2', say('two')),
    ]);
    expect(only(events, 'history.compacted').trigger).toBe('recorded');
    expect(packed(events)).toHaveLength(3);
  });

  it.each([
    { preservedSegment: { headUuid: 'p1', anchorUuid: 'cs', tailUuid: 'a1' } },
    { preservedMessages: { anchorUuid: 'cs', uuids: ['p1', 'a1'] } },
  ])(
    'keeps the segment that newer versions keep, and the session continues after the segment without a fork: %j',
    async (kept) => {
      const { events, imported } = await importRows([
        ...before(),
        boundary(kept),
        summary('cb'),
        prompt('q', 'a1', 'next'),
        answer('b1', 'q', 'm2', say('two')),
      ]);
      expect(imported.sessions).toHaveLength(1);
      expect(packed(events).slice(1)).toEqual(['user: more', 'assistant: one', 'user: next', 'assistant: two']);
    },
  );

  it('without a summary changes nothing and is kept as a foreign record', async () => {
    const { events } = await importRows([
      ...before(),
      boundary(),
      prompt('q', 'cb', 'next'),
      answer('b1', 'q', 'm2', say('two')),
    ]);
    expect(pick(events, 'history.compacted')).toEqual([]);
    expect(only(events, 'foreign.recorded').reason).toBe('a boundary without a summary');
    expect(fold(events).problems.length).toBe(0);
  });
});

describe('the history of an import', () => {
  it('closes every call exactly once, even if the file contains no result of the call', async () => {
    const { events } = await importRows([
      prompt('p', null, 'go'),
      answer('a1', 'p', 'm1', use('x')),
      answer('a2', 'a1', 'm1', use('y')),
      toolResult('r1', 'a1', 'x'),
      toolResult('r2', 'a1', 'x'),
      prompt('q', 'r2', 'go on'),
      answer('b1', 'q', 'm2', use('z')),
      toolResult('r3', 'b1', 'never called'),
    ]);
    expect(pick(events, 'tool.abandoned').map(({ data }) => [data.call, data.reason])).toEqual([
      ['y', 'interrupted'],
      ['z', 'crashed'],
    ]);
    expect(pick(events, 'foreign.recorded').map(({ data }) => data.reason)).toEqual([
      'second result of call x',
      'result without its call never called',
    ]);
    expect(fold(events).problems.length).toBe(0);
    expect(fold(events).history.batch).toBeUndefined();
  });

  it('closes a call with its result, even if the result comes after the next prompt', async () => {
    const { events } = await importRows([
      prompt('p', null, 'go'),
      answer('a1', 'p', 'm1', use('x')),
      prompt('q', 'a1', 'wait'),
      toolResult('r1', 'a1', 'x'),
      answer('b1', 'r1', 'm2', say('done')),
    ]);
    expect(pick(events, 'tool.abandoned')).toEqual([]);
    expect(packed(events)).toEqual([
      'user: go',
      'assistant: call x',
      'user: result x',
      'user: wait',
      'assistant: done',
    ]);
  });

  it('stores an image once and outside the log, with its size in pixels', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000002000000030802000000', 'hex');
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } };
    const { events, store } = await importRows([
      prompt('p', null, [say('look'), image]),
      answer('a1', 'p', 'm1', use('x')),
      toolResult('r1', 'a1', 'x', { content: [image] }),
    ]);
    const [, part] = only(events, 'prompt.given').parts;
    expect(part).toMatchObject({ type: 'image', mediaType: 'image/png', bytes: png.length, width: 2, height: 3 });
    expect(only(events, 'tool.returned').parts).toEqual([part]);
    if (part?.type !== 'image') throw new Error('no image');
    expect(Buffer.concat(await collect(store.artifacts.get(part.artifact)))).toEqual(png);
  });

  it('keeps rows without an event kind, and second copies of rows, as foreign records', async () => {
    const snapshot = { type: 'file-history-snapshot', messageId: 'p', snapshot: {} };
    const first = prompt('p', null, 'go');
    const { events } = await importRows([snapshot, first, first, answer('a1', 'p', 'm1', say('done'))]);
    expect(pick(events, 'foreign.recorded').map(({ data }) => [data.line, data.record, data.reason])).toEqual([
      [1, snapshot, undefined],
      [3, first, 'a second copy of a record'],
    ]);
  });
});
