import { describe, expect, it } from 'vitest';
import { createLevels, roomy, rowFor } from './driving.ts';
import { defaultCatalog } from '@tidemark/model';

const budget = (tokens: number): object => ({ thinking: { type: 'enabled', budget_tokens: tokens } });

describe('the render parameters of a reasoning level', () => {
  it('contain the budget of a usual level name, or the number in the name', () => {
    const levels = createLevels();
    expect(['low', 'high', '6000'].map((level) => levels(level, 20_480))).toEqual([
      budget(2_048),
      budget(8_192),
      budget(6_000),
    ]);
  });

  it('are empty if reasoning is off', () => {
    const levels = createLevels();
    expect([undefined, 'off', 'none', '0'].map((level) => levels(level, 20_480))).toEqual([{}, {}, {}, {}]);
  });

  it('stay within the output limit of the model', () => {
    const levels = createLevels();
    expect(['31999', '-5', 'NaN', 'xhigh'].map((level) => levels(level, 8_192))).toEqual([
      budget(8_191),
      budget(1_024),
      budget(8_190),
      budget(8_189),
    ]);
  });

  it('differ from those of any other level, and are the same each time', () => {
    const levels = createLevels();
    const names = ['31999', '63999', 'max', 'constructor', '__proto__', 'as much as it likes', '1024', 'minimal'];
    const first = names.map((level) => JSON.stringify(levels(level, 20_480)));
    expect(new Set(first).size).toBe(names.length);
    expect(names.map((level) => JSON.stringify(levels(level, 20_480)))).toEqual(first);
  });
});

const catalog = defaultCatalog();

describe('the catalog row of a recorded model', () => {
  it("is the model's own row, found by any of its names", () => {
    const names = ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'];
    expect(names.map((name) => rowFor(catalog, name))).toEqual(
      names.map(() => ({ capabilities: rowFor(catalog, 'claude-sonnet-4-5').capabilities })),
    );
  });

  it('is the nearest Claude row for an unknown Claude, and the default row for any other model, with the recorded name', () => {
    const claude = rowFor(catalog, 'claude-opus-9');
    const other = rowFor(catalog, 'gpt-5.1-codex');
    expect(claude).toMatchObject({
      standIn: 'claude-opus-5-5',
      capabilities: { provider: 'anthropic', model: 'claude-opus-9', aliases: [] },
    });
    expect(other).toMatchObject({
      standIn: 'claude-sonnet-4-5-20250929',
      capabilities: { provider: 'anthropic', model: 'gpt-5.1-codex', floor: 1_024 },
    });
  });

  it('has limits that allow the largest recorded input', () => {
    const row = rowFor(catalog, 'claude-sonnet-4-5').capabilities;
    expect(roomy(row, 100_000)).toBe(row);
    expect(roomy(row, 900_000)).toMatchObject({ inputLimit: 932_768, window: { tokens: 932_768 } });
  });
});
