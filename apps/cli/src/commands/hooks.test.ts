// Tests the hooks of a settings file in `tidemark run`, against the simulator and with programs that really run.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Runs one command line in the test folder, with the hook in the user's settings. */
function tidemark(hook: Readonly<Record<string, unknown>>, args: readonly string[]): Promise<Ran> {
  const settings = join(stage.home, '..', 'hooks.json');
  writeFileSync(settings, JSON.stringify({ hooks: [hook] }));
  return pretendRun([...args, '--config', settings], {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home },
  });
}

describe('a hook on before-prompt', () => {
  test('keeps the text of a denied first prompt out of the log, the title included', async () => {
    const hook = { on: 'before-prompt', run: 'if grep -q internal; then exit 2; fi' };
    const asked = ['--provider', 'simulator', '--scenario', stage.scenario()];
    const denied = await tidemark(hook, ['the internal margins', ...asked]);
    expect([denied.out, denied.exit]).toEqual(['', 3]);
    const logs = readdirSync(join(stage.home, 'sessions')).map((id) =>
      readFileSync(join(stage.home, 'sessions', id, 'log.ndjson'), 'utf8'),
    );
    expect(logs).toEqual([expect.stringContaining('"kind":"prompt.denied"')]);
    expect(logs.join('')).not.toContain('margins');
  });
});
