// `tidemark smoke` as it is typed: prices said first, keys, exit codes, and what is written down.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ListeningSimulator, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import { readOwnCatalog } from '../settings/own-catalog.ts';
import { keepPromotion } from '../smoke/keep-promotion.ts';

let home: string;
let simulator: Simulator;
let listening: ListeningSimulator;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'tidemark-smoke-'));
  simulator = createSimulator();
  listening = await simulator.listen();
});

afterEach(async () => {
  await listening.close();
  rmSync(home, { recursive: true });
});

function tidemark(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return pretendRun(args, { environment: { TIDEMARK_HOME: home, ...environment } });
}

/** With a key, at the simulator's address: what is not told apart from a live provider. */
function live(...more: readonly string[]): Promise<Ran> {
  return tidemark(['smoke', '--base-url', listening.url, ...more], { ANTHROPIC_API_KEY: 'k' });
}

describe('live', () => {
  test('without a key says so, and what to do', async () => {
    const ran = await tidemark(['smoke', '--json']);
    expect(ran.exit).toBe(3);
    expect(JSON.parse(ran.out)).toMatchObject({
      ok: false,
      error: { code: 'cli/no-key', next: expect.stringContaining('--dry-run') },
    });
    expect(await tidemark(['smoke', '--provider', 'openai'])).toMatchObject({
      exit: 3,
      err: expect.stringContaining('OPENAI_API_KEY'),
    });
  });

  test('says the price first, then what each call read, and what it cost', async () => {
    const ran = await live();
    expect(ran.err).toMatch(/^claude-haiku-5-5: 6 calls of about \d+ tokens, at most \$0\.00\d+\n$/);
    expect(ran.out.split('\n').slice(0, 4)).toEqual([
      'transport: hit. The same bytes are read again',
      'contract: hit. The next request reads all that the first one left',
      'the cache works, from the first request to the next',
      expect.stringMatching(
        /^a change at the tail still reads .*%; at the end of the front reads nothing; at the first/,
      ),
    ]);
    expect(ran.out).toMatch(/\nit cost \$0\.000\d+\n$/);
    expect(ran.exit).toBe(0);
  });

  test('with --json prints one object, with prices as exact text', async () => {
    const ran = await live('--json');
    const value: { readonly most: string; readonly spent: string; readonly probes: readonly object[] } = JSON.parse(
      ran.out,
    );
    expect(value).toMatchObject({ ok: true, transport: 'hit', contract: 'hit', leftOut: [] });
    expect(Number(value.spent)).toBeGreaterThan(0);
    expect(Number(value.spent)).toBeLessThan(Number(value.most));
    expect(value.probes).toHaveLength(6);
  });

  test('is 1 when an entry was not read, and 5 when the provider failed', async () => {
    simulator.next({});
    simulator.next({ fault: { kind: 'evicted' } });
    expect(await live()).toMatchObject({ exit: 1, out: expect.stringContaining('transport: miss') });
    simulator.fail({ kind: 'overloaded' });
    expect(await live()).toMatchObject({ exit: 5, out: '' });
  });

  test('sends nothing above five cents, and says which calls it leaves out below', async () => {
    expect(await live('--model', 'claude-opus-4-6')).toMatchObject({ exit: 3, err: expect.stringContaining('$0.05') });
    expect(simulator.calls).toEqual([]);
    const ran = await live('--model', 'claude-sonnet-4-5');
    // How many fit depends by a hair on the words that make each run's prefix its own.
    const made = Number(/: (\d) calls of about/.exec(ran.err)?.[1]);
    expect(ran.err).toMatch(/not made, to stay below the limit: .*first-sentence\n/);
    expect([4, 5]).toContain(made);
    expect(simulator.calls).toHaveLength(made);
  });
});

test('a dry run needs no key and sends nothing', async () => {
  const ran = await tidemark(['smoke', '--dry-run', '--json', '--base-url', listening.url]);
  expect(JSON.parse(ran.out)).toMatchObject({ ok: true, dryRun: true, calls: 6, most: expect.any(String) });
  expect(ran.exit).toBe(0);
  expect(simulator.calls).toEqual([]);
});

test.each([['claude-opus-5-5'], ['gpt-6-luna'], ['gpt-5.1']])('the simulator needs no key: %s', async (model) => {
  const ran = await tidemark(['smoke', '--provider', 'simulator', '--model', model, '--json']);
  expect(JSON.parse(ran.out)).toMatchObject({ ok: true, model, transport: 'hit', contract: 'hit' });
});

test('a model that nobody knows, or of another provider, is refused', async () => {
  expect(await tidemark(['smoke', '--model', 'none'])).toMatchObject({ exit: 3 });
  expect(await tidemark(['smoke', '--provider', 'openai', '--model', 'claude-opus-5-5'])).toMatchObject({ exit: 3 });
});

describe('--promotion', () => {
  test('says how long it waits, and its price', async () => {
    const ran = await live('--promotion', '--dry-run');
    expect(ran.err).toMatch(/3 calls of about \d+ tokens, at most \$0\.00\d+; it waits 5\.25 minutes in between\n$/);
  });

  test('on the simulator takes no time, and is not written down', async () => {
    const ran = await tidemark(['smoke', '--provider', 'simulator', '--promotion']);
    expect(ran).toMatchObject({ exit: 0, out: expect.stringContaining('promotes: behind the pause') });
    expect(existsSync(join(home, 'catalog.json'))).toBe(false);
  });

  test('has nothing to promote where a model sells one lifetime', async () => {
    const ran = await tidemark(['smoke', '--provider', 'openai', '--promotion', '--dry-run']);
    expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining('nothing to promote') });
  });

  test('that was seen stands in the catalog of the home; of one that is seen no more it is taken back', async () => {
    const row = { provider: 'anthropic', model: 'claude-opus-5-5' } as const;
    const day = '2026-11-21';
    const verified = { verified: day } as const;
    expect(await keepPromotion({ outcome: 'does not' }, { row: { ...row, promotes: 'unverified' }, day, home })).toBe(
      false,
    );
    expect(await readOwnCatalog(home)).toBeUndefined();
    expect(await keepPromotion({ outcome: 'promotes' }, { row: { ...row, promotes: 'unverified' }, day, home })).toBe(
      true,
    );
    expect(await readOwnCatalog(home)).toEqual({ revision: 1, rows: [{ ...row, promotes: verified }] });
    expect(await keepPromotion({ outcome: 'unclear' }, { row: { ...row, promotes: verified }, day, home })).toBe(false);
    expect(await keepPromotion({ outcome: 'does not' }, { row: { ...row, promotes: verified }, day, home })).toBe(true);
    expect(await readOwnCatalog(home)).toEqual({ revision: 1, rows: [{ ...row, promotes: 'unverified' }] });
  });

  test('leaves all else in the catalog of the home as it is', async () => {
    const other = { provider: 'anthropic', model: 'claude-opus-5', floor: 600 };
    writeFileSync(join(home, 'catalog.json'), JSON.stringify({ revision: 1, rows: [other] }));
    const row = { provider: 'anthropic', model: 'claude-opus-5-5', promotes: 'unverified' } as const;
    await keepPromotion({ outcome: 'promotes' }, { row, day: '2026-11-21', home });
    const kept: unknown = JSON.parse(readFileSync(join(home, 'catalog.json'), 'utf8'));
    expect(kept).toMatchObject({ rows: [other, { model: 'claude-opus-5-5' }] });
  });
});

describe('the catalog of the home', () => {
  test.each([['{"revision": 1,'], ['[]'], ['{"revision": 1, "rows": [{"provider": "anthropic"}]}']])(
    'is read by `run`, and refused where it is %j',
    async (text) => {
      writeFileSync(join(home, 'catalog.json'), text);
      const ran = await pretendRun(['run', '--provider', 'simulator', 'hello'], {
        folder: home,
        environment: { TIDEMARK_HOME: home },
      });
      expect(ran.exit).toBe(3);
    },
  );

  test('changes what `run` knows of a model', async () => {
    const prices = [
      {
        from: '0001-01-01',
        tiers: [{ above: 0, price: { input: '1000', output: '1000', read: '1000', writes: { '5m': '1000' } } }],
      },
    ];
    const rows = [{ provider: 'anthropic', model: 'claude-opus-5-5', prices }];
    writeFileSync(join(home, 'catalog.json'), JSON.stringify({ revision: 1, rows }));
    const args = ['run', '--provider', 'simulator', '--model', 'claude-opus-5-5', '--max-cost', '0.01', '--json', 'hi'];
    const ran = await pretendRun(args, { folder: home, environment: { TIDEMARK_HOME: home } });
    expect(JSON.parse(ran.out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ outcome: 'limited' });
  });
});
