// Tests how `tidemark export` describes incomplete answers. The export names the limit or the interruption that ended
// the answer.

import type { Event } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';

import { ID, recorded, text } from '../../tests/hostile-session.ts';
import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';

const at = timestamp('2026-11-20T12:00:00.000Z');
const call = { step: 0, stream: 'main', provider: 'p', model: 'm', parts: [text('I begin')] } as const;
const whole = { ...call, truncated: 'no', usage: {} } as const;
const prompt: Event = { kind: 'prompt.given', at, data: { parts: [text('Do it')], presenter: 'test' } };

function limited(code: string, message: string): Event {
  return { kind: 'turn.ended', at, data: { outcome: 'limited', error: { code, message, next: '' } } };
}

async function exported(events: readonly Event[], format: string): Promise<string> {
  const store = pretendStore(await recorded(async () => [prompt, ...events]));
  const { exit, out } = await pretendRun(['export', ID, '--format', format], { store });
  expect(exit).toBe(0);
  return out;
}

const CASES: readonly (readonly [name: string, events: readonly Event[], sentence: string])[] = [
  [
    'the output limit',
    [{ kind: 'answer.received', at, data: { ...whole, stop: 'length' } }],
    'The answer was cut at the output limit.',
  ],
  [
    'a full window',
    [{ kind: 'answer.received', at, data: { ...whole, stop: 'window' } }],
    'The answer was cut because the context window was full.',
  ],
  [
    'the time limit of the turn',
    [
      { kind: 'answer.interrupted', at, data: { ...call, by: 'user' } },
      limited('turn/limit-time', 'the turn reached its limit: 300 of 300 ms'),
    ],
    'The answer was cut: the turn reached its limit: 300 of 300 ms.',
  ],
  [
    'the user',
    [
      { kind: 'answer.interrupted', at, data: { ...call, by: 'user' } },
      { kind: 'turn.ended', at, data: { outcome: 'interrupted' } },
    ],
    'The user interrupted the answer.',
  ],
  [
    'the user, in a log without the end of the turn',
    [{ kind: 'answer.interrupted', at, data: { ...call, by: 'user' } }],
    'The user interrupted the answer.',
  ],
  [
    'the connection',
    [{ kind: 'answer.interrupted', at, data: { ...call, by: 'transport' } }],
    'The connection ended before the answer was complete.',
  ],
];

test.each(CASES)(
  'an answer that was cut by %s has one sentence about this in both formats',
  async (_name, events, sentence) => {
    for (const format of ['markdown', 'html']) {
      const out = await exported(events, format);
      expect([format, out.split(sentence).length - 1]).toEqual([format, 1]);
      expect(out.indexOf(sentence)).toBeGreaterThan(out.indexOf('I begin'));
    }
  },
);

test('a complete answer has no such sentence, and a limit that ends the next turn is not its limit', async () => {
  const events: readonly Event[] = [
    { kind: 'answer.interrupted', at, data: { ...call, by: 'user' } },
    prompt,
    { kind: 'answer.received', at, data: { ...whole, step: 1, stop: 'end' } },
    limited('turn/limit-steps', 'the turn reached its limit: 1 of 1 steps'),
  ];
  const out = await exported(events, 'markdown');
  expect(out).toContain('*The user interrupted the answer.*');
  expect(out).not.toContain('was cut');
  expect(out).toContain('*The turn ended with the outcome limited: the turn reached its limit: 1 of 1 steps.*');
});
