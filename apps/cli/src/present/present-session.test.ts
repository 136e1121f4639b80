// Tests the output that a user sees for a session, event by event.

import type { Gauge } from '@tidemark/context';
import type { SessionEvent } from '@tidemark/kit';
import type { EventData, Kind, Recorded } from '@tidemark/log';
import { callId, chain, digest, money, position, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';

import { createOutput } from '../frame/output.ts';
import type { Presenter } from './present-session.ts';
import { presentSession } from './present-session.ts';

interface Seen {
  readonly out: string;
  readonly err: string;
  readonly presenter: Presenter;
}

function present(events: readonly SessionEvent[], json = false): Seen {
  let out = '';
  let err = '';
  const sink = { terminal: false, colour: false };
  const output = createOutput(
    json,
    { ...sink, write: (text) => void (out += text) },
    { ...sink, write: (text) => void (err += text) },
  );
  const presenter = presentSession(output, 'session-1');
  for (const event of events) presenter.show(event);
  presenter.rest();
  return { out, err, presenter };
}

function recorded<K extends Exclude<Kind, 'unknown'>>(kind: K, data: EventData[K]): SessionEvent {
  const placed = { v: 1, position: position(0), fence: 1, chain: chain('0'.repeat(16)) } as const;
  const record = { kind, at: timestamp('2026-11-21T10:00:00.000Z'), data, ...placed };
  return { type: 'recorded', record: asRecorded(record) };
}

function asRecorded(record: { readonly kind: Kind; readonly data: EventData[Kind] }): Recorded {
  // The signature of `recorded` guarantees that `kind` and `data` match. The union `Recorded` cannot express this for a
  // generic kind.
  return JSON.parse(JSON.stringify(record));
}

const said = (text: string): SessionEvent => ({ type: 'text.delta', text });

function answer(parts: EventData['answer.received']['parts'], stream = 'main'): SessionEvent {
  return recorded('answer.received', {
    step: 0,
    stream,
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    parts,
    stop: 'end',
    truncated: 'no',
    usage: { read: 100, writes: [{ ttl: '5m', tokens: 20 }], fresh: 3, answer: 7 },
  });
}

function gaugeAt(tier: Gauge['tier'], input?: number): SessionEvent {
  const budgets = { reserve: 1_000, hard: 9_000, soft: 8_000, tail: 1_000 };
  const known = input === undefined ? {} : { input, ratio: input / 10_000 };
  return { type: 'status.changed', gauge: { ...budgets, ...known, limit: 10_000, tier, by: 'tokens', bytes: 10 } };
}

const crossed = (tier: EventData['pressure.crossed']['tier'], input: number): SessionEvent =>
  recorded('pressure.crossed', { tier, ratio: input / 10_000, limit: 10_000, input });

test('the advisory tier is reported once, when the log records it, and an unknown gauge is also reported once', () => {
  const steps = [
    gaugeAt('calm', 100),
    crossed('advisory', 7_100),
    gaugeAt('advisory', 7_100),
    gaugeAt('advisory', 7_200),
    gaugeAt('unknown'),
    gaugeAt('advisory', 7_300),
    gaugeAt('calm', 6_900),
    gaugeAt('advisory', 7_400),
    crossed('warning', 8_200),
    gaugeAt('warning', 8_200),
    gaugeAt('unknown'),
  ];
  expect(present(steps).err.split('\n')).toEqual([
    'context: the next request uses about 7,100 of 10,000 tokens (71%), advisory',
    'context: the next request uses an unknown part of 10,000 tokens',
    '',
  ]);
});

test('the advisory tier is not repeated in a later process', () => {
  expect(present([gaugeAt('advisory', 7_200), gaugeAt('advisory', 7_300)]).err).toBe('');
});

test('an answer is streamed on stdout and ends with one newline', () => {
  const seen = present([said('Two '), said('words'), answer([{ type: 'text', text: 'Two words' }])]);
  expect(seen).toMatchObject({ out: 'Two words\n', err: '' });
});

test('an answer that was not streamed is printed', () => {
  expect(present([answer([{ type: 'text', text: 'At once.\n' }])]).out).toBe('At once.\n');
});

test('the text of a side call is not printed, and its tokens are counted', () => {
  const { out, presenter } = present([answer([{ type: 'text', text: 'A title' }], 'side'), answer([])]);
  expect(out).toBe('');
  expect(presenter.tokens).toEqual({ read: 200, written: 40, fresh: 6, output: 14 });
});

test('each tool run is one line on stderr: the call, its result and its duration', () => {
  const call = (id: string, name: string, text: string) =>
    ({ type: 'call', call: callId(id), name, arguments: text }) as const;
  const { out, err } = present([
    said('Looking.'),
    answer([
      call('c1', 'read', '{"path":"src/tax.js"}'),
      call('c2', 'bash', '{"command":"npm test"}'),
      call('c3', 'write', '{"path":"a"}'),
      call('c4', 'grep', '{"pattern":"x"}'),
    ]),
    recorded('tool.returned', { call: callId('c1'), parts: [], durationMs: 12 }),
    recorded('tool.failed', { call: callId('c2'), parts: [], exit: 1, durationMs: 2_300 }),
    recorded('permission.decided', { call: callId('c3'), decision: 'denied', by: 'rule', rule: 'ask/write' }),
    recorded('tool.failed', { call: callId('c3'), parts: [] }),
    recorded('tool.abandoned', { call: callId('c4'), reason: 'interrupted' }),
  ]);
  expect(out).toBe('Looking.\n');
  expect(err).toBe(
    'read src/tax.js: ok, 12 ms\nbash npm test: failed, exit 1, 2.3 s\nwrite a: denied\ngrep x: interrupted\n',
  );
});

test('a call that a hook denied names the hook and the first line of its reason', () => {
  const call = { type: 'call', call: callId('c1'), name: 'write', arguments: '{"path":"a"}' } as const;
  const text = 'The call of "write" (write) was denied by the hook "guard" and did not run: not today\nnor tomorrow';
  const { err } = present([
    answer([call]),
    { type: 'hook.waiting', hook: 'guard', on: 'before-tool', call: callId('c1'), over: false },
    { type: 'hook.waiting', hook: 'guard', on: 'before-tool', call: callId('c1'), over: true },
    recorded('permission.decided', { call: callId('c1'), decision: 'denied', by: 'hook', rule: 'hook/guard' }),
    recorded('tool.failed', { call: callId('c1'), parts: [{ type: 'text', text }] }),
  ]);
  expect(err).toBe('waiting for the hook guard (before-tool)\nwrite a: denied by the hook guard: not today\n');
});

test('the cost of an epoch is printed if it rewrites tokens', () => {
  const opened = (rewrite: number, cost = '0.03') =>
    recorded('epoch.opened', {
      number: 2,
      cause: 'tools',
      provider: 'anthropic',
      model: 'm',
      parameters: {},
      capabilities: digest('0'.repeat(64)),
      contract: 'tm1',
      layers: [],
      tools: [],
      cacheKey: '',
      forecast: { rewrite, cost: money(cost) },
    });
  expect(present([opened(0)]).err).toBe('');
  expect(present([opened(999, '0.0099')]).err).toBe('');
  expect(present([opened(12_480)]).err).toBe('epoch 2 (tools): about 12,480 tokens are written again, $0.0300\n');
});

test('a notice is printed on a separate line, with the next step', () => {
  const notice = { code: 'turn/retrying', message: 'overloaded', next: 'trying again in 2 s' };
  const seen = present([said('half a'), { type: 'notice.raised', notice }]);
  expect(seen).toMatchObject({ out: 'half a\n', err: 'notice: overloaded; trying again in 2 s\n' });
});

test('the next step of a notice about the window names the command instead of the function of the library', () => {
  const notice = {
    code: 'context/pressure',
    message: 'the window is full',
    next: 'See `session.compact({ dryRun: true })`.',
  };
  expect(present([{ type: 'notice.raised', notice }]).err).toBe(
    'notice: the window is full. See what a compaction would free: tidemark compact session-1 --dry-run --json\n',
  );
});

test.each(['permissions/default-mode', 'permissions/no-asker'])(
  'the notice %s, which names options of the library, is not printed',
  (code) => {
    const notice = { code, message: 'the call was denied', next: 'Set `permissions.ask`.' };
    expect(present([{ type: 'notice.raised', notice }])).toMatchObject({ out: '', err: '' });
  },
);

test('text of a model or tool is printed without characters that move the cursor or reorder the screen', () => {
  const evil = '\u001b[2J\u202e';
  const seen = present([
    said(`a${evil}b`),
    answer([{ type: 'call', call: callId('c1'), name: `x${evil}`, arguments: `{"path":"p\\u001b[2J"}` }]),
    recorded('tool.returned', { call: callId('c1'), parts: [] }),
  ]);
  expect(`${seen.out}${seen.err}`).toBe('ab\nx p: ok\n');
});

test('with JSON output, every event is one line, and nothing else is printed', () => {
  const events = [said('hi'), answer([{ type: 'text', text: 'hi' }]), said('more')];
  const { out, err } = present(events, true);
  expect(
    out
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line)),
  ).toEqual(events);
  expect(err).toBe('');
});
