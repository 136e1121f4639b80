// Tests how often `findBubblewrap` starts a program as a test.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findBubblewrap } from './bubblewrap.ts';

const linux = process.platform === 'linux';
if (!linux) console.warn('skipped: bubblewrap exists on Linux only');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-bwrap-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a program `bwrap` that ends with this exit code and counts its starts. Returns the counter. */
function fakeBubblewrap(exit: number): () => number {
  const starts = join(folder, 'starts');
  writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\necho >> '${starts}'\nexit ${exit}\n`, { mode: 0o755 });
  writeFileSync(starts, '');
  return () => readFileSync(starts, 'utf8').length;
}

it.skipIf(!linux)('`findBubblewrap` starts a program that works once for all folders', () => {
  const starts = fakeBubblewrap(0);
  for (const workspace of [folder, folder, tmpdir()])
    expect(findBubblewrap(workspace, [folder])).toBe(join(folder, 'bwrap'));
  expect(starts()).toBe(1);
});

it.skipIf(!linux)('`findBubblewrap` starts a program again for a folder that does not exist', () => {
  fakeBubblewrap(0);
  findBubblewrap(folder, [folder]);
  fakeBubblewrap(1);
  expect(findBubblewrap(join(folder, 'none'), [folder])).toBeUndefined();
});

it.skipIf(!linux)('`findBubblewrap` starts a program again that did not work', () => {
  const starts = fakeBubblewrap(1);
  expect(findBubblewrap(folder, [folder])).toBeUndefined();
  expect(findBubblewrap(folder, [folder])).toBeUndefined();
  expect(starts()).toBe(2);
  fakeBubblewrap(0);
  expect(findBubblewrap(folder, [folder])).toBe(join(folder, 'bwrap'));
});
