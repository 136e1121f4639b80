// Reports the verification of requests that another program sent and recorded.

import type { ObservedDifference, ObservedVerification } from '@tidemark/agent';

import { formatCount, formatNumber } from '../frame/numbers.ts';

/** True if all parts of a request are in the log, but the digest of its bytes differs from the recorded digest. */
export function isDifferent({ missing, recorded, rebuilt }: ObservedDifference): boolean {
  return missing.length === 0 && recorded !== undefined && rebuilt !== undefined;
}

/** Maximum number of parts that one line names. */
export const PARTS_SHOWN = 5;

/**
 * Returns the lines of the report. For each request whose recorded digest cannot be reproduced, they name the request
 * and the reason.
 */
export function observedLines(found: ObservedVerification): readonly string[] {
  const { requests, identical, differences, partial, breaks } = found;
  if (requests === 0) return [];
  const different = differences.filter(isDifferent).length;
  const incomplete = differences.length - different;
  const counts = [
    differences.length === 0
      ? 'all rebuilt to their recorded digests'
      : `${formatNumber(identical)} rebuilt to their recorded digests`,
    ...(different === 0 ? [] : [`${formatNumber(different)} differ`]),
    ...(incomplete === 0 ? [] : [`${formatNumber(incomplete)} cannot be compared`]),
  ];
  return [
    `${formatCount(requests, 'recorded request')} of another program: ${counts.join(', ')}`,
    `${formatCount(breaks, 'break')} of their prefix, derived; L3 is not claimed for them`,
    ...(partial === 0
      ? []
      : [`the program left parts out of ${formatCount(partial, 'record')}; no digest covers them`]),
    ...differences.map((one) => `step ${one.step}: ${reasonOf(one)}`),
  ];
}

function reasonOf({ missing, recorded, rebuilt }: ObservedDifference): string {
  if (missing.length > 0) {
    const more = missing.length - PARTS_SHOWN;
    const parts = missing.slice(0, PARTS_SHOWN).join(', ');
    return `the transcript does not contain ${formatCount(missing.length, 'part')}: ${parts}${more > 0 ? ` and ${more} more` : ''}`;
  }
  if (rebuilt === undefined) return 'this version does not know the form of its body';
  if (recorded === undefined) return 'the transcript contains no digest of it';
  return `recorded ${recorded.slice(0, 12)}…, rebuilt ${rebuilt.slice(0, 12)}…`;
}
