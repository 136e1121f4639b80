// Tests the conversation: the blocks after the events of a session, as they are drawn without colours.

import { callId, digest, money, position, sessionId } from '@tidemark/log';
import type { EpochOpened, Recorded } from '@tidemark/log';
import { describe, expect, test } from 'vitest';

import { answer, call, createRecords } from '../../../tests/terminal-scene.ts';
import { blockLines } from '../drawing/block-lines.ts';
import { rowsOf } from '../drawing/rows.ts';
import type { Conversation } from './conversation.ts';
import { EMPTY_CONVERSATION, foldEvent, foldRecord, withoutLive } from './conversation.ts';

const text = (words: string): { readonly type: 'text'; readonly text: string } => ({ type: 'text', text: words });

function after(...records: readonly Recorded[]): Conversation {
  return records.reduce(foldRecord, EMPTY_CONVERSATION);
}

function drawn({ blocks }: Conversation, columns = 80): readonly string[] {
  return rowsOf(
    blocks.from(0).flatMap((block) => blockLines(block, { columns })),
    columns,
    false,
  );
}

/** Returns the rows after one call with this result. */
function drawnCall(tool: string, input: object, result: string, { failed = false, exit = 0 } = {}): readonly string[] {
  const { record } = createRecords();
  return drawn(
    after(
      record('answer.received', answer(call('c1', tool, input))),
      record('tool.started', { call: callId('c1'), name: tool, effect: 'write' }),
      record(failed ? 'tool.failed' : 'tool.returned', {
        call: callId('c1'),
        parts: [text(result)],
        durationMs: 1_200,
        exit,
      }),
    ),
  );
}

describe('reasoning', () => {
  const { record } = createRecords();
  const parts = [
    { type: 'reasoning', opaque: '{}', text: 'one\ntwo' },
    { type: 'text', text: 'So.' },
  ] as const;
  const reasoned = record('answer.received', { ...answer(...parts), usage: { reasoning: 340 } });

  test('becomes one line with its time and its tokens', () => {
    const delta = { type: 'reasoning.delta', text: 'one' } as const;
    const thinking = foldEvent(foldEvent(EMPTY_CONVERSATION, delta, 1_000), delta, 13_200);
    expect(drawn(foldRecord(thinking, reasoned))).toEqual([
      '',
      'thought for 12 s, 340 tokens; Ctrl-O opens',
      '',
      'So.',
    ]);
  });

  test('has no time if no terminal saw it arrive, and its lines if its tokens are unknown', () => {
    expect(drawn(after(reasoned))[1]).toBe('thought, 340 tokens; Ctrl-O opens');
    expect(drawn(after(record('answer.received', answer(...parts))))[1]).toBe('thought, 2 lines; Ctrl-O opens');
  });
});

describe('calls', () => {
  test('an edit shows the diff of its result', () => {
    const result =
      'edited src/tax.js at line 1\n@@ -1,2 +1,2 @@\n-const rate = 0.2;\n+const rate = 0.19;\n export { rate };';
    expect(drawnCall('edit', { path: 'src/tax.js', old_text: '0.2', new_text: '0.19' }, result)).toEqual([
      '✓ edit src/tax.js  1.2 s',
      '  @@ -1,2 +1,2 @@',
      '  -const rate = 0.2;',
      '  +const rate = 0.19;',
      '   export { rate };',
    ]);
  });

  test.each([
    ['read', { path: 'a.ts' }, 'one\ntwo\nthree\n', 'read a.ts  3 lines, 1.2 s'],
    [
      'read',
      { path: 'a.ts' },
      'x\n[lines 1-2000 of 5310; read on with offset 2001]',
      'read a.ts  lines 1-2000 of 5310, 1.2 s',
    ],
    ['read', { path: 'a.ts' }, 'x\ny\n[lines end in CRLF, which `edit` and `write` keep]', 'read a.ts  2 lines, 1.2 s'],
    ['read', { path: 'a.ts' }, '[a.ts is empty]', 'read a.ts  empty, 1.2 s'],
    [
      'grep',
      { pattern: 'x', path: 'src' },
      '[3 lines in 2 files]\n\na.ts\n1:x',
      'grep x in src  3 lines in 2 files, 1.2 s',
    ],
    ['grep', { pattern: 'x' }, '[no line matches in the workspace]', 'grep x  no match, 1.2 s'],
    [
      'find',
      { glob: '*.ts' },
      '[at least 10000 files, the first 200 are shown: use a narrower glob]\na.ts',
      'find *.ts  at least 10000 files, 1.2 s',
    ],
    ['ls', { path: 'src' }, 'a.ts\nb/\n', 'ls src  2 entries, 1.2 s'],
    [
      'fetch',
      { url: 'https://a.example/' },
      '[untrusted content of https://a.example/; status 200; text/html]\n1234',
      'fetch https://a.example/  status 200, 4 characters, 1.2 s',
    ],
    [
      'web_search',
      { query: 'q' },
      '[untrusted results of b]\n1. A\n   https://a\n2. B\n   https://b',
      'web_search q  2 results, 1.2 s',
    ],
  ])('the line of a call of %s with %o names what came of it', (tool, input, result, line) => {
    expect(drawnCall(tool, input, result)).toEqual([`✓ ${line}`]);
  });

  describe('calls of one answer that end in another order', () => {
    const { record } = createRecords();
    const answered = record(
      'answer.received',
      answer(call('c1', 'ls', {}), call('c2', 'ls', {}), call('c3', 'ls', {})),
    );
    const end = (id: string, words: string): Recorded =>
      record('tool.returned', { call: callId(id), parts: [text(words)], durationMs: 1_000 });
    const [second, third] = [end('c2', 'a\nb'), end('c3', 'a\nb\nc')];

    test('are printed in the order of the answer', () => {
      const waiting = after(answered, third, second);
      expect(drawn(waiting)).toEqual([]);
      expect(waiting.live.calls.map(({ ended }) => ended?.fact)).toEqual([undefined, '2 entries', '3 entries']);
      const over = foldRecord(waiting, end('c1', 'a'));
      const rows = ['✓ ls  1 entry, 1.0 s', '✓ ls  2 entries, 1.0 s', '✓ ls  3 entries, 1.0 s'];
      expect(drawn(over)).toEqual(rows);
      expect(over.live.calls).toEqual([]);
    });

    test('are printed when the turn ends before an earlier call', () => {
      const over = foldRecord(after(answered, second), record('turn.ended', { outcome: 'interrupted' }));
      expect(drawn(over)[0]).toBe('✓ ls  2 entries, 1.0 s');
      expect(drawn(withoutLive(after(answered, second)))).toEqual(['✓ ls  2 entries, 1.0 s']);
    });
  });

  test('a new file shows its content as added lines, and a long diff is cut', () => {
    const content = `${Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n')}\n`;
    const rows = drawnCall('write', { path: 'a.txt', content }, 'created a.txt: 792 bytes, 100 lines');
    expect(rows.slice(0, 3)).toEqual(['✓ write a.txt  1.2 s', '  @@ -0,0 +1,100 @@', '  +line 1']);
    expect(rows).toHaveLength(41);
    expect(rows.at(-1)).toBe('  … 62 more lines, Ctrl-O shows all');
    const wide = drawnCall('write', { path: 'a.js', content: 'x'.repeat(100_000) }, 'created a.js: 100000 bytes');
    expect([wide.length < 40, wide.at(-1)?.endsWith('x…')]).toEqual([true, true]);
  });

  test('a failed call shows the first lines of its error, and a failed command the last lines of its output', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const failed = drawnCall('read', { path: 'a' }, lines.join('\n'), { failed: true });
    expect([failed[0], failed[1], failed.at(-1)]).toEqual([
      '✗ read a  failed, 1.2 s',
      '  line 1',
      '  … 12 more lines, Ctrl-O shows all',
    ]);
    const output = `${lines.join('\n')}\n[exit 1]`;
    const command = drawnCall('bash', { command: 'npm test' }, output, { failed: true, exit: 1 });
    expect([command[0], command[1], command.at(-1)]).toEqual([
      '✗ bash npm test  exit 1, 1.2 s',
      '  … 12 more lines, Ctrl-O shows all',
      '  line 20',
    ]);
  });

  test('an interrupted command is shown as interrupted, with the end of its output', () => {
    const end = '[ended by SIGTERM, exit 143]\n[interrupted: the command and all processes that it started were ended]';
    expect(drawnCall('bash', { command: 'npm test' }, `ran 1\nran 2\n${end}`, { failed: true, exit: 143 })).toEqual([
      '✗ bash npm test  interrupted, 1.2 s',
      '  ran 1',
      '  ran 2',
    ]);
    const forged = drawnCall('bash', { command: 'a' }, '[interrupted: x]\nfailed\n[exit 1]', { failed: true, exit: 1 });
    expect(forged[0]).toBe('✗ bash a  exit 1, 1.2 s');
  });

  test('a successful command shows the last lines of its output, and a denied call no error', () => {
    expect(drawnCall('bash', { command: 'ls' }, 'a\nb\nc\nd\ne\n[exit 0]', { exit: 0 })).toEqual([
      '✓ bash ls  1.2 s',
      '  … 2 more lines, Ctrl-O shows all',
      '  c',
      '  d',
      '  e',
    ]);
    expect(drawnCall('bash', { command: 'true' }, '[exit 0]', { exit: 0 })).toEqual(['✓ bash true  1.2 s']);
    const { record } = createRecords();
    const denied = after(
      record('answer.received', answer(call('c1', 'bash', { command: 'rm x' }))),
      record('permission.decided', { call: callId('c1'), decision: 'denied', by: 'person' }),
      record('tool.failed', { call: callId('c1'), parts: [text('denied by the user')] }),
    );
    expect(drawn(denied)).toEqual(['✗ bash rm x  denied']);
  });

  test('a call that a hook denied shows the name of the hook and its reason', () => {
    const { record } = createRecords();
    const words = 'The call of "bash" (execute) was denied by the hook "guard" and did not run: not\non a Friday';
    const denied = after(
      record('answer.received', answer(call('c1', 'bash', { command: 'rm x' }))),
      record('permission.decided', { call: callId('c1'), decision: 'denied', by: 'hook', rule: 'hook/guard' }),
      record('tool.failed', { call: callId('c1'), parts: [text(words)] }),
    );
    expect(drawn(denied)).toEqual(['✗ bash rm x  denied by the hook guard', '  not', '  on a Friday']);
  });

  test('a plan shows its open tasks and the tasks that it changes', () => {
    const { record } = createRecords();
    const plan = (id: string, tasks: readonly object[]): readonly Recorded[] => [
      record('answer.received', answer(call(id, 'plan', { tasks }))),
      record('tool.returned', { call: callId(id), parts: [text('planned')] }),
    ];
    const conversation = after(
      ...plan('p1', [
        { task: 'read the code', status: 'active' },
        { task: 'write the test', status: 'open' },
        { task: 'a wrong idea', status: 'dropped' },
      ]),
      ...plan('p2', [{ task: 'read the code', status: 'done' }]),
    );
    expect(drawn(conversation)).toEqual([
      '✓ plan',
      '  ● read the code',
      '  ○ write the test',
      '  ✗ a wrong idea (dropped)',
      '✓ plan',
      '  ✓ read the code',
      '  ○ write the test',
    ]);
  });

  test.each(['not json', '[]', '{"tasks":[{"task":1,"status":"open"},{"task":"x","status":"constructor"},null]}'])(
    'a plan with the arguments %s shows no task',
    (input) => {
      const { record } = createRecords();
      const part = { type: 'call', call: callId('p'), name: 'plan', arguments: input } as const;
      const conversation = after(
        record('answer.received', answer(part)),
        record('tool.returned', { call: callId('p'), parts: [text('planned')] }),
      );
      expect(drawn(conversation).filter((row) => row.startsWith('  '))).toEqual([]);
    },
  );
});

describe('turns', () => {
  test('the end of a turn counts the calls of the model, and those that ran', () => {
    const { record } = createRecords();
    const ended = (calls: number): string => {
      const conversation = after(
        record('turn.started', { trigger: 'user' }),
        record('answer.received', answer(call('c1', 'read', { path: 'a' }), call('c2', 'edit', { path: 1 }))),
        record('turn.ended', { outcome: 'completed', totals: { steps: 1, calls } }),
      );
      return drawn(conversation, 200).at(-1) ?? '';
    };
    expect(ended(1)).toContain('1 step, 1 of 2 tool calls ran');
    expect(ended(2)).toContain('1 step, 2 tool calls;');
  });

  test('the end of a turn shows its time, tokens, cost and subagents in one line', () => {
    const { record } = createRecords();
    const conversation = after(
      record('turn.started', { trigger: 'user' }, '2026-11-20T12:00:00.000Z'),
      record('subagent.started', { child: sessionId('child'), role: 'reviewer', task: 'review' }),
      record('subagent.ended', { child: sessionId('child'), status: 'completed', summary: '', cost: '0.005' }),
      record('answer.received', {
        ...answer(text('Done.')),
        usage: { fresh: 4, read: 1_200, writes: [], answer: 85, reasoning: 0, input: 1_204 },
      }),
      record(
        'turn.ended',
        { outcome: 'completed', totals: { steps: 1, calls: 0, cost: money('0.0123') } },
        '2026-11-20T12:00:12.000Z',
      ),
    );
    expect(drawn(conversation, 200)).toEqual([
      'subagent reviewer: started · review',
      'subagent reviewer: completed, $0.00500 · review',
      '',
      'Done.',
      'completed in 12.0 s: 1 step, 0 tool calls; tokens: 1,200 read, 0 written, 4 fresh, 85 out; $0.0123, $0.00500 of it for 1 subagent',
    ]);
  });

  test('a failed turn shows its error with the next step, and removes the live part', () => {
    const { record } = createRecords();
    const error = { code: 'x', message: 'the provider is busy', next: 'try again later' };
    const live = foldEvent(EMPTY_CONVERSATION, { type: 'text.delta', text: 'half' });
    const conversation = foldRecord(live, record('turn.ended', { outcome: 'failed', error }));
    expect(drawn(conversation)).toEqual(['error: the provider is busy', 'next: try again later', 'failed']);
    expect(conversation.live.answer).toBe('');
  });
});

describe('epochs, compactions and notices', () => {
  test('a mode is shown when it changes, and not at the beginning of the session', () => {
    const { record } = createRecords();
    const conversation = after(
      record('mode.changed', { mode: 'ask', by: 'settings' }),
      record('mode.changed', { mode: 'auto', by: 'user' }),
      record('mode.changed', { mode: 'auto', by: 'settings' }),
    );
    expect(drawn(conversation)).toEqual(['mode: auto']);
  });

  const epoch = (model: string, rewrite: number, cost = '0.0429'): EpochOpened => ({
    number: 2,
    cause: 'model',
    provider: 'scripted',
    model,
    parameters: {},
    capabilities: digest('a'.repeat(64)),
    contract: 'tm3',
    layers: [],
    tools: [],
    cacheKey: '',
    forecast: { rewrite, cost: money(cost) },
  });

  test('an epoch shows a new model, and the tokens and price of what is written again', () => {
    const { record } = createRecords();
    const conversation = after(
      record('epoch.opened', epoch('small-1', 0)),
      record('epoch.opened', epoch('large-1', 12_480)),
    );
    expect(drawn(conversation)).toEqual([
      'model: large-1 (scripted)',
      'epoch 2 (model): about 12,480 tokens are written again, $0.0429',
    ]);
  });

  test('an epoch that writes few tokens again, at a low price, shows nothing', () => {
    const { record } = createRecords();
    const lines = (rewrite: number, cost: string): readonly string[] =>
      drawn(after(record('epoch.opened', epoch('m', rewrite, cost))));
    expect(lines(2, '0.00001')).toEqual([]);
    expect(lines(999, '0.0099')).toEqual([]);
    expect(lines(1_000, '0.0025')).toHaveLength(1);
    expect(lines(999, '0.01')).toHaveLength(1);
  });

  test('an epoch whose price a notice has reported shows no second line, until the next request is prepared', () => {
    const { record } = createRecords();
    const notice = { code: 'turn/rewrite', message: 'the next request costs $0.04', next: '' };
    const noticed = foldEvent(EMPTY_CONVERSATION, { type: 'notice.raised', notice });
    expect(drawn(foldRecord(noticed, record('epoch.opened', epoch('m', 12_480))))).toEqual([
      'notice: the next request costs $0.04',
    ]);
  });

  test('a notice names the command of the terminal in place of a function', () => {
    const notice = { code: 'context/pressure', message: 'the window is 81% full', next: 'call `compact()`' };
    const conversation = foldEvent(EMPTY_CONVERSATION, { type: 'notice.raised', notice });
    expect(drawn(conversation)).toEqual([
      'notice: the window is 81% full; `/compact` shows what a compaction would free',
    ]);
  });

  test('a refused compaction shows its reason in words', () => {
    const { record } = createRecords();
    const refused = { trigger: 'manual', reason: 'nothing-new', sizes: {} };
    expect(drawn(after(record('compaction.refused', refused)), 200)).toEqual([
      'not compacted: a checkpoint of the same history already waits for the next request',
    ]);
  });

  test('a compaction shows the replaced records and the sizes', () => {
    const { record } = createRecords();
    const conversation = after(
      record('history.compacted', {
        range: { from: position(4), to: position(57) },
        strategy: 'model-assisted',
        trigger: 'user',
        checkpoint: '…',
        limitations: [],
        before: 81_000,
        after: 9_000,
      }),
    );
    expect(drawn(conversation, 200)).toEqual([
      'compacted: a checkpoint replaces the records 4 to 57 (model-assisted), about 81,000 tokens before and 9,000 after; Ctrl-T shows them',
    ]);
  });
});
