// What the provider says of a miss, held against what we know: it compares the two requests itself, so it is a witness that
// shares no line of code with the fold. Its words are those of provider facts 1.4 and 2.2.

import type { DiagnosisRecord, EpochCause, MissCause } from '@tidemark/log';
import { groupOfCause } from '../base/cause-words.ts';

/**
 * `agrees`: what it says is what our cause would make it say. `disagrees`: it is not, and one of the two is wrong.
 * `explains`: we know of no cause, and it says what changed. `silent`: it says nothing that bears on the cause.
 */
export type CrossCheckVerdict = 'agrees' | 'disagrees' | 'explains' | 'silent';

type BreakOrMissCause = EpochCause | MissCause;

const SETTINGS: readonly BreakOrMissCause[] = ['parameters', 'parameter'];
const HISTORY: readonly BreakOrMissCause[] = ['compaction', 'pruning', 'quarantine', 'image', 'thinking-stripped'];
const SYSTEM: readonly BreakOrMissCause[] = ['skills', 'contract', 'role'];
/** A compaction can add the tools that waited for an epoch, and a contract its own. */
const TOOLS: readonly BreakOrMissCause[] = ['tools', 'contract', 'compaction'];

/** Which of our causes make a provider say a word. Anthropic counts `speed` as the model; OpenAI keys by tools and skills. */
const CAUSES_OF: ReadonlyMap<string, readonly BreakOrMissCause[]> = new Map([
  ['model_changed', ['model', ...SETTINGS]],
  ['tools_changed', TOOLS],
  ['system_changed', SYSTEM],
  ['messages_changed', HISTORY],
  ['prompt_cache_key_changed', ['model', 'skills', 'overflow-routing', ...TOOLS]],
  ['text_format_changed', SETTINGS],
  ['verbosity_changed', SETTINGS],
  ['service_tier_changed', SETTINGS],
  ['reasoning_effort_changed', ['reasoning', ...SETTINGS]],
  ['context_compacted', ['compaction', ...SETTINGS]],
  ['input_changed', [...SYSTEM, ...HISTORY]],
]);

/**
 * Holds a diagnosis against the causes that we have for one miss: its own, and that of the epoch that opened with it. A word
 * that is not known agrees with nothing.
 */
export function crossCheck({ found, reason }: DiagnosisRecord, causes: readonly BreakOrMissCause[]): CrossCheckVerdict {
  const ours = causes.filter((cause) => cause !== 'opened' && cause !== 'unknown');
  switch (found) {
    case 'pending':
    case 'unknown-response':
    case 'unavailable':
      return 'silent';
    case 'miss':
      if (ours.length === 0) return 'explains';
      return ours.some((cause) => CAUSES_OF.get(reason ?? '')?.includes(cause)) ? 'agrees' : 'disagrees';
    case 'hit':
    case 'same':
      // A request that only grew can lose what the cache held, by its age or by what the cache did.
      if (ours.length === 0) return 'explains';
      return ours.every((cause) => groupOfCause(cause) === 'change') ? 'disagrees' : 'agrees';
  }
}
