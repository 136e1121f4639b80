// Contract suite of the Log port. Every store passes the whole suite. Other packages rely only on behavior that the
// suite checks.

import { describe } from 'vitest';
import { claimAppends } from './claims/append.ts';
import { claimArtifacts } from './claims/artifacts.ts';
import { claimBounds } from './claims/bounds.ts';
import { claimDamage } from './claims/damage.ts';
import { claimForks } from './claims/fork.ts';
import { claimLists } from './claims/list.ts';
import { claimRaw } from './claims/raw.ts';
import { claimReads } from './claims/read.ts';
import { claimShared } from './claims/shared.ts';
import { claimSnapshots } from './claims/snapshot.ts';
import { claimTails } from './claims/tail.ts';
import { claimUndo } from './claims/undo.ts';
import { claimOneWriter } from './claims/one-writer.ts';
import type { LogFactory } from './log-under-test.ts';

export { claimArtifacts } from './claims/artifacts.ts';
export { claimUndo } from './claims/undo.ts';
export { EVENTS, aTime, anEvent } from './arbitrary-event.ts';
export type { LogFactory, LogUnderTest } from './log-under-test.ts';
export {
  appended,
  created,
  digestOf,
  fails,
  flipped,
  gather,
  NOON,
  parentAt,
  prompt,
  prompts,
  textOrKind,
  session,
  sessionWith,
  texts,
  untilFailure,
} from './samples.ts';

/** Registers the whole contract suite for one store. */
export function describeLogContract(name: string, factory: LogFactory): void {
  describe(`${name} fulfils the contract of the Log port`, () => {
    claimAppends(factory);
    claimReads(factory);
    claimTails(factory);
    claimForks(factory);
    claimOneWriter(factory);
    claimDamage(factory);
    claimArtifacts(factory);
    claimSnapshots(factory);
    claimShared(factory);
    claimUndo(factory);
    claimRaw(factory);
    claimLists(factory);
    claimBounds(factory);
  });
}
