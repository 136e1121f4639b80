// Tests the output of `tidemark simulate`, and the arguments that it refuses before it listens. The answers of the
// simulator are tested in `process.int.test.ts`.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-simulate-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test.each(['x', '-1', '65536', '1e3', ''])('`simulate` refuses the port %j', async (port) => {
  const ran = await pretendRun(['simulate', `--port=${port}`]);
  expect(ran).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('0 to 65535') });
});

test('`simulate` refuses a scenario file that is missing, is not JSON, or is not a scenario', async () => {
  const missing = await pretendRun(['simulate', '--scenario', join(folder, 'none.json')]);
  expect(missing).toMatchObject({ exit: 3, err: expect.stringContaining('none.json') });

  const torn = join(folder, 'torn.json');
  writeFileSync(torn, '{"steps": [');
  expect(await pretendRun(['simulate', '--scenario', torn])).toMatchObject({
    exit: 3,
    err: expect.stringContaining('torn.json is not JSON'),
  });

  const other = join(folder, 'other.json');
  writeFileSync(other, '{"steps": [{"anser": {}}]}');
  expect(await pretendRun(['simulate', '--scenario', other])).toMatchObject({
    exit: 3,
    err: expect.stringContaining('anser'),
  });
});

test('`simulate` prints the address of each provider, with the variable of its SDK and the flags of this command', async () => {
  const ran = await pretendRun(['simulate'], { signal: AbortSignal.abort() });
  const [, url = ''] = /listens on (\S+);/.exec(ran.out) ?? [];
  expect(ran.out.split('\n').slice(1)).toEqual([
    `Anthropic: ANTHROPIC_BASE_URL=${url}, or --provider anthropic --base-url ${url}`,
    `OpenAI: OPENAI_BASE_URL=${url}/v1, or --provider openai --base-url ${url}/v1`,
    `OpenRouter: --provider openrouter --base-url ${url}/api/v1`,
    `a compatible server: --provider compatible --base-url ${url}/v1`,
    'every key is accepted',
    '',
  ]);
});

test('`simulate --help` prints the limits and --allow-host', async () => {
  const ran = await pretendRun(['simulate', '--help']);
  expect(ran).toMatchObject({ exit: 0 });
  expect(ran.out).toContain('--allow-host <name>');
  expect(ran.out).toContain('32 MB for a request, 10 s for its headers, 60 s for the whole request, 512 connections');
});

test.each(['http://ci.test', '*', ''])('`simulate` refuses %j as an allowed host', async (name) => {
  const ran = await pretendRun(['simulate', '--allow-host', name]);
  expect(ran).toMatchObject({ exit: 3, out: '', err: expect.stringContaining('is not a host that can be allowed') });
});
