// Where a turn compacts by itself: before a step whose request would be too full, and behind one that was refused as too
// long or whose answer filled the window. Each is said, with its trigger and what it freed.

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

/** Returns who may compact in this turn: as the runtime is set, else as the turn was begun with, which the log holds. */
export function policyOf({ session, runtime }: TurnContext): CompactionPolicy {
  return runtime.compaction ?? session.progress.turn?.compaction ?? 'preflight';
}

/** Compacts where the gauge of now asks for it. A refusal is said, and the step goes on as it is. */
export async function relievePressure(work: TurnContext): Promise<void> {
  const { session, runtime } = work;
  const gauge = gaugeNow(session, runtime);
  const policy = policyOf(work);
  const trigger =
    triggerBefore(policy, session, gauge) ?? (isFirst(work) ? triggerAtTurn(policy, session, gauge) : undefined);
  if (trigger !== undefined) await compactInTurn(work, trigger);
  else if (isIdle(session)) sayIdle(work);
}

/** Whether the turn has no step yet. A turn that goes on was begun before. */
function isFirst({ session: { progress } }: TurnContext): boolean {
  return progress.lastRequest === undefined && progress.stepAttempts === 0;
}

/** Where a session was told that its compactions free nothing: the record of the last one. */
const TOLD_IDLE: WeakMap<Session, number> = new WeakMap();

/** Reports once that no further compaction is made. */
function sayIdle({ session, tell }: TurnContext): void {
  const last = session.state.compacted?.position;
  if (last === undefined || TOLD_IDLE.get(session) === last) return;
  TOLD_IDLE.set(session, last);
  const notice: Notice = {
    code: 'context/compaction-idle',
    tier: 'recovery',
    message: `the last compactions freed next to nothing by the provider's own count: none is made before a step until the next prompt`,
    next: `See what is large: tidemark compact ${session.writer.session} --dry-run --json.`,
  };
  tell({ type: 'notice.raised', notice });
}

/** Why the step can be asked again once the history was compacted; `undefined` where the failure stands. */
export function recoveryFrom(work: TurnContext, error: ProviderError): CompactionTrigger | undefined {
  const { session, runtime } = work;
  // An end that the runtime itself called says nothing of the way that the call went.
  const { transport = runtime.provider.continues === true ? 'websocket' : 'http' } = error.data;
  const socket = transport === 'websocket';
  return triggerBehind(policyOf(work), session, error, { gauge: gaugeNow(session, runtime), socket });
}

/** Compacts, where there is a reason to, so that the step can be asked again; what it returns ends the turn. */
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
  // Where a person alone may compact, the failure says so.
  if (fits || policyOf(work) === 'manual') return undefined;
  return contextUnfit(error.message, largestParts(session.state));
}

/** Compacts behind an answer that filled the window, so that it can go on; what it returns ends the turn. */
export async function makeRoom(work: TurnContext): Promise<TurnEnding | undefined> {
  const { session } = work;
  const trigger = triggerAtWindow(policyOf(work), session);
  if (trigger === undefined) return windowFull(session.writer.session);
  const report = await compactInTurn(work, trigger);
  return report.outcome === 'compacted' ? undefined : contextUnfit(WINDOW_FULL, largestParts(session.state));
}

/** The turn of a session in which a model was asked for a checkpoint and did not help: it is not asked again in this turn. */
const ASKED_IN_VAIN: WeakMap<Session, TurnId> = new WeakMap();

async function compactInTurn(work: TurnContext, trigger: CompactionTrigger, from = 0): Promise<CompactionReport> {
  const { session, turn } = work;
  const asker = ASKED_IN_VAIN.get(session) === turn ? {} : askerOf(work);
  const report = await compactSession(work, { trigger, from, ...asker });
  if (report.askedInVain === true) ASKED_IN_VAIN.set(session, turn);
  if (report.refused !== 'interrupted') say(work, report);
  // What the checkpoint stands for holds notes too: those in force are said again behind it.
  if (report.outcome === 'compacted') await askSources(work);
  return report;
}

function say({ tell }: TurnContext, { outcome, trigger, sizes, refused }: CompactionReport): void {
  const { before, after } = sizes;
  const notice =
    outcome === 'compacted'
      ? {
          code: 'context/compacted',
          tier: 'recovery' as const,
          message: `${trigger}: the history was compacted from about ${before} to ${after} tokens, ${before - after} are free`,
          next: 'The log is whole: history_read reads what the checkpoint stands for.',
        }
      : {
          code: 'context/compaction-refused',
          tier: 'recovery' as const,
          message: `${trigger}: the history was not compacted (${refused}): about ${before} tokens would become ${after}, and ${sizes.hard} are to be kept to`,
          next: 'The turn goes on as long as the model takes it. See what is large: tidemark compact --dry-run --json.',
        };
  tell({ type: 'notice.raised', notice });
}
