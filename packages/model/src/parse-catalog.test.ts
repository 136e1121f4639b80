// Tests the validation of a catalog: the refused values and their error messages.

import { describe, expect, it } from 'vitest';
import type { Catalog } from './catalog.ts';
import { CatalogError } from './catalog.ts';
import { defaultCatalog } from './default-catalog.ts';
import { findModel } from './find-model.ts';
import { parseCatalog, withOverrides } from './parse-catalog.ts';

const shipped = defaultCatalog();

function refusal(act: () => unknown): CatalogError {
  try {
    act();
  } catch (error) {
    if (error instanceof CatalogError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function withFirstRow(change: object): unknown {
  return { ...shipped, rows: [{ ...shipped.rows[0], ...change }] };
}

function overridden(row: object): Catalog {
  return withOverrides(shipped, { revision: 1, rows: [row] });
}

const SONNET = { provider: 'anthropic', model: 'claude-sonnet-4-6' };

describe('parseCatalog', () => {
  it('reads the shipped catalog after a round trip through JSON', () => {
    expect(parseCatalog(JSON.parse(JSON.stringify(shipped)))).toEqual(shipped);
  });

  it.each([
    ['a number as a price', { prices: [{ from: '2026-01-01', tiers: [{ above: 0, price: { input: 3 } }] }] }],
    ['an unknown key', { florr: 512 }],
    ['an unknown marker style', { markers: 'some' }],
    ['a negative floor', { floor: -1 }],
    ['a floor that is null', { floor: null }],
    ['a price list without tiers', { prices: [{ from: '2026-01-01', tiers: [] }] }],
    ['an invalid day', { asOf: 'November' }],
  ])('refuses %s and names the row', (_, change) => {
    const error = refusal(() => parseCatalog(withFirstRow(change)));
    expect(error.code).toBe('catalog/invalid');
    expect(error.data.issues[0]?.path).toMatch(/^rows\[0\]/);
    expect(error.data.issues[0]?.row).toBe('anthropic/claude-fable-5-2');
  });

  const price = { input: '1', output: '2', writes: {} };

  it('refuses price lists and tiers that are out of order', () => {
    const lists = ['2026-02-01', '2026-01-01'].map((from) => ({ from, tiers: [{ above: 0, price }] }));
    expect(refusal(() => parseCatalog(withFirstRow({ prices: lists }))).message).toContain('ascending order of "from"');
    const tiers = [0, 200, 100].map((above) => ({ above, price }));
    const unordered = [{ from: '2026-01-01', tiers }];
    expect(refusal(() => parseCatalog(withFirstRow({ prices: unordered }))).message).toContain(
      'ascending order of "above"',
    );
    const late = [{ from: '2026-01-01', tiers: tiers.slice(2) }];
    expect(refusal(() => parseCatalog(withFirstRow({ prices: late }))).message).toContain('"above": 0');
  });

  it('refuses a name that belongs to two rows', () => {
    const twice = { ...shipped, rows: [shipped.rows[0], shipped.rows[0]] };
    expect(refusal(() => parseCatalog(twice)).data.issues[0]).toEqual({
      path: 'rows[1]',
      problem: 'the name anthropic/claude-fable-5-2 is already used by another row',
      row: 'anthropic/claude-fable-5-2',
    });
  });

  it.each([undefined, null, [], 'catalog', {}])('refuses %j, which is not a catalog', (json) => {
    expect(refusal(() => parseCatalog(json)).code).toBe('catalog/invalid');
  });
});

describe('withOverrides', () => {
  it('replaces the given fields of a row and changes no other field or row', () => {
    const changed = overridden({ ...SONNET, floor: 2_048 });
    const { source, ...row } = findModel(changed, SONNET.model) ?? {};
    const { source: before, ...shippedRow } = findModel(shipped, SONNET.model) ?? {};
    expect(row).toEqual({ ...shippedRow, floor: 2_048 });
    expect(source).toBe(`floor set by the user; the rest: ${before}`);
    expect(changed.rows.filter((one) => one.model !== SONNET.model)).toEqual(
      shipped.rows.filter((one) => one.model !== SONNET.model),
    );
  });

  it('keeps the source that the user gives', () => {
    const changed = overridden({ ...SONNET, floor: 2_048, source: 'our contract' });
    expect(findModel(changed, SONNET.model)?.source).toBe('our contract');
  });

  it('accepts a new alias, and refuses an alias of another row', () => {
    expect(findModel(overridden({ ...SONNET, aliases: ['our-sonnet'] }), 'our-sonnet')?.model).toBe(SONNET.model);
    const taken = refusal(() => overridden({ ...SONNET, aliases: ['claude-opus-5'] }));
    expect(taken.code).toBe('catalog/invalid');
  });

  it('adds a complete row', () => {
    const own = { ...shipped.rows[0], provider: 'local', model: 'small', aliases: [], prices: [] };
    expect(findModel(overridden(own), 'small')?.provider).toBe('local');
  });

  it('refuses a new row with missing fields and names these fields', () => {
    const error = refusal(() => overridden({ provider: 'anthropic', model: 'claude-sonet-4-6', floor: 1 }));
    expect(error.code).toBe('catalog/row-incomplete');
    expect(error.message).toContain('anthropic/claude-sonet-4-6');
    expect(error.message).toContain('inputLimit');
    expect(error.message).not.toContain('floor');
  });

  it('refuses an unknown key', () => {
    const error = refusal(() => overridden({ ...SONNET, florr: 2_048 }));
    expect([error.code, error.data.issues[0]?.row]).toEqual([
      'catalog/override-invalid',
      'anthropic/claude-sonnet-4-6',
    ]);
    expect(error.message).toContain('florr');
  });

  it('does not change the catalog that it receives', () => {
    const before = JSON.stringify(shipped);
    overridden({ ...SONNET, floor: 1 });
    expect(JSON.stringify(shipped)).toBe(before);
  });
});
