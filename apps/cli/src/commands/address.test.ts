// Tests that an address with a password is refused before anything is sent. No output and no file contains the
// password.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage;
beforeEach(() => {
  stage = openStage();
});
afterEach(() => stage.clear());

const WORD = 'horse-battery-staple';
const ADDRESS = `http://joe:${WORD}@127.0.0.1:9`;

function tidemark(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return pretendRun(args, {
    folder: stage.folder,
    environment: {
      PATH: process.env['PATH'],
      TIDEMARK_HOME: stage.home,
      ANTHROPIC_API_KEY: 'key-of-anthropic',
      OPENAI_API_KEY: 'key-of-openai',
      ...environment,
    },
  });
}

function contentOf(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? contentOf(path) : readFileSync(path, 'latin1')))
    .join('\n');
}

describe('a password in --base-url', () => {
  test.each([
    ['run', ['run', 'hello there', '--base-url', ADDRESS]],
    ['run, as JSON', ['run', 'hello there', '--json', '--base-url', ADDRESS]],
    ['run, for OpenAI', ['run', 'hello there', '--provider', 'openai', '--model', 'gpt-5.4', '--base-url', ADDRESS]],
    ['run, with a user name alone', ['run', 'hello there', '--base-url', `http://${WORD}@127.0.0.1:9`]],
    ['run, with backslashes', ['run', 'hello there', '--base-url', `http:\\\\joe:${WORD}@127.0.0.1:9`]],
    ['smoke', ['smoke', '--provider', 'anthropic', '--base-url', ADDRESS]],
    ['a misspelt flag', ['run', 'hello there', `--base-ulr=${ADDRESS}`]],
    ['an address in the place of a command', [ADDRESS]],
  ])('appears in no output and no file: %s', async (_title, args) => {
    const ran = await tidemark(args);
    expect(ran.exit).not.toBe(0);
    expect(`${ran.out}${ran.err}${contentOf(stage.home)}`).not.toContain(WORD);
  });

  test('appears in no output and no file when it comes from a setting', async () => {
    const ran = await tidemark(['run', 'hello there'], { TIDEMARK_BASE_URL_ANTHROPIC: ADDRESS });
    expect(ran.exit).not.toBe(0);
    expect(`${ran.out}${ran.err}${contentOf(stage.home)}`).not.toContain(WORD);
  });

  test('is refused, and the error explains what to do instead', async () => {
    const { exit, err } = await tidemark(['run', 'hello there', '--base-url', ADDRESS]);
    expect(exit).toBe(2);
    expect(err).toContain('the address of `--base-url` contains a user name or a password');
    expect(err).toContain('set the secret as the API key');
  });
});
