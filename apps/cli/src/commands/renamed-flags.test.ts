// Tests that each old name of a command-line option is refused with an error that contains the new name.

import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';
import type { Ran } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

const tidemark = (args: readonly string[]): Promise<Ran> =>
  pretendRun(args, { folder: stage.folder, environment: { TIDEMARK_HOME: stage.home } });

test.each([
  [['--unconfined', 'hi there']],
  [['run', '--mode', 'auto', '--unconfined', 'hi there']],
  [['resume', '--unconfined']],
])(
  '%j has an old option name: it is refused with exit code 2, and the error names --allow-unsandboxed',
  async (args) => {
    expect(await tidemark(args)).toEqual({
      exit: 2,
      out: '',
      err: expect.stringContaining('the option --unconfined was renamed: use --allow-unsandboxed\n'),
    });
    const { out } = await tidemark([...args, '--json']);
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'cli/usage' } });
  },
);

test('`compact --strategy` has an old option name: it is refused, and the error names --compaction-by', async () => {
  const { exit, err } = await tidemark(['compact', 'any-session', '--strategy', 'model']);
  expect({ exit, err }).toEqual({
    exit: 2,
    err: expect.stringContaining('the option --strategy was renamed: use --compaction-by\n'),
  });
});
