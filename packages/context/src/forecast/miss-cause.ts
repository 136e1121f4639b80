// Why a call read less than was sent before it: what was known before sending, else what the evidence says afterwards.
// Without evidence the cause is unknown.

import type { DiagnosisRecord, MissCause } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import type { Loss, Outlook } from './forecast.ts';

/** What a cause is told by. */
export interface MissEvidence {
  readonly capabilities: Pick<Capabilities, 'routing' | 'markers'>;
  /** The loss that was known before sending. */
  readonly loss: Loss | undefined;
  /** Why this request could not read what the call before left, whatever the request holds: its age, or another account. */
  readonly gone?: Outlook['gone'];
  /** This session called more often than one machine takes of one key. */
  readonly crowded?: boolean;
  /** What the provider says of the request, compared with the one before. */
  readonly diagnosis?: DiagnosisRecord | undefined;
  /** The provider counted an entry with this identical prefix, under the same parameters, and its life has not ended. */
  readonly seen?: boolean;
}

/**
 * The causes of a miss, the weightiest first; never empty. An entry that had expired, or that another account
 * holds, is lost whatever else changed: the change is then named second. What no one foresaw is named by the provider's diagnosis or by an identical prefix that
 * was seen, else it is `unknown`.
 */
export function causesOfMiss(evidence: MissEvidence): readonly [MissCause, ...MissCause[]] {
  const { loss, gone } = evidence;
  if (loss === undefined || loss.cause === 'unknown') return [unforeseen(evidence)];
  return gone === undefined || loss.cause === gone ? [loss.cause] : [gone, loss.cause];
}

/** Words of a provider for a setting that enters its cache key and that no event of ours changed. */
const SETTINGS: readonly string[] = [
  'model_changed',
  'text_format_changed',
  'verbosity_changed',
  'service_tier_changed',
  'reasoning_effort_changed',
];

function unforeseen({ capabilities, crowded = false, diagnosis, seen = false, loss }: MissEvidence): MissCause {
  const { routing, markers } = capabilities;
  if (routing === 'by-key' && crowded) return 'overflow-routing';
  if (diagnosis?.found === 'miss') {
    return SETTINGS.includes(diagnosis.reason ?? '') ? 'parameter' : 'unknown';
  }
  if (loss !== undefined) return 'unknown';
  // A router may have taken another upstream, and a provider that finds entries by a key another machine.
  const isKept = markers === 'explicit' && routing === undefined;
  if (seen && (diagnosis?.found === 'same' || isKept)) return 'evicted';
  return 'unknown';
}
