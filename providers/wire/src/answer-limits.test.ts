import type { StreamPart } from '@tidemark/model';
import { describe, expect, it } from 'vitest';
import { createPartMeter } from './answer-limits.ts';

const SERVICE = { name: 'somebody', title: 'Somebody' };
const LIMITS = { answerBytes: 1_000, eventBytes: 1_000, events: 1_000, characters: 100 };
const OVERSIZED = expect.objectContaining({ class: 'refused', code: 'provider/oversized' });
const word = 'a'.repeat(60);

describe('a part meter', () => {
  it.each<readonly [string, (index: number) => StreamPart]>([
    ['text', (index) => ({ type: 'text.delta', index, text: word })],
    ['reasoning', (index) => ({ type: 'reasoning.delta', index, text: word })],
    ['arguments', (index) => ({ type: 'call.delta', index, arguments: word })],
    ['names of calls', (index) => ({ type: 'call.began', index, call: 'c', name: word })],
    ['ids of the answer', () => ({ type: 'began', response: word, model: 'm', usage: {} })],
    ['whole texts', (index) => ({ type: 'part', index, part: { type: 'text', text: word } })],
    ['reasoning items', (index) => ({ type: 'part', index, part: { type: 'reasoning', text: '', opaque: word } })],
    [
      'native items',
      (index) => ({ type: 'part', index, part: { type: 'native', provider: 'p', item: word, text: '' } }),
    ],
  ])('refuses %s above the limit', (_title, part) => {
    const meter = createPartMeter(SERVICE, LIMITS);
    expect(meter([part(0)])).toEqual([part(0)]);
    expect(() => meter([part(1)])).toThrow(OVERSIZED);
  });

  it('counts a part once if it arrives as deltas and as a whole', () => {
    const meter = createPartMeter(SERVICE, LIMITS);
    meter([{ type: 'text.delta', index: 0, text: word }]);
    expect(() => meter([{ type: 'part', index: 0, part: { type: 'text', text: word } }])).not.toThrow();
  });

  it.each([
    ['an id', { call: 'a'.repeat(65_537), name: 'read' }],
    ['a name', { call: 'c', name: 'a'.repeat(4_097) }],
  ])('refuses a call with %s that is too long', (_what, long) => {
    const limits = { ...LIMITS, characters: 1_000_000 };
    const whole = { type: 'call', ...long, arguments: '{}' } as const;
    expect(() => createPartMeter(SERVICE, limits)([{ type: 'call.began', index: 0, ...long }])).toThrow(OVERSIZED);
    expect(() => createPartMeter(SERVICE, limits)([{ type: 'part', index: 0, part: whole }])).toThrow(OVERSIZED);
  });

  it('refuses more than 1,024 parts', () => {
    const meter = createPartMeter(SERVICE, LIMITS);
    meter([{ type: 'text.delta', index: 1_023, text: 'a' }]);
    expect(() => meter([{ type: 'text.delta', index: 1_024, text: 'a' }])).toThrow(OVERSIZED);
  });
});
