// Checks the requests that another program recorded: rebuilds each body and compares it with the recorded digest.

import type { Artifacts, Position, Recorded } from '@tidemark/log';
import { extendsSequence } from './extends-sequence.ts';
import type { ObservedRequest } from './observed-requests.ts';
import { createObservedReader } from './observed-requests.ts';

/** Observed request whose rebuilt body does not have the recorded digest. */
export interface ObservedDifference {
  readonly step: number;
  readonly position: Position;
  /**
   * Parts whose content the recording does not contain. Empty if the recording contains all parts and only the digest
   * differs.
   */
  readonly missing: readonly string[];
  /** Recorded digest. Absent if the recording contains no digest. */
  readonly recorded?: string;
  /** Digest of the rebuilt body. Absent if a part is missing. */
  readonly rebuilt?: string;
}

/** Result of checking the observed requests of a session. */
export interface ObservedVerification {
  readonly requests: number;
  /** Number of requests whose rebuilt body has the recorded digest. */
  readonly identical: number;
  readonly differences: readonly ObservedDifference[];
  /** Number of requests with parts that the recording omits on purpose. Their digest does not cover these parts. */
  readonly partial: number;
  /** Number of requests that do not extend the previous one. L3 is not claimed for them. */
  readonly breaks: number;
}

/** Takes the records of a session in order. */
export interface ObservedCheck {
  /** @throws LogError as the store does. */
  take(record: Recorded): Promise<void>;
  result(): ObservedVerification;
}

/** Creates a check to which no record has been added yet. */
export function checkObserved(artifacts: Artifacts): ObservedCheck {
  const reader = createObservedReader(artifacts, { sized: false });
  const differences: ObservedDifference[] = [];
  let [requests, partial, breaks] = [0, 0, 0];
  let before: ObservedRequest | undefined;
  return {
    take: async (record) => {
      const observed = await reader.read(record);
      if (observed === undefined) return;
      requests += 1;
      if (observed.record.data.leftOut !== undefined) partial += 1;
      differences.push(...differencesOf(observed));
      if (isBreak(before, observed)) breaks += 1;
      before = observed;
    },
    result: () => ({ requests, identical: requests - differences.length, differences, partial, breaks }),
  };
}

/** True if a request can be compared with the previous one and does not extend it. */
export function isBreak(before: ObservedRequest | undefined, after: ObservedRequest): boolean {
  return before !== undefined && before.named && after.named && !extendsSequence(before.sequence, after.sequence);
}

function differencesOf({ record, missing, digest }: ObservedRequest): readonly ObservedDifference[] {
  const { step, digest: recorded } = record.data;
  if (digest !== undefined && digest === recorded) return [];
  const place = { step, position: record.position, missing };
  return [
    {
      ...place,
      ...(recorded === undefined ? {} : { recorded }),
      ...(digest === undefined ? {} : { rebuilt: digest }),
    },
  ];
}
