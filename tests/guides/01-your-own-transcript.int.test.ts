// Guide "your own transcript": every command of the page runs and prints what the page shows.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstMissing } from './printed-as-shown.ts';
import { exercisesIn } from './read-blocks.ts';
import { ROOT, runTidemark } from './run-tidemark.ts';

const PAGE = join('docs', 'guides', '01-your-own-transcript.md');
const exercises = exercisesIn(await readFile(join(ROOT, PAGE), 'utf8'));

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-guide-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

// The tests run in order, as vitest runs the tests of a file, because a later command uses what an earlier one stored.
describe(PAGE, () => {
  test('has commands that run', () => expect(exercises.length).toBeGreaterThan(5));

  test.each(exercises)(
    'prints the output that it shows after the commands at line $line',
    async ({ commands, shown }) => {
      let printed = '';
      for (const command of commands) {
        const { exit, out, err } = await runTidemark(command, home);
        expect({ command, exit, err }).toEqual({ command, exit: 0, err: '' });
        printed += out;
      }
      if (shown !== undefined) expect(firstMissing(shown, printed), `printed:\n${printed}`).toBeUndefined();
    },
  );
});
