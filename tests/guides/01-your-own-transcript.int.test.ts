// The walk through one's own transcript, as its page tells it: every command runs, and prints what the page shows.

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

// One after the other, as vitest runs the tests of a file: a later command looks at what an earlier one kept.
describe(PAGE, () => {
  test('has commands that run', () => expect(exercises.length).toBeGreaterThan(5));

  test.each(exercises)('prints what it shows behind line $line', async ({ commands, shown }) => {
    let printed = '';
    for (const command of commands) {
      const { exit, out, err } = await runTidemark(command, home);
      expect({ command, exit, err }).toEqual({ command, exit: 0, err: '' });
      printed += out;
    }
    if (shown !== undefined) expect(firstMissing(shown, printed), `printed:\n${printed}`).toBeUndefined();
  });
});
