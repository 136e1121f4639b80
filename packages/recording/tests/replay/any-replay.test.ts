// The replay of any recording, of both formats: nothing refused, no break without a cause, every token accounted for, and
// no more paid than a cache whose entries live five minutes makes necessary.

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

async function holds(script: Script, write: (script: Script) => readonly (object | string)[]): Promise<void> {
  const rows = write(script);
  if (rows.length === 0) return;
  expect(await faultsOf(await replayRows(rows))).toEqual([]);
}

describe('the replay of any recording', () => {
  it('of pi pays only what it must, and says of every break what caused it', async () => {
    await fc.assert(
      fc.asyncProperty(scripts(40), (script) => holds(script, writePi)),
      { numRuns: RUNS },
    );
  });

  it('of Claude Code pays only what it must, and says of every break what caused it', async () => {
    await fc.assert(
      fc.asyncProperty(scripts(40), (script) => holds(script, writeClaude)),
      { numRuns: RUNS },
    );
  });
});
