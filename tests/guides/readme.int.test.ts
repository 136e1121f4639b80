// The front page shows what the demo really prints.

import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { readPage } from './documents.ts';
import { firstMissing } from './printed-as-shown.ts';
import { blocksIn } from './read-blocks.ts';
import { ROOT, runTidemark } from './run-tidemark.ts';

test('README.md shows the output of the demo', async () => {
  const shown = blocksIn(await readPage(ROOT, 'README.md')).find((block) => block.language === 'text');
  const home = await mkdtemp(join(tmpdir(), 'tidemark-readme-'));
  try {
    const { exit, out, err } = await runTidemark(['demo'], home);
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const printed = inAnyOrder(out.split('\n')).join('\n');
    // Not the address: vitest takes it for a place in a file.
    const told = `printed:\n${out.replace(/http:\S+/, '')}`;
    expect(firstMissing(inAnyOrder(shown?.lines ?? ['a block of text']), printed), told).toBeUndefined();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

const CALL = /^ {2}\w/;

/** Calls that only look run together and land in any order: neighbouring lines of them are sorted. */
function inAnyOrder(lines: readonly string[]): readonly string[] {
  const runs: string[][] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run !== undefined && CALL.test(line) && CALL.test(run[0] ?? '')) run.push(line);
    else runs.push([line]);
  }
  return runs.flatMap((run) => run.toSorted());
}
