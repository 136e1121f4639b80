// Tests `tidemark simulate -- <command>`: the environment of the command, the exit codes, the report and the log. Runs
// the same checks for a served simulator that is ended by a signal.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

const BIN = inject('command');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-simulate-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Program that sends one call per word to the simulator, and exits with the code in `EXIT`. */
const CLIENT = `
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, MODEL, EXIT, DUMP } = process.env;
if (DUMP) require('node:fs').writeFileSync(DUMP, JSON.stringify(process.env));
(async () => {
  for (const content of process.argv.slice(1)) {
    const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    const long = { type: 'text', text: 'rule '.repeat(4000), cache_control: { type: 'ephemeral' } };
    const body = { model: MODEL ?? 'claude-opus-4-5', max_tokens: 9, system: [long], messages: [{ role: 'user', content }] };
    await (await fetch(url + '/v1/messages', { method: 'POST', headers, body: JSON.stringify(body) })).text();
  }
  process.exit(Number(EXIT ?? 0));
})();`;

const SCENARIO = {
  routes: [
    { name: 'first', match: { prompt: 'one' }, steps: [{ answer: { text: '1' } }] },
    { name: 'second', match: { prompt: 'two' }, steps: [{ answer: { text: '2' } }] },
  ],
};

function simulated(
  flags: readonly string[],
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const command = ['--', process.execPath, '-e', CLIENT, '--', ...words];
  return pretendRun(['simulate', ...flags, ...command], { folder, environment });
}

function scenario(): string {
  const path = join(folder, 'answers.json');
  writeFileSync(path, JSON.stringify(SCENARIO));
  return path;
}

describe('`simulate -- command`', () => {
  test('gives the command the addresses and no real key, and returns 0 if all steps were played', async () => {
    const dump = join(folder, 'env.json');
    const secrets = { ANTHROPIC_API_KEY: 'real', ANTHROPIC_AUTH_TOKEN: 'real', OPENAI_API_KEY: 'real', DUMP: dump };
    const ran = await simulated(['--strict', '--scenario', scenario()], ['one', 'two'], secrets);
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toMatch(
      /^simulator\ncalls: 2, answered 2\nhit rate: 0\.\d{4} \(\d+ of \d+ input tokens\)\ncost: \$0/,
    );
    const seen: Record<string, string> = JSON.parse(readFileSync(dump, 'utf8'));
    expect(seen['OPENAI_BASE_URL']).toBe(`${seen['ANTHROPIC_BASE_URL']}/v1`);
    expect(seen['TIDEMARK_SIMULATOR_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(Object.values(seen)).not.toContain('real');
  });

  test('is used by `tidemark` itself, also with `--provider simulator`', async () => {
    const environment = { TIDEMARK_HOME: join(folder, 'home'), ANTHROPIC_API_KEY: 'real' };
    const own = (...words: string[]): Promise<Ran> =>
      pretendRun(['simulate', '--scenario', scenario(), '--', process.execPath, BIN, ...words], {
        folder,
        environment,
      });
    expect((await own('run', 'one')).err).toContain('calls: 1, answered 1\n');
    expect((await own('run', 'two', '--provider', 'simulator')).err).toContain('calls: 1, answered 1\n');
  });

  test('with --strict returns 1 for a step that was not played and a call that matched nothing, and names both', async () => {
    const ran = await simulated(['--strict', '--scenario', scenario()], ['one', 'three']);
    expect(ran.exit).toBe(1);
    expect(ran.err).toContain('failed: not played: step 1 of second\n');
    expect(ran.err).toContain('failed: call 2 matched nothing: simulator: no route matches this call. first: prompt');
    expect((await simulated(['--scenario', scenario()], ['one', 'three'])).exit).toBe(0);
  });

  test('with --strict returns 1 for a refused request', async () => {
    const ran = await simulated(['--strict'], ['one'], { MODEL: 'no-such-model' });
    expect(ran).toMatchObject({ exit: 1, err: expect.stringContaining('failed: call 1 was refused: messages 404') });
  });

  test('returns the exit code of a command that failed, also with --strict', async () => {
    expect((await simulated(['--strict', '--scenario', scenario()], ['one'], { EXIT: '7' })).exit).toBe(7);
    expect((await simulated([], [], { EXIT: '3' })).exit).toBe(3);
  });

  test('checks --min-hit-rate, and names the cause of each miss', async () => {
    expect((await simulated(['--min-hit-rate', '0.4'], ['one', 'two'])).exit).toBe(0);
    const ran = await simulated(['--min-hit-rate', '0.8'], ['one', 'two']);
    expect(ran).toMatchObject({ exit: 1, err: expect.stringMatching(/failed: hit rate: .* less than 0\.8/) });
    expect(ran.err).toContain('miss: call 1 (claude-opus-4-5): first call of this account and model');
  });

  test('checks --max-cost', async () => {
    expect((await simulated(['--max-cost', '0.50'], ['one'])).exit).toBe(0);
    const ran = await simulated(['--max-cost', '0.001'], ['one']);
    expect(ran).toMatchObject({ exit: 1, err: expect.stringMatching(/failed: cost: \$0\.\d+, more than \$0\.001/) });
  });

  test('prints the report as one JSON value with --json', async () => {
    const ran = await simulated(['--json', '--strict', '--scenario', scenario()], ['one']);
    expect(JSON.parse(ran.out)).toMatchObject({
      ok: false,
      problems: ['not played: step 1 of second'],
      command: 0,
      report: { calls: 1, unplayed: [{ route: 'second', step: 1 }] },
    });
    expect(ran).toMatchObject({ exit: 1, err: '' });
  });

  test('returns 3 for a command that cannot be started', async () => {
    const ran = await pretendRun(['simulate', '--', join(folder, 'none')], { folder });
    expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining('there is no program ') });
  });
});

describe('a scenario file', () => {
  const played = async (bytes: Buffer): Promise<Ran> => {
    writeFileSync(join(folder, 'answers.json'), bytes);
    return simulated(['--strict', '--scenario', join(folder, 'answers.json')], ['one', 'two']);
  };
  const text = JSON.stringify(SCENARIO);

  test('can begin with a byte order mark', async () => {
    expect((await played(Buffer.from(`\u{feff}${text}`))).exit).toBe(0);
  });

  test('that is not UTF-8 is refused', async () => {
    const ran = await played(Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff])]));
    expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining('is not UTF-8') });
  });
});

describe('`simulate --log`', () => {
  const linesOf = (name: string): readonly unknown[] =>
    readFileSync(join(folder, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));

  test('adds a line for each call, with its route, step and buckets, and without its body', async () => {
    await simulated(['--log', 'calls.ndjson', '--scenario', scenario()], ['one', 'three']);
    await simulated(['--log', 'calls.ndjson'], ['one']);
    const lines = linesOf('calls.ndjson');
    expect(lines).toMatchObject([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        wire: 'anthropic',
        endpoint: 'messages',
        route: 'first',
        step: 1,
        model: 'claude-opus-4-5',
        status: 200,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        buckets: { fresh: expect.any(Number), read: 0, short: expect.any(Number), long: 0, output: 1 },
      },
      { status: 400, cause: 'unmatched', refusal: { type: 'invalid_request_error' } },
      { status: 200 },
    ]);
    expect(JSON.stringify(lines)).not.toContain('rule rule');
  });

  test('with --log-bodies adds the body and the headers, with masked keys', async () => {
    await simulated(['--log', 'calls.ndjson', '--log-bodies'], ['one']);
    expect(linesOf('calls.ndjson')).toMatchObject([
      { headers: { 'x-api-key': '***', 'anthropic-version': '2023-06-01' }, body: { max_tokens: 9 } },
    ]);
    expect(readFileSync(join(folder, 'calls.ndjson'), 'utf8')).not.toContain('simulated-key');
  });

  test.skipIf(!existsSync('/dev/full'))('that cannot be written fails the run, and not the calls', async () => {
    const ran = await simulated(['--log', '/dev/full'], ['one', 'two']);
    expect(ran).toMatchObject({
      exit: 1,
      err: expect.stringMatching(/calls: 2, answered 2\n[^]*failed: log: \/dev\/full is not complete: ENOSPC/),
    });
  });

  test.each<[readonly string[], number, string]>([
    [['--log-bodies'], 2, '--log-bodies needs --log'],
    [['--strict', '--'], 2, 'no command follows --'],
    [['--', ''], 2, 'no command follows --'],
    [['--log', 'none/calls.ndjson'], 3, 'cannot be written'],
    [['--min-hit-rate', '1.5'], 2, 'is not a hit rate'],
    [['--max-cost', '-1'], 2, 'is not an amount in US dollars'],
  ])('refuses %j', async (flags, exit, message) => {
    const ran = await pretendRun(['simulate', ...flags], { folder });
    expect(ran).toMatchObject({ exit, out: '', err: expect.stringContaining(message) });
  });
});

describe.skipIf(process.platform === 'win32')('a served simulator', () => {
  test.each<[NodeJS.Signals, readonly string[], readonly string[], number | null]>([
    ['SIGTERM', ['--strict'], ['one', 'two'], 0],
    ['SIGTERM', ['--strict'], ['one'], 1],
    ['SIGINT', ['--strict'], ['one'], 1],
    ['SIGINT', [], ['one'], 130],
  ])('after %s with %j and the calls %j ends with %i', async (signal, flags, words, exit) => {
    const args = [BIN, 'simulate', '--json', '--scenario', scenario(), ...flags];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    const reader = createInterface(child.stdout);
    reader.on('line', (line) => lines.push(line));
    await once(reader, 'line');
    const { url }: { url: string } = JSON.parse(lines[0] ?? '');
    for (const content of words) {
      const body = JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 9, messages: [{ role: 'user', content }] });
      const headers = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' };
      await (await fetch(`${url}/v1/messages`, { method: 'POST', headers, body })).text();
    }
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([exit, null]);
    const [, report] = lines;
    if (flags.length > 0)
      expect(JSON.parse(report ?? '')).toMatchObject({ ok: exit === 0, report: { calls: words.length } });
    else expect(report).toBeUndefined();
  });

  test.each<[NodeJS.Signals, number]>([
    ['SIGTERM', 5],
    ['SIGHUP', 8],
    ['SIGINT', 6],
  ])('passes %s on to its command, and reports after the command has ended', async (signal, exit) => {
    const program = `
      for (const [name, code] of [['SIGTERM', 5], ['SIGHUP', 8], ['SIGINT', 6]]) process.on(name, () => process.exit(code));
      console.log('ready');
      setInterval(() => undefined, 1000);`;
    const args = [BIN, 'simulate', '--', process.execPath, '-e', program];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const shown: string[] = [];
    child.stderr.on('data', (part: Buffer) => shown.push(part.toString()));
    await once(createInterface(child.stdout), 'line');
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([exit, null]);
    expect(shown.join('')).toContain('calls: 0, answered 0');
  });
});
