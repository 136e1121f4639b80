// Decides when the runtime compacts without a command. With policy `manual` it never does, and the error names the
// command to run.

import { defined } from '@tidemark/core';
import type { Gauge, State } from '@tidemark/context';
import { CRITICAL, gaugeOf, LAST_RUNG, turnGrowth } from '@tidemark/context';
import type { ProviderError, ProviderErrorCode } from '@tidemark/model';
import type { CompactionPolicy, CompactionTrigger } from '../ports/compaction.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Progress } from '../session/progress.ts';
import type { TurnEnding } from './next-move.ts';

/** After this number of consecutive refusals, no compaction is tried until there is new content. */
const MAX_REFUSALS = 2;

/**
 * Maximum number of consecutive compactions that freed almost nothing. After them, no compaction is made before a step
 * until the next prompt.
 */
const MAX_IDLE = 2;

/** State and progress of a session. They decide if the runtime compacts. */
export interface Compactable {
  readonly state: State;
  readonly progress: Pick<Progress, 'compactionRefusals' | 'recoveryCompactions' | 'idleCompactions'>;
}

/** Returns the current gauge of a session: the measured input, the limits and the tier. */
export function gaugeNow(
  session: Pick<Compactable, 'state'>,
  runtime: Pick<Runtime, 'capabilities' | 'outputLimit' | 'budgets' | 'surroundings'>,
): Gauge {
  const { capabilities, outputLimit, budgets, surroundings } = runtime;
  const at = surroundings.now();
  return gaugeOf(session.state, capabilities, defined({ outputLimit, at, budgets }));
}

/**
 * Returns the reason to compact before the next step, or `undefined` if no compaction is needed or allowed. `gauge`
 * must be the current gauge of the session.
 */
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

/**
 * Share of the window. If a turn begins with less input than this share, no compaction is made, even if earlier turns
 * were long.
 */
const HALF = 0.5;

/**
 * Decides if a compaction is made before the first step of a turn. The expected growth is the median of the last three
 * turns. If the input would become critical with this growth, returns the reason, otherwise `undefined`. Without this
 * compaction, the turn would be compacted in the middle of its work. Until then, each of its calls would read an almost
 * full window.
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

/**
 * Returns the reason to compact after a failed call. The call is then sent again. Returns `undefined` if a compaction
 * would not help or is not allowed.
 */
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

/**
 * Returns the reason to compact after an answer that stopped because the window was full. Returns `undefined` if the
 * runtime is not allowed to compact.
 */
export function triggerAtWindow(policy: CompactionPolicy, session: Compactable): CompactionTrigger | undefined {
  return mayCompact(policy, session) ? 'overflow_recovery' : undefined;
}

/**
 * Returns true if the last compactions freed almost nothing according to the provider's count. No compaction is then
 * made before a step. If a provider refuses a request as too long, a compaction is still possible.
 */
export function isIdle({ progress }: Pick<Compactable, 'progress'>): boolean {
  return progress.idleCompactions >= MAX_IDLE;
}

/** Error codes of a broken connection. */
const TRANSPORT: readonly ProviderErrorCode[] = [
  'provider/connection',
  'provider/cut',
  'provider/silent',
  'provider/timeout',
];

function mayCompact(policy: CompactionPolicy, { progress }: Compactable): boolean {
  return policy !== 'manual' && progress.compactionRefusals < MAX_REFUSALS;
}

/** Returns true if a recorded compaction waits for the next request, which has to apply it. */
function waits({ compacted, epoch }: State): boolean {
  return compacted !== undefined && compacted.position !== epoch?.opened.checkpoint;
}

/**
 * Returns the end of a turn whose request does not fit the window even after compaction. `why` is the evidence for
 * this, such as the provider's error.
 */
export function contextUnfit(
  why: string,
  largest: readonly { readonly what: string; readonly tokens: number }[],
): TurnEnding {
  const sizes = largest.map(({ what, tokens }) => `${what}: about ${tokens}`).join(', ');
  const message = `the context does not fit the model's window, and compaction cannot make it fit (${why}). The largest parts, in tokens: ${sizes}`;
  const next = 'Nothing is lost. Send smaller pieces, or switch to a model with a larger window.';
  return { outcome: 'failed', error: { code: 'turn/context-unfit', message, next } };
}

/**
 * Returns the end of a turn whose answer stopped because the window was full, if the runtime is not allowed to compact.
 * The user has to compact next.
 */
export function windowFull(session: string): TurnEnding {
  const next = `Compact the history (tidemark compact ${session}, or compact() of the session), then resume.`;
  return { outcome: 'failed', error: { code: 'turn/window-full', message: WINDOW_FULL, next } };
}

/** Error message for an answer that stopped because the window was full. */
export const WINDOW_FULL = "the answer was cut off at the end of the model's window";
