// Stop reasons (provider facts 1.9), and what they say of whether the answer is whole.

import type { Answer, StopReason } from '@tidemark/model';

interface MessageStop {
  readonly stop: StopReason;
  readonly truncated: Answer['truncated'];
}

const STOPS: ReadonlyMap<string, MessageStop> = new Map([
  ['end_turn', { stop: 'end', truncated: 'no' }],
  ['tool_use', { stop: 'calls', truncated: 'no' }],
  ['stop_sequence', { stop: 'sequence', truncated: 'no' }],
  ['pause_turn', { stop: 'pause', truncated: 'no' }],
  ['max_tokens', { stop: 'length', truncated: 'yes' }],
  ['model_context_window_exceeded', { stop: 'window', truncated: 'yes' }],
  ['refusal', { stop: 'refusal', truncated: 'unknown' }],
  ['compaction', { stop: 'other', truncated: 'no' }],
]);

/** What the provider's word means; a word that is not known, or none, is `other`. */
export function decodeStop(
  raw: string | null | undefined,
): Pick<Answer, 'stop' | 'truncated'> & { readonly stopRaw?: string } {
  if (raw === null || raw === undefined) return { stop: 'other', truncated: 'unknown' };
  return { ...(STOPS.get(raw) ?? { stop: 'other', truncated: 'unknown' }), stopRaw: raw };
}
