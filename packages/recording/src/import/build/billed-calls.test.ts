import { describe, expect, test } from 'vitest';
import type { CallNames } from './billed-calls.ts';
import { callIdentity } from './billed-calls.ts';

const CLAUDE: CallNames = {
  format: 'claude-code',
  response: 'msg_1',
  at: '2026-11-20T12:00:00.000Z',
  provider: 'anthropic',
  model: 'claude-opus-4-6',
  usage: { fresh: 3, read: 100, writes: [{ ttl: '5m', tokens: 30 }], answer: 5 },
  parts: [{ type: 'text', text: 'one' }],
};
const PI: CallNames = { ...CLAUDE, format: 'pi-1', provider: 'compatible' };

describe('the identity of a provider call', () => {
  test('is its id, model and input counts in a transcript of Claude Code, because the rows of one call differ in time, text and output', () => {
    const row: CallNames = {
      ...CLAUDE,
      at: '2026-11-20T12:00:01.000Z',
      parts: [{ type: 'text', text: 'two' }],
      usage: { ...CLAUDE.usage, answer: 9 },
    };
    expect(callIdentity(row)).toBe(callIdentity(CLAUDE));
  });

  test.each<[string, Partial<CallNames>]>([
    ['id', { response: 'msg_2' }],
    ['model', { model: 'claude-sonnet-4-6' }],
    ['number of fresh tokens', { usage: { ...CLAUDE.usage, fresh: 4 } }],
    ['number of tokens read', { usage: { ...CLAUDE.usage, read: 101 } }],
    ['number of tokens written', { usage: { ...CLAUDE.usage, writes: [{ ttl: '5m', tokens: 31 }] } }],
  ])('differs for another %s, in each format', (_, change) => {
    expect(callIdentity({ ...CLAUDE, ...change })).not.toBe(callIdentity(CLAUDE));
    expect(callIdentity({ ...PI, ...change })).not.toBe(callIdentity(PI));
  });

  test.each<[string, Partial<CallNames>]>([
    ['instant', { at: '2026-11-20T12:00:01.000Z' }],
    ['provider', { provider: 'openrouter' }],
    ['output', { usage: { ...CLAUDE.usage, answer: 9 } }],
    ['text', { parts: [{ type: 'text', text: 'two' }] }],
  ])('differs for another %s in a format whose ids can repeat', (_, change) => {
    expect(callIdentity({ ...PI, ...change })).not.toBe(callIdentity(PI));
  });

  test('is `undefined` if no tokens were counted, because such a call is not billed', () => {
    expect(callIdentity({ ...CLAUDE, usage: {} })).toBeUndefined();
    expect(callIdentity({ ...CLAUDE, usage: undefined })).toBeUndefined();
  });
});
