// Tests `tidemark compact` on a session with finished turns: its output, and that a dry run changes nothing.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';
import type { Ran } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';
import { dollars } from '../frame/numbers.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

const tidemark = (...args: readonly string[]): Promise<Ran> =>
  pretendRun(args, { folder: stage.folder, environment: { TIDEMARK_HOME: stage.home } });

/** Creates a session with two prompts. The first prompt is long. Returns the id of the session. */
async function left(): Promise<string> {
  const simulated = ['--provider', 'simulator'];
  expect(await tidemark('Pack the order. '.repeat(2_000), ...simulated)).toMatchObject({ exit: 0 });
  expect(await tidemark('And now?', ...simulated, '--continue')).toMatchObject({ exit: 0 });
  const { out } = await tidemark('sessions', '--json');
  const [session] = [...out.matchAll(/"session":"([^"]+)"/g)].map(([, id = '']) => id);
  if (session === undefined) throw new Error(`no session in ${out}`);
  return session;
}

const logOf = (session: string): string => readFileSync(join(stage.home, 'sessions', session, 'log.ndjson'), 'utf8');

test('a dry run reports the plan and changes nothing, a real run compacts once, and `verify` rebuilds every request', async () => {
  const session = await left();
  const before = logOf(session);
  const dry = await tidemark('compact', session, '--dry-run', '--json', '--tail-tokens', '500');
  expect(JSON.parse(dry.out)).toMatchObject({ session, outcome: 'planned', trigger: 'manual' });
  expect(logOf(session)).toBe(before);
  const done = await tidemark('compact', session, '--tail-tokens', '500');
  expect(done).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/^compacted, deterministic\nabout [\d,]+ tokens become/),
  });
  const again = await tidemark('compact', session, '--tail-tokens', '500');
  expect(again).toMatchObject({
    exit: 1,
    out: expect.stringMatching(/^not compacted: a checkpoint of the same history already waits for the next request/),
  });
  expect(await tidemark('go on', '--provider', 'simulator', '--continue')).toMatchObject({ exit: 0 });
  expect(logOf(session)).toContain('"cause":"compaction"');
  expect(await tidemark('verify', session)).toMatchObject({ exit: 0 });
  expect(await tidemark('compact', session, '--tail-tokens', '5000')).toMatchObject({
    exit: 1,
    out: expect.stringContaining('not compacted'),
  });
});

test('the price compares the next request with the same request without the compaction', async () => {
  const session = await left();
  const flags = ['compact', session, '--dry-run', '--tail-tokens', '500'];
  const { next, rewrite } = JSON.parse((await tidemark(...flags, '--json')).out);
  expect(next.uncompacted.tokens.read).toBeGreaterThan(5_000);
  expect(rewrite.tokens).toBeLessThanOrEqual(next.compacted.tokens.written + next.compacted.tokens.fresh);
  const [, after, before] =
    /costs (\$[\d.]+) before the answer instead of (\$[\d.]+)/.exec((await tidemark(...flags)).out) ?? [];
  expect([after, before]).toEqual([dollars(next.compacted.cost), dollars(next.uncompacted.cost)]);
});

test('after a compaction, `show`, `sessions` and `context` report the request that the next prompt sends', async () => {
  const session = await left();
  await tidemark('compact', session, '--tail-tokens', '500');
  const inputOf = async (...args: readonly string[]): Promise<number> => {
    const { gauge, sessions } = JSON.parse((await tidemark(...args, '--json')).out);
    return (gauge ?? sessions[0].gauge).input;
  };
  const shown = await inputOf('show', session);
  expect([await inputOf('sessions'), await inputOf('context', session)]).toEqual([shown, shown]);
  const { kinds } = JSON.parse((await tidemark('context', session, '--json')).out);
  expect(kinds.map(({ name }: { readonly name: string }) => name)).toEqual(
    expect.arrayContaining(['checkpoint', 'notes']),
  );
  await tidemark('on', '--provider', 'simulator', '--continue');
  const { steps } = JSON.parse((await tidemark('show', session, '--json')).out);
  const { fresh, read, written } = steps.at(-1);
  expect(Math.abs(shown / (fresh + read + written) - 1)).toBeLessThan(0.1);
});

test('--checkpoint-tokens limits the checkpoint, with and without --fresh, and accepts only whole numbers', async () => {
  const session = await left();
  const sizeWith = async (...flags: readonly string[]): Promise<number> => {
    const { out } = await tidemark('compact', session, '--dry-run', '--json', ...flags);
    return JSON.parse(out).sizes.parts.checkpoint;
  };
  const [whole, small] = [await sizeWith('--fresh'), await sizeWith('--fresh', '--checkpoint-tokens', '900')];
  expect([small < whole, small <= 900]).toEqual([true, true]);
  expect(await sizeWith('--tail-tokens', '500', '--checkpoint-tokens', '900')).toBeLessThanOrEqual(900);
  expect(await tidemark('compact', session, '--checkpoint-tokens', 'many')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('expected a whole number of tokens'),
  });
});

test('--fresh creates a fork that contains only the checkpoint, and leaves the session unchanged', async () => {
  const session = await left();
  const before = logOf(session);
  const dry = await tidemark('compact', session, '--fresh', '--dry-run', '--json');
  expect(JSON.parse(dry.out)).toMatchObject({ session, outcome: 'planned', kept: 0 });
  const done = await tidemark('compact', session, '--fresh', '--json');
  const { fork } = JSON.parse(done.out);
  expect([done.exit, logOf(session)]).toEqual([0, before]);
  const tree = await tidemark('sessions', '--tree', '--json');
  expect(JSON.parse(tree.out).sessions).toMatchObject([
    { session, depth: 0 },
    { session: fork, depth: 1, parent: { session } },
  ]);
  expect(await tidemark('--session', fork, 'go on', '--provider', 'simulator')).toMatchObject({ exit: 0 });
  expect(logOf(fork)).toContain('"cause":"compaction"');
  expect(await tidemark('verify', fork)).toMatchObject({ exit: 0 });
  const said = await tidemark('compact', session, '--fresh');
  expect(said.out).toMatch(/started again as \S+; \S+ is unchanged\ncontinue with `tidemark --session/);
});

test('--compaction-by model uses the catalog of the user', async () => {
  const session = await left();
  const rows = [{ provider: 'anthropic', model: 'claude-sonnet-5-5', outputLimit: 20_000 }];
  writeFileSync(join(stage.home, 'catalog.json'), JSON.stringify({ revision: 1, rows }));
  const asked = ['--compaction-by', 'model', '--provider', 'simulator', '--tail-tokens', '500', '--json'];
  const done = await tidemark('compact', session, ...asked);
  expect(done.err).toBe('');
  expect(JSON.parse(done.out)).toMatchObject({ session, outcome: 'compacted' });
});

test('options that cannot be combined are refused, and the error names the option to omit', async () => {
  const session = await left();
  for (const flags of [
    ['--fresh', '--tail-tokens', '500'],
    ['--provider', 'simulator'],
  ]) {
    const ran = await tidemark('compact', session, ...flags);
    expect(ran).toMatchObject({ exit: 2, err: expect.stringContaining('remove') });
  }
  expect(await tidemark('compact', 'nobody', '--fresh')).toMatchObject({ exit: 3 });
});

test('an invalid session id, a missing session and an unknown provider are refused', async () => {
  expect(await tidemark('compact', '../x')).toMatchObject({ exit: 3 });
  expect(await tidemark('compact', 'nobody')).toMatchObject({ exit: 3 });
  expect(await tidemark('compact', 'nobody', '--provider', 'nope')).toMatchObject({ exit: 2 });
});

test('--checkpoint-tokens is refused if it is smaller than the fixed text of a checkpoint', async () => {
  for (const tokens of ['0', '1', '599', 'many'])
    expect(await tidemark('compact', 'a-session', '--checkpoint-tokens', tokens)).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--checkpoint-tokens'),
    });
});
