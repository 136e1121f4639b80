// When the runtime compacts by itself. `manual` has no way round it: there the failure says what to run.

import { defined } from '@tidemark/core';
import type { Gauge, State } from '@tidemark/context';
import { CRITICAL, gaugeOf, LAST_RUNG, turnGrowth } from '@tidemark/context';
import type { ProviderError, ProviderErrorCode } from '@tidemark/model';
import type { CompactionPolicy, CompactionTrigger } from '../ports/compaction.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Progress } from '../session/progress.ts';
import type { TurnEnding } from './next-move.ts';

/** Refusals in a row after which nothing is tried until there is something new. */
const MOST_REFUSALS = 2;

/** Compactions in a row that freed next to nothing after which none is made before a step until the next prompt. */
const MOST_IDLE = 2;

/** What decides. */
export interface Compactable {
  readonly state: State;
  readonly progress: Pick<Progress, 'compactionRefusals' | 'recoveryCompactions' | 'idleCompactions'>;
}

/** Reads the gauge of a session as it is now. */
export function gaugeNow(
  session: Pick<Compactable, 'state'>,
  runtime: Pick<Runtime, 'capabilities' | 'outputLimit' | 'budgets' | 'surroundings'>,
): Gauge {
  const { capabilities, outputLimit, budgets, surroundings } = runtime;
  const at = surroundings.now();
  return gaugeOf(session.state, capabilities, defined({ outputLimit, at, budgets }));
}

/** Why to compact before the next step; `undefined` where nothing is to be done. The gauge is the one of now. */
export function triggerBefore(
  policy: CompactionPolicy,
  session: Compactable,
  gauge: Gauge,
): CompactionTrigger | undefined {
  if (!mayCompact(policy, session) || waits(session.state) || isIdle(session)) return undefined;
  if (gauge.tier === 'critical') return 'critical_pressure_preflight';
  const { input = 0, hard } = gauge;
  return policy === 'auto' && hard > 0 && input >= hard ? 'auto' : undefined;
}

/** Share of the window below which a turn begins without a compaction, however long the turns before it were. */
const HALF = 0.5;

/**
 * Why to compact before the first step of a turn: with as many tokens as the turns before it added, it would become critical, and
 * would be compacted in the midst of its work. Until then each of its calls would read a nearly full window.
 */
export function triggerAtTurn(
  policy: CompactionPolicy,
  session: Compactable,
  { input, limit }: Pick<Gauge, 'input' | 'limit'>,
): CompactionTrigger | undefined {
  if (!mayCompact(policy, session) || waits(session.state) || isIdle(session)) return undefined;
  if (input === undefined || limit === 0 || input < HALF * limit) return undefined;
  const growth = turnGrowth(session.state);
  return growth !== undefined && input + growth >= CRITICAL * limit ? 'turn_preflight' : undefined;
}

/** Why to compact behind a failed call, and ask again; `undefined` where the failure stands. */
export function triggerBehind(
  policy: CompactionPolicy,
  session: Compactable,
  error: ProviderError,
  { gauge, socket }: { readonly gauge: Gauge; readonly socket: boolean },
): CompactionTrigger | undefined {
  if (!mayCompact(policy, session) || session.progress.recoveryCompactions > LAST_RUNG) return undefined;
  if (error.class === 'compaction') return 'overflow_recovery';
  const died = socket && TRANSPORT.includes(error.code);
  return died && gauge.tier === 'critical' ? 'websocket_critical_recovery' : undefined;
}

/** Why to compact behind an answer that stopped as the window was full; `undefined` where the runtime may not. */
export function triggerAtWindow(policy: CompactionPolicy, session: Compactable): CompactionTrigger | undefined {
  return mayCompact(policy, session) ? 'overflow_recovery' : undefined;
}

/** Whether the last compactions freed next to nothing by the provider's own count. A refused request is still recovered from. */
export function isIdle({ progress }: Pick<Compactable, 'progress'>): boolean {
  return progress.idleCompactions >= MOST_IDLE;
}

/** What a transport that died is told by. */
const TRANSPORT: readonly ProviderErrorCode[] = [
  'provider/connection',
  'provider/cut',
  'provider/silent',
  'provider/timeout',
];

function mayCompact(policy: CompactionPolicy, { progress }: Compactable): boolean {
  return policy !== 'manual' && progress.compactionRefusals < MOST_REFUSALS;
}

/** A compaction is recorded, and the next request takes it up. */
function waits({ compacted, epoch }: State): boolean {
  return compacted !== undefined && compacted.position !== epoch?.opened.checkpoint;
}

/** The end of a turn whose request fits no window, however much is left out. `why`: how that was told. */
export function contextUnfit(
  why: string,
  largest: readonly { readonly what: string; readonly tokens: number }[],
): TurnEnding {
  const sizes = largest.map(({ what, tokens }) => `${what}: about ${tokens}`).join(', ');
  const message = `the context does not fit the model's window, and no compaction makes it fit (${why}). The largest parts, in tokens: ${sizes}`;
  const next = 'Nothing is lost. Say it in smaller pieces, or go on with a model that has a larger window.';
  return { outcome: 'failed', error: { code: 'turn/context-unfit', message, next } };
}

/** The end of a turn whose answer filled the window, where a person alone may compact. */
export function windowFull(session: string): TurnEnding {
  const next = `Compact the history (tidemark compact ${session}, or compact() of the session), then resume.`;
  return { outcome: 'failed', error: { code: 'turn/window-full', message: WINDOW_FULL, next } };
}

/** How a full window is told. */
export const WINDOW_FULL = "the answer was cut where the model's window ends";
