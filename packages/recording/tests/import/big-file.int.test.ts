import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const full = process.env['TIDEMARK_FULL'] === '1';
if (!full) console.warn('imports 30 MB; with TIDEMARK_FULL=1 also 200 MB');

interface Measured {
  readonly rows: number;
  readonly lines: number;
  readonly calls: number;
  readonly grown: number;
}

async function measure(megabytes: number, kind: 'plain' | 'requests'): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-big-'));
  try {
    const script = join(import.meta.dirname, 'import-big-file.ts');
    // The heap of the process is limited to 96 MB, so it cannot hold a large file.
    const flags = ['--expose-gc', '--max-old-space-size=96'];
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...flags,
      script,
      join(folder, 'big.jsonl'),
      `${megabytes}`,
      kind,
    ]);
    const measured: Measured = JSON.parse(stdout);
    return measured;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('a large transcript', () => {
  it.each(full ? [30, 200] : [30])(
    'of %i MB is imported in memory that does not grow with the size of the file',
    async (megabytes) => {
      const { rows, lines, calls, grown } = await measure(megabytes, 'plain');
      expect(lines).toBe(rows);
      expect(calls).toBe(rows / 3);
      // The limit is 8 MiB for unfinished state, plus 200 bytes for each record.
      expect(grown).toBeLessThan(8 * 1024 * 1024 + rows * 200);
    },
  );

  it.each(full ? [30, 500] : [30])(
    'of %i MB with recorded requests is imported in memory that does not grow with the size of the file',
    async (megabytes) => {
      const { rows, lines, grown } = await measure(megabytes, 'requests');
      expect(lines).toBe(rows);
      // Each row has one more digest, of a recorded message, in the index.
      expect(grown).toBeLessThan(8 * 1024 * 1024 + rows * 300);
    },
  );
});
