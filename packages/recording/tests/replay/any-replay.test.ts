// Tests for the replay of any recording, in both formats. No request is refused, every break has a cause, and every
// token is counted. Apart from the forced cost, the cost is at most 2% above that of an ideal cache whose entries live
// five minutes.

import type { Lasting } from '@tidemark/agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultsOf } from './must-hold.ts';
import { replayRows } from './replay-rows.ts';
import type { Script } from './script.ts';
import { scripts } from './script.ts';
import { writeClaude } from './write-claude.ts';
import { writePi } from './write-pi.ts';

/**
 * Number of random recordings per format. The environment variable `TIDEMARK_REPLAYS` replaces the default of 40. About
 * ten recordings take a second.
 */
const RUNS = Number(process.env['TIDEMARK_REPLAYS'] ?? 40);

const LIVES = fc.constantFrom<Lasting>('5m', 'auto');

async function holds(
  script: Script,
  ttl: Lasting,
  write: (script: Script) => readonly (object | string)[],
): Promise<void> {
  const rows = write(script);
  if (rows.length === 0) return;
  const faults = await faultsOf(await replayRows(rows, ttl));
  // With `auto`, the runtime can choose the wrong lifetime, because it does not know the future. A high cost is
  // therefore a fault only with a fixed lifetime of `5m`.
  expect(faults.filter((fault) => ttl === '5m' || !fault.startsWith('expiring ratio'))).toEqual([]);
}

describe('the replay of any recording', () => {
  it('of pi costs at most 2% more than an ideal cache with five-minute entries, and every break has a cause', async () => {
    await fc.assert(
      fc.asyncProperty(scripts(40), LIVES, (script, ttl) => holds(script, ttl, writePi)),
      { numRuns: RUNS },
    );
  });

  it('of Claude Code costs at most 2% more than an ideal cache with five-minute entries, and every break has a cause', async () => {
    await fc.assert(
      fc.asyncProperty(scripts(40), LIVES, (script, ttl) => holds(script, ttl, writeClaude)),
      { numRuns: RUNS },
    );
  });
});
