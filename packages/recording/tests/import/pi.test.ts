import { describe, expect, it } from 'vitest';
import { assistant, call, entry, header, message, moment, result, text, user } from './pi-rows.ts';
import { fold, importRows, kinds, only, packed, pick } from './import-rows.ts';

const REASONING = { type: 'thinking_level_change', timestamp: moment(1) };

describe('a pi session', () => {
  it('becomes turns, one epoch and answers', async () => {
    const { events, imported } = await importRows([
      header(1, { thinkingLevel: 'off' }),
      user('one'),
      assistant([call('a')]),
      result('a'),
      assistant([text('done')]),
      user('two'),
      assistant([text('again')]),
    ]);
    expect(kinds(events)).toEqual([
      'session.created',
      'turn.started',
      'prompt.given',
      'epoch.opened',
      'answer.received',
      'tool.returned',
      'answer.received',
      'turn.ended',
      'turn.started',
      'prompt.given',
      'answer.received',
      'turn.ended',
    ]);
    expect(imported).toMatchObject({ format: 'pi-1', calls: 3, lines: 7, skipped: [], events: events.length });
    expect(pick(events, 'turn.ended').map((event) => event.data.outcome)).toEqual(['completed', 'completed']);
    expect(only(events, 'epoch.opened')).toMatchObject({
      cause: 'initial',
      parameters: { reasoning: 'off' },
      layers: [],
      tools: [],
    });
  });

  it.each([1, 2, 3] as const)('is recognised as format %i by its header', async (version) => {
    const tree = version === 1 ? {} : { id: 'e1', parentId: null };
    const { events, imported } = await importRows([header(version), { ...user('hello'), ...tree }]);
    expect(imported.format).toBe(`pi-${version}`);
    expect(only(events, 'session.created')).toMatchObject({
      workspace: '/work',
      title: 'hello',
      imported: { format: `pi-${version}`, source: 'test.jsonl', digest: imported.digest },
    });
  });

  it('keeps arguments as the raw text of the file, including key order and numbers', async () => {
    const raw = '{"10":1.0,"9":12345678901234567890,"a":{"z":"\\u0041","b":[1, 2]}}';
    const line = JSON.stringify(assistant([text('{"arguments":{}}'), call('a')])).replace(
      '"arguments":{}}',
      `"arguments":${raw}}`,
    );
    const { events } = await importRows([header(1), user('go'), line, result('a')]);
    const [part] = only(events, 'answer.received').parts.filter((one) => one.type === 'call');
    expect(part).toEqual({ type: 'call', call: 'a', name: 'read', arguments: raw });
  });

  it('counts usage in disjoint buckets, and uses the time of a message as the start of its call', async () => {
    const { events } = await importRows([header(1), user('go'), assistant([text('done')], {}, 9)]);
    expect(only(events, 'answer.received')).toMatchObject({
      usage: { fresh: 3, read: 100, writes: [{ ttl: '5m', tokens: 20 }], answer: 5 },
      startedAt: moment(9),
      stop: 'end',
      stopRaw: 'stop',
      truncated: 'no',
    });
  });

  it('keeps the text and the usage of aborted answers, and all turns and calls', async () => {
    const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const { events, imported } = await importRows([
      header(1),
      user('go'),
      assistant([text('I was'), call('a')], { stopReason: 'aborted', errorMessage: 'Request was aborted' }),
      user('again'),
      assistant([], { stopReason: 'aborted', usage: none, model: 'other' }),
      user('once more'),
      assistant([], { stopReason: 'error', usage: none }),
    ]);
    expect(
      pick(events, 'answer.interrupted').map(({ data }) => [data.by, data.parts.length, data.usage === undefined]),
    ).toEqual([
      ['user', 2, false],
      ['user', 0, true],
      ['transport', 0, true],
    ]);
    expect(pick(events, 'turn.ended').map((event) => event.data.outcome)).toEqual([
      'interrupted',
      'interrupted',
      'failed',
    ]);
    expect(pick(events, 'epoch.opened')).toHaveLength(1);
    expect(imported.calls).toBe(1);
  });

  it('opens an epoch only for a setting that applied to an answer', async () => {
    const { events } = await importRows([
      header(1, { thinkingLevel: 'off' }),
      user('go'),
      assistant([text('one')]),
      { ...REASONING, thinkingLevel: 'high' },
      { ...REASONING, thinkingLevel: 'off' },
      user('go on'),
      assistant([text('two')]),
      { ...REASONING, thinkingLevel: 'low' },
      user('more'),
      assistant([text('three')]),
      user('another model'),
      assistant([text('four')], { model: 'claude-opus-4-5' }),
    ]);
    expect(pick(events, 'epoch.opened').map(({ data }) => [data.number, data.cause])).toEqual([
      [0, 'initial'],
      [1, 'reasoning'],
      [2, 'model'],
    ]);
    expect(pick(events, 'reasoning.changed').map(({ data }) => data.setting)).toEqual(['high', 'off', 'low']);
  });

  it('keeps signed thinking with the item that binds it to its model, and unsigned thinking as text', async () => {
    const item = '{"type":"reasoning","id":"rs_1","encrypted_content":"x"}';
    const { events } = await importRows([
      header(1),
      user('go'),
      assistant([
        { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' },
        { type: 'thinking', thinking: 'plain' },
        text('a'),
      ]),
      assistant([{ type: 'thinking', thinking: '', thinkingSignature: item }, text('b')], {
        api: 'openai-responses',
        provider: 'openai',
      }),
    ]);
    const parts = pick(events, 'answer.received').flatMap(({ data }) =>
      data.parts.filter((part) => part.type === 'reasoning'),
    );
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hm', opaque: '{"type":"thinking","thinking":"hm","signature":"sig"}' },
      { type: 'reasoning', text: 'plain' },
      { type: 'reasoning', text: '', opaque: item },
    ]);
  });

  it('packs bash output and custom messages as notes, at their places in the file', async () => {
    const { events } = await importRows([
      header(3),
      entry('a', null, message('bashExecution', { command: 'ls', output: 'file', exitCode: 0 })),
      entry('b', 'a', message('bashExecution', { command: 'secret', output: 'x', excludeFromContext: true })),
      entry('c', 'b', { type: 'custom_message', customType: 'plan', content: 'be brief', display: true }),
      entry('d', 'c', user('go')),
      entry('e', 'd', assistant([text('done')])),
    ]);
    expect(pick(events, 'context.noted').map(({ data }) => [data.source, data.body])).toEqual([
      ['bash', '$ ls\nfile\n(exit code 0)'],
      ['plan', 'be brief'],
    ]);
    expect(packed(events).map((line) => line.split(':')[0])).toEqual(['user', 'user', 'user', 'assistant']);
    expect(only(events, 'foreign.recorded').record).toMatchObject({ id: 'b' });
  });

  it('keeps records without an event kind unchanged', async () => {
    const label = entry('b', 'a', { type: 'label', targetId: 'a', label: 'here' });
    const strange = entry('c', 'b', { type: 'from_the_future', x: [1, { y: null }] });
    const unfit = entry('d', 'c', { type: 'message', message: 'no object' });
    const { events } = await importRows([header(3), entry('a', null, user('go')), label, strange, unfit, '[1,2]']);
    expect(pick(events, 'foreign.recorded').map(({ data }) => [data.line, data.record, data.reason])).toEqual([
      [3, label, undefined],
      [4, strange, undefined],
      [5, unfit, 'a message entry without a message'],
      [6, [1, 2], 'a record without a type'],
    ]);
  });
});

describe('a pi compaction', () => {
  const rows = (kept: object): object[] => [
    header(3),
    entry('a', null, user('one')),
    entry('b', 'a', assistant([text('first')])),
    entry('c', 'b', user('two')),
    entry('d', 'c', assistant([call('x')])),
    entry('e', 'd', result('x')),
    entry('f', 'e', { type: 'compaction', summary: 'we did one', tokensBefore: 9000, ...kept }),
    entry('g', 'f', user('three')),
    entry('h', 'g', assistant([text('third')])),
  ];

  it('replaces everything before the first kept entry, and the next epoch applies it', async () => {
    const { events } = await importRows(rows({ firstKeptEntryId: 'c' }));
    const second = pick(events, 'turn.started')[1];
    const compacted = only(events, 'history.compacted');
    expect(compacted).toMatchObject({
      strategy: 'recorded',
      checkpoint: 'we did one',
      before: 9000,
      range: { from: 0 },
    });
    expect(compacted.range.to).toBe((second?.position ?? 0) - 1);
    const epochs = pick(events, 'epoch.opened').map(({ data }) => [data.cause, data.checkpoint]);
    expect(epochs).toEqual([
      ['initial', undefined],
      ['compaction', pick(events, 'history.compacted')[0]?.position],
    ]);
    expect(packed(events)).toEqual([
      'user: <checkpoint>\nwe did one\n</checkpoint>',
      'user: two',
      'assistant: call x',
      'user: result x',
      'user: three',
      'assistant: third',
    ]);
  });

  it('never splits a call from its result', async () => {
    const { events } = await importRows(rows({ firstKeptEntryId: 'e' }));
    expect(packed(events).slice(1, 3)).toEqual(['assistant: call x', 'user: result x']);
  });

  it('replaces the whole history if the file does not contain its first kept entry', async () => {
    const { events } = await importRows(rows({ firstKeptEntryId: 'nowhere' }));
    expect(packed(events)).toHaveLength(3);
  });

  it('finds the first kept entry by its index in format 1', async () => {
    const flat = [
      header(1),
      user('one'),
      assistant([text('first')]),
      user('two'),
      assistant([text('second')]),
      { type: 'compaction', timestamp: moment(2), summary: 'short', firstKeptEntryIndex: 3, tokensBefore: 1 },
      user('three'),
      assistant([text('third')]),
    ];
    const { events } = await importRows(flat);
    expect(packed(events).slice(1)).toEqual(['user: two', 'assistant: second', 'user: three', 'assistant: third']);
  });

  it('stays in effect in later epochs', async () => {
    const { events } = await importRows([
      ...rows({ firstKeptEntryId: 'g' }),
      entry('i', 'h', user('four')),
      entry('j', 'i', assistant([text('fourth')], { model: 'claude-opus-4-5' })),
    ]);
    const checkpoints = pick(events, 'epoch.opened').map(({ data }) => data.checkpoint);
    expect(checkpoints[1]).toBeDefined();
    expect(checkpoints[2]).toBe(checkpoints[1]);
    expect(fold(events).problems.length).toBe(0);
  });
});
