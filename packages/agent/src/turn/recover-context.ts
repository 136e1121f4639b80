// Compacts a turn automatically in three places: before a step whose request would be too full, after a request was
// refused as too long, and after an answer filled the window. Each compaction is reported with its trigger and the
// freed tokens.

import { largestParts } from '@tidemark/context';
import type { TurnId } from '@tidemark/log';
import type { ProviderError } from '@tidemark/model';
import { askerOf } from '../compact/ask-for-checkpoint.ts';
import { compactSession } from '../compact/compact-session.ts';
import type { TurnEnding } from '../decide/next-move.ts';
import {
  WINDOW_FULL,
  contextUnfit,
  gaugeNow,
  isIdle,
  triggerAtTurn,
  triggerAtWindow,
  triggerBefore,
  triggerBehind,
  windowFull,
} from '../decide/when-to-compact.ts';
import type { CompactionPolicy, CompactionReport, CompactionTrigger } from '../ports/compaction.ts';
import type { Notice } from '../ports/session-event.ts';
import type { Session } from '../session/session.ts';
import type { TurnContext } from '../session/turn-context.ts';
import { askSources } from '../sources/ask-sources.ts';

/**
 * Returns the compaction policy of this turn: the setting of the runtime, or else the policy that the log records for
 * the turn, or else `preflight`.
 */
export function policyOf({ session, runtime }: TurnContext): CompactionPolicy {
  return runtime.compaction ?? session.progress.turn?.compaction ?? 'preflight';
}

/** Compacts if the current gauge requires it. A refused compaction is reported, and the step continues without it. */
export async function relievePressure(work: TurnContext): Promise<void> {
  const { session, runtime } = work;
  const gauge = gaugeNow(session, runtime);
  const policy = policyOf(work);
  const trigger =
    triggerBefore(policy, session, gauge) ?? (isFirst(work) ? triggerAtTurn(policy, session, gauge) : undefined);
  if (trigger !== undefined) await compactInTurn(work, trigger);
  else if (isIdle(session)) sayIdle(work);
}

/** Returns true if the turn has sent no request yet. If a turn had ended and was resumed, it counts as a new turn. */
function isFirst({ session: { progress } }: TurnContext): boolean {
  return progress.lastRequest === undefined && progress.stepAttempts === 0;
}

/**
 * For each session, the position of the compaction that freed almost nothing and for which `context/compaction-idle`
 * was raised. Prevents a second notice about the same compaction.
 */
const TOLD_IDLE: WeakMap<Session, number> = new WeakMap();

/** Next action after a compaction that did not help. */
const SEE_PARTS = 'See the largest parts with `session.compact({ dryRun: true })`.';

/**
 * Reports that no further compaction is made before a step until the next prompt. There is only one such report for
 * each compaction.
 */
function sayIdle({ session, tell }: TurnContext): void {
  const last = session.state.compacted?.position;
  if (last === undefined || TOLD_IDLE.get(session) === last) return;
  TOLD_IDLE.set(session, last);
  const notice: Notice = {
    code: 'context/compaction-idle',
    tier: 'recovery',
    message: `the last compactions freed almost nothing, by the provider's own count: no further compaction is made before a step until the next prompt`,
    next: SEE_PARTS,
  };
  tell({ type: 'notice.raised', notice });
}

/**
 * Returns the trigger for a compaction after which the step is sent again. Returns `undefined` if a compaction is not
 * needed after this failure.
 */
export function recoveryFrom(work: TurnContext, error: ProviderError): CompactionTrigger | undefined {
  const { session, runtime } = work;
  // If the runtime itself ended the call, the error does not contain the transport.
  const { transport = runtime.provider.continues === true ? 'websocket' : 'http' } = error.data;
  const socket = transport === 'websocket';
  return triggerBehind(policyOf(work), session, error, { gauge: gaugeNow(session, runtime), socket });
}

/**
 * Compacts if there is a trigger. Returns the ending of the turn if the request must become smaller and the compaction
 * did not succeed. Otherwise returns `undefined`.
 */
export async function recoverContext(
  work: TurnContext,
  trigger: CompactionTrigger | undefined,
  error: ProviderError,
): Promise<TurnEnding | undefined> {
  const { session, signal } = work;
  if (signal.aborted) return undefined;
  const from = session.progress.recoveryCompactions;
  const report = trigger === undefined ? undefined : await compactInTurn(work, trigger, from);
  const fits = error.class !== 'compaction' || report?.outcome === 'compacted';
  // With the policy `manual`, the turn ends with the error of the failed call. This error already names the compaction
  // as the next action.
  if (fits || policyOf(work) === 'manual') return undefined;
  return contextUnfit(error.message, largestParts(session.state));
}

/**
 * Compacts after an answer that filled the window, so that the answer can continue. Returns the ending of the turn if
 * the compaction is not possible, otherwise `undefined`.
 */
export async function makeRoom(work: TurnContext): Promise<TurnEnding | undefined> {
  const { session } = work;
  const trigger = triggerAtWindow(policyOf(work), session);
  if (trigger === undefined) return windowFull(session.writer.session);
  const report = await compactInTurn(work, trigger);
  return report.outcome === 'compacted' ? undefined : contextUnfit(WINDOW_FULL, largestParts(session.state));
}

/**
 * For each session, the turn in which a model was asked for a checkpoint without success. No model is asked again in
 * the same turn.
 */
const ASKED_IN_VAIN: WeakMap<Session, TurnId> = new WeakMap();

async function compactInTurn(work: TurnContext, trigger: CompactionTrigger, from = 0): Promise<CompactionReport> {
  const { session, turn } = work;
  const asker = ASKED_IN_VAIN.get(session) === turn ? {} : askerOf(work);
  const report = await compactSession(work, { trigger, from, ...asker });
  if (report.askedInVain === true) ASKED_IN_VAIN.set(session, turn);
  if (report.refused !== 'interrupted') noticeCompaction(work, report);
  // The checkpoint also replaces context notes. The sources are asked again, so that current notes come after it.
  if (report.outcome === 'compacted') await askSources(work);
  return report;
}

function noticeCompaction({ tell }: TurnContext, { outcome, trigger, sizes, refused }: CompactionReport): void {
  const { before, after } = sizes;
  const notice =
    outcome === 'compacted'
      ? {
          code: 'context/compacted',
          tier: 'recovery' as const,
          message: `${trigger}: the history was compacted from about ${before} to ${after} tokens, which frees ${before - after}`,
          next: 'The log is complete: history_read reads the records that the checkpoint replaces.',
        }
      : {
          code: 'context/compaction-refused',
          tier: 'recovery' as const,
          message: `${trigger}: the history was not compacted (${refused}): about ${before} tokens would become ${after}, and the maximum is ${sizes.hard}`,
          next: `The turn continues as long as the model accepts its requests. ${SEE_PARTS}`,
        };
  tell({ type: 'notice.raised', notice });
}
