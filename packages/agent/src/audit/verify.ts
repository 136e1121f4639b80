// Every request ever sent, rebuilt from the log and compared with the digest recorded before it went out (L2); and each
// sequence with the one before it on its stream (L3).

import type { EpochCause, Log, Position, SessionId } from '@tidemark/log';
import type { Sequence } from '@tidemark/context';
import { itemAt } from '@tidemark/context';
import type { Rebuilt, RebuildOptions } from './rebuild.ts';
import { rebuildSession } from './rebuild.ts';

/** A request whose bytes could not be made again. */
export interface ByteDifference {
  readonly step: number;
  readonly stream: string;
  readonly position: Position;
  readonly recorded: string;
  /** `none` where it could not be made at all. */
  readonly rebuilt: string;
  /** Why it could not. */
  readonly reason?: string;
}

/** A request of the main stream that does not extend the one before it. */
export interface Break {
  readonly step: number;
  readonly position: Position;
  /** The cause of the epoch that opened with it; absent for a break that nothing explains. */
  readonly cause?: EpochCause;
}

/** What `verify` found. */
export interface Verification {
  readonly records: number;
  /** Requests of this runtime, side calls included; an import holds none. */
  readonly requests: number;
  readonly differences: readonly ByteDifference[];
  readonly breaks: readonly Break[];
  /** What the fold set aside. */
  readonly problems: readonly string[];
}

/** Rebuilds each request of a session. Work follows the log, not the sum of the bodies, unless `full`. */
export async function verifySession(log: Log, session: SessionId, options: RebuildOptions): Promise<Verification> {
  const differences: ByteDifference[] = [];
  const breaks: Break[] = [];
  let records = 0;
  let requests = 0;
  let before: Rebuilt | undefined;
  let problems: readonly string[] = [];
  const unmade: RebuildOptions['unmade'] = ({ position, data }, { message: reason }) => {
    requests += 1;
    if (data.stream === 'main') before = undefined;
    const { step, stream, digest: recorded } = data;
    differences.push({ step, stream, position, recorded, rebuilt: 'none', reason });
  };
  for await (const step of rebuildSession(log, session, { ...options, unmade })) {
    if (step.type === 'record') {
      records += 1;
      if (step.state.problems.length > problems.length)
        problems = step.state.problems.buffer.map((problem) => `record ${problem.position}: ${problem.message}`);
      continue;
    }
    requests += 1;
    const { rebuilt } = step;
    differences.push(...differencesOf(rebuilt));
    // Each side call is a stream of its own: it has nothing before it to break with.
    if (rebuilt.record.data.stream !== 'main') continue;
    if (before !== undefined && !extendsSequence(before.line.sequence, rebuilt.line.sequence))
      breaks.push(breakOf(before, rebuilt));
    before = rebuilt;
  }
  return { records, requests, differences, breaks, problems };
}

/** Whether a sequence begins with all of another one, under the same render parameters (L3). */
export function extendsSequence(before: Sequence, after: Sequence): boolean {
  const end = before.blocks.length - 1;
  return (
    before.parameters.messages === after.parameters.messages &&
    itemAt(before.prefixes, end) === itemAt(after.prefixes, end)
  );
}

/** A request that was recorded in two forms must be made again in both. */
function differencesOf({ record, digest, continuation }: Rebuilt): readonly ByteDifference[] {
  const { position, data } = record;
  const { step, stream } = data;
  const forms = [
    { recorded: data.digest, rebuilt: digest },
    ...(data.continuation === undefined
      ? []
      : [{ recorded: data.continuation.digest, rebuilt: continuation ?? 'none' }]),
  ];
  return forms
    .filter(({ recorded, rebuilt }) => recorded !== rebuilt)
    .map((form) => ({ step, stream, position, ...form }));
}

function breakOf(before: Rebuilt, after: Rebuilt): Break {
  const { step } = after.record.data;
  const epoch = after.state.epoch;
  const opened = epoch !== undefined && epoch.position !== before.state.epoch?.position;
  return { step, position: after.record.position, ...(opened ? { cause: epoch.opened.cause } : {}) };
}
