import { describe, expect, it } from 'vitest';
import { createLevels } from './reasoning-level.ts';

const budget = (tokens: number): object => ({ thinking: { type: 'enabled', budget_tokens: tokens } });

describe('a reasoning level', () => {
  it('is a budget by its usual name, or the budget that it says', () => {
    const levels = createLevels();
    expect(['low', 'high', '6000'].map((level) => levels(level, 20_480))).toEqual([
      budget(2_048),
      budget(8_192),
      budget(6_000),
    ]);
  });

  it('is no parameter at all where nothing is to be reasoned', () => {
    const levels = createLevels();
    expect([undefined, 'off', 'none', '0'].map((level) => levels(level, 20_480))).toEqual([{}, {}, {}, {}]);
  });

  it('keeps within what the model can put out', () => {
    const levels = createLevels();
    expect(['31999', '-5', 'NaN', 'xhigh'].map((level) => levels(level, 8_192))).toEqual([
      budget(8_191),
      budget(1_024),
      budget(8_190),
      budget(8_189),
    ]);
  });

  it('is another parameter than any other level, and the same each time', () => {
    const levels = createLevels();
    const names = ['31999', '63999', 'max', 'constructor', '__proto__', 'as much as it likes', '1024', 'minimal'];
    const first = names.map((level) => JSON.stringify(levels(level, 20_480)));
    expect(new Set(first).size).toBe(names.length);
    expect(names.map((level) => JSON.stringify(levels(level, 20_480)))).toEqual(first);
  });
});
