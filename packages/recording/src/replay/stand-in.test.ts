import { defaultCatalog } from '@tidemark/model';
import { describe, expect, it } from 'vitest';
import { roomy, rowFor } from './stand-in.ts';

const catalog = defaultCatalog();

describe('the row of a recorded model', () => {
  it('is its own where the catalog has one, by any of its names', () => {
    const names = ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'];
    expect(names.map((name) => rowFor(catalog, name))).toEqual(
      names.map(() => ({ capabilities: rowFor(catalog, 'claude-sonnet-4-5').capabilities })),
    );
  });

  it('is the nearest of its family for a Claude that is not known, and the usual one for any other, under its own name', () => {
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

  it('has room for what was recorded', () => {
    const row = rowFor(catalog, 'claude-sonnet-4-5').capabilities;
    expect(roomy(row, 100_000)).toBe(row);
    expect(roomy(row, 900_000)).toMatchObject({ inputLimit: 932_768, window: { tokens: 932_768 } });
  });
});
