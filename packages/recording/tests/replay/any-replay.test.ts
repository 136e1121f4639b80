// The replay of any recording, of both formats: nothing refused, no break without a cause, every token accounted for, and
// no more paid than a cache whose entries live five minutes makes necessary.

import type { Lasting } from '@tidemark/agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultsOf } from './must-hold.ts';
import { replayRows } from './replay-rows.ts';
import type { Script } from './script.ts';
import { scripts } from './script.ts';
import { writeClaude } from './write-claude.ts';
import { writePi } from './write-pi.ts';

/** Recordings per format; more by the variable, which takes a second for about ten. */
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
  // A life that was chosen may prove the wrong one: only what it costs is open then.
  expect(faults.filter((fault) => ttl === '5m' || !fault.startsWith('expiring ratio'))).toEqual([]);
}

describe('the replay of any recording', () => {
  it('of pi pays only what it must, and says of every break what caused it', async () => {
    await fc.assert(
      fc.asyncProperty(scripts(40), LIVES, (script, ttl) => holds(script, ttl, writePi)),
      { numRuns: RUNS },
    );
  });

  it('of Claude Code pays only what it must, and says of every break what caused it', async () => {
    await fc.assert(
      fc.asyncProperty(scripts(40), LIVES, (script, ttl) => holds(script, ttl, writeClaude)),
      { numRuns: RUNS },
    );
  });
});
