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
    expect(firstMissing(shown?.lines ?? ['a block of text'], out), `printed:\n${out}`).toBeUndefined();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
