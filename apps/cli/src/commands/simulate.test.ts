// `tidemark simulate`: what it refuses before it listens, and what it prints. That it answers is shown in
// `process.int.test.ts`.

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

test.each(['x', '-1', '65536', '1e3', ''])('refuses the port %j', async (port) => {
  const ran = await pretendRun(['simulate', `--port=${port}`]);
  expect(ran).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('0 to 65535') });
});

test('refuses a scenario that is not there, or no JSON, or no scenario', async () => {
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

test('prints where each provider is played, with the variable of its SDK and the flags of this command', async () => {
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

test('names its limits and --allow-host in its help', async () => {
  const ran = await pretendRun(['simulate', '--help']);
  expect(ran).toMatchObject({ exit: 0 });
  expect(ran.out).toContain('--allow-host <name>');
  expect(ran.out).toContain('32 MB for a request, 10 s for its headers, 60 s for all of it, 512 connections');
});

test.each(['http://ci.test', '*', ''])('refuses to allow %j as a host', async (name) => {
  const ran = await pretendRun(['simulate', '--allow-host', name]);
  expect(ran).toMatchObject({ exit: 3, out: '', err: expect.stringContaining('is no host to allow') });
});
