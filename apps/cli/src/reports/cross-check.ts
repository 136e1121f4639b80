// Describes the provider's own diagnosis of a miss. Reports if the diagnosis agrees with the cause that Tidemark found.

import type { Explanation } from '@tidemark/agent';

import { formatNumber } from '../frame/numbers.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

type Checked = NonNullable<Explanation['checked']>;

/**
 * Returns the diagnosis as one line. If the two causes disagree, the line is highlighted, because either the provider
 * or our explanation is wrong.
 */
export function describeCheck({ diagnosis, verdict }: Checked): Shown {
  const words = wordsOf(diagnosis);
  switch (verdict) {
    case 'agrees':
      return `the provider agrees: ${words}`;
    case 'disagrees':
      return withStyle('red', `the provider disagrees: ${words}`);
    case 'explains':
      return `the provider reports: ${words}${diagnosis.found === 'same' ? ', so the entry was no longer in its cache' : ''}`;
    case 'silent':
      return `no diagnosis from the provider: ${words}`;
  }
}

function wordsOf({ found, reason, missed }: Checked['diagnosis']): string {
  switch (found) {
    case 'same':
      return 'the content that was sent before is unchanged';
    case 'hit':
      return 'its cache was hit';
    case 'miss':
      return `${reason ?? 'a miss'}${missed === undefined ? '' : `, about ${formatNumber(missed)} tokens`}`;
    case 'pending':
      return 'it answered before its comparison was finished';
    case 'unknown-response':
      return 'it does not remember the previous request';
    case 'unavailable':
      return 'it offers none, or it has no name for the change';
  }
}
