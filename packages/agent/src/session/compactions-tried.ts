// What came of the automatic compactions of a session: how many were refused, how many were made to get a step accepted, and
// how many freed next to nothing once the provider had counted.

import type { AnswerReceived, HistoryCompacted } from '@tidemark/log';
import { inputTokens } from '@tidemark/model';
import { isRecovery } from './triggers.ts';

/** See the head of this file. */
export interface CompactionsTried {
  /** Automatic ones in a row that were refused, with nothing new for the model in between. */
  refusals: number;
  /** Those that were made to get the step at hand accepted: each keeps less than the one before it. */
  recoveries: number;
  /** Automatic ones in a row that left more than `MOST_LEFT` of the request by the provider's own count, since the last prompt. */
  idle: number;
  /** Tokens of the request before the last automatic one, until the first answer behind it tells what it freed. */
  unproven: number | undefined;
}

/** Share of a request that a compaction leaves at most where it is worth making: what a plan promises too. */
const MOST_LEFT = 0.8;

/** Nothing tried. */
export const NOTHING_TRIED: Readonly<CompactionsTried> = { refusals: 0, recoveries: 0, idle: 0, unproven: undefined };

/** Somebody said something: automatic compactions are tried again. */
export function trySince(tried: CompactionsTried): void {
  tried.refusals = 0;
  tried.idle = 0;
}

/** Takes a compaction that was made. */
export function takeCompaction(tried: CompactionsTried, { trigger, before }: HistoryCompacted): void {
  tried.refusals = 0;
  tried.recoveries += isRecovery(trigger) ? 1 : 0;
  tried.unproven = trigger === 'manual' ? undefined : before;
}

/** Takes an answer of the main stream: the first one behind a compaction tells what that has freed. An unknown count tells nothing. */
export function takeAnswer(tried: CompactionsTried, { usage }: AnswerReceived): void {
  const { unproven: before } = tried;
  const input = inputTokens(usage);
  tried.refusals = 0;
  tried.recoveries = 0;
  tried.unproven = undefined;
  if (before === undefined || input === undefined) return;
  tried.idle = input > MOST_LEFT * before ? tried.idle + 1 : 0;
}
