// Tests `tidemark smoke` on the command line. It tests the price that is printed before the first call, missing keys,
// exit codes, and stored results.

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

/** Runs `smoke` with a key against the simulator's address. The command treats this address as a live provider. */
function live(...more: readonly string[]): Promise<Ran> {
  return tidemark(['smoke', '--base-url', listening.url, ...more], { ANTHROPIC_API_KEY: 'k' });
}

describe('`smoke` with a live provider', () => {
  test('reports a missing key and the next step', async () => {
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

  test('prints the maximum price first, then the cache reads of each call, and the actual cost', async () => {
    const ran = await live();
    expect(ran.err).toMatch(/^claude-haiku-5-5: 6 calls of about \d+ tokens, at most \$0\.00\d+\n$/);
    expect(ran.out.split('\n').slice(0, 4)).toEqual([
      'transport: hit. The same bytes were read from the cache',
      'contract: hit. The next request read everything that the first one cached',
      'the cache works from one request to the next',
      expect.stringMatching(
        /^a change at the tail still reads .*%; at the end of the front reads nothing; at the first/,
      ),
    ]);
    expect(ran.out).toMatch(/\ncost: \$0\.000\d+\n$/);
    expect(ran.exit).toBe(0);
  });

  test('--json prints one object, with prices as exact decimal text', async () => {
    const ran = await live('--json');
    const value: { readonly most: string; readonly spent: string; readonly probes: readonly object[] } = JSON.parse(
      ran.out,
    );
    expect(value).toMatchObject({ ok: true, transport: 'hit', contract: 'hit', leftOut: [] });
    expect(Number(value.spent)).toBeGreaterThan(0);
    expect(Number(value.spent)).toBeLessThan(Number(value.most));
    expect(value.probes).toHaveLength(6);
  });

  test('ends with 1 if an entry was not read from the cache, and with 5 if the provider failed', async () => {
    simulator.next({});
    simulator.next({ fault: { kind: 'evicted' } });
    expect(await live()).toMatchObject({ exit: 1, out: expect.stringContaining('transport: miss') });
    simulator.fail({ kind: 'overloaded' });
    expect(await live()).toMatchObject({ exit: 5, out: '' });
  });

  test('sends nothing above five cents, and names the calls that it omits to stay below this limit', async () => {
    expect(await live('--model', 'claude-opus-4-6')).toMatchObject({ exit: 3, err: expect.stringContaining('$0.05') });
    expect(simulator.calls).toEqual([]);
    const ran = await live('--model', 'claude-sonnet-4-5');
    // Four or five calls fit into the limit. The number depends on the length of random words. These words make the
    // prefix of each run unique.
    const made = Number(/: (\d) calls of about/.exec(ran.err)?.[1]);
    expect(ran.err).toMatch(/skipped, to stay below the cost limit: .*first-sentence\n/);
    expect([4, 5]).toContain(made);
    expect(simulator.calls).toHaveLength(made);
  });
});

test('`smoke --dry-run` needs no key and sends nothing', async () => {
  const ran = await tidemark(['smoke', '--dry-run', '--json', '--base-url', listening.url]);
  expect(JSON.parse(ran.out)).toMatchObject({ ok: true, dryRun: true, calls: 6, most: expect.any(String) });
  expect(ran.exit).toBe(0);
  expect(simulator.calls).toEqual([]);
});

test.each([['claude-opus-5-5'], ['gpt-6-luna'], ['gpt-5.1']])(
  '`smoke` with the simulator needs no key: %s',
  async (model) => {
    const ran = await tidemark(['smoke', '--provider', 'simulator', '--model', model, '--json']);
    expect(JSON.parse(ran.out)).toMatchObject({ ok: true, model, transport: 'hit', contract: 'hit' });
  },
);

test('`smoke` refuses an unknown model, and a model of another provider', async () => {
  expect(await tidemark(['smoke', '--model', 'none'])).toMatchObject({ exit: 3 });
  expect(await tidemark(['smoke', '--provider', 'openai', '--model', 'claude-opus-5-5'])).toMatchObject({ exit: 3 });
});

describe('`smoke --promotion`', () => {
  test('prints how long it waits, and its price', async () => {
    const ran = await live('--promotion', '--dry-run');
    expect(ran.err).toMatch(
      /3 calls of about \d+ tokens, at most \$0\.00\d+; it waits 5\.25 minutes between two calls\n$/,
    );
  });

  test('takes no time on the simulator, and stores no result', async () => {
    const ran = await tidemark(['smoke', '--provider', 'simulator', '--promotion']);
    expect(ran).toMatchObject({ exit: 0, out: expect.stringContaining('promotes: after the pause,') });
    expect(existsSync(join(home, 'catalog.json'))).toBe(false);
  });

  test('is refused for a model with only one cache lifetime', async () => {
    const ran = await tidemark(['smoke', '--provider', 'openai', '--promotion', '--dry-run']);
    expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining('nothing to promote') });
  });

  test('stores a confirmed promotion in the catalog of the home, and withdraws it if a later test fails', async () => {
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

  test('leaves the other rows of the catalog unchanged', async () => {
    const other = { provider: 'anthropic', model: 'claude-opus-5', floor: 600 };
    writeFileSync(join(home, 'catalog.json'), JSON.stringify({ revision: 1, rows: [other] }));
    const row = { provider: 'anthropic', model: 'claude-opus-5-5', promotes: 'unverified' } as const;
    await keepPromotion({ outcome: 'promotes' }, { row, day: '2026-11-21', home });
    const kept: unknown = JSON.parse(readFileSync(join(home, 'catalog.json'), 'utf8'));
    expect(kept).toMatchObject({ rows: [other, { model: 'claude-opus-5-5' }] });
  });
});

describe('`catalog.json` in the home', () => {
  test.each([['{"revision": 1,'], ['[]'], ['{"revision": 1, "rows": [{"provider": "anthropic"}]}']])(
    'makes `run` fail if its content is %j',
    async (text) => {
      writeFileSync(join(home, 'catalog.json'), text);
      const ran = await pretendRun(['run', '--provider', 'simulator', 'hello'], {
        folder: home,
        environment: { TIDEMARK_HOME: home },
      });
      expect(ran.exit).toBe(3);
    },
  );

  test('overrides the prices that `run` uses', async () => {
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
