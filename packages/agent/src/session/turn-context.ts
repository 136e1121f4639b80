// Context of a turn: the session, its runtime, the listener for events, and the signal to stop.

import type { CallId, EffectClass, TurnId } from '@tidemark/log';
import { messageOf } from '../errors.ts';
import type { AskBeside } from '../ports/compaction.ts';
import type { Runtime, TurnWatch } from '../ports/runtime.ts';
import type { Notice, SessionEvent } from '../ports/session-event.ts';
import type { SubagentOrder } from '../ports/subagent.ts';
import type { ToolOutput } from '../ports/tool.ts';
import type { AnswerSchema } from './answer-schema.ts';
import type { Session } from './session.ts';
import type { TurnTaken } from './spent.ts';
import { NOTHING_SPENT } from './spent.ts';

/** A call that delegates its work to a subagent. */
export interface Delegation {
  readonly call: CallId;
  readonly order: SubagentOrder;
  readonly signal: AbortSignal;
  /** Reports the progress of the subagent. */
  say(text: string): void;
}

/** Starts the subagent of a call, or resumes it. The output contains the fact `subagent.ended`. */
type Delegate = (delegation: Delegation) => Promise<ToolOutput>;

/** Schema that the last answer of a turn must match, and the number of corrections that were requested. */
export interface AnswerCheck {
  readonly schema: AnswerSchema<unknown>;
  corrections: number;
}

export interface TurnContext {
  readonly session: Session;
  readonly runtime: Runtime;
  readonly turn: TurnId;
  /** Start of the turn, in milliseconds of `surroundings.elapsed`. */
  readonly begunAt: number;
  /** Signal that aborts when the user interrupts the turn. */
  readonly signal: AbortSignal;
  readonly side?: AskBeside;
  /** Function that changes the tools of the running session. */
  readonly applyRuntimeChange?: (change: Pick<Runtime, 'tools' | 'given' | 'takeTools'>) => void;
  readonly delegate?: Delegate;
  /** Check of the last answer, if it must match a schema. */
  readonly answerCheck?: AnswerCheck;
  /** Watch that finds the changes that the turn made outside of the session. */
  readonly watched?: WatchedTurn;
  /**
   * Keys of the notices that were already raised. Each of them is raised only one time in a session. All turns share
   * this set.
   */
  readonly raisedNotices?: Set<string>;
  /** Sends an ephemeral event to presenters. The session itself sends the recorded ones. */
  readonly tell: (event: SessionEvent) => void;
}

/** Returns the usage of the turn up to now. */
export function takenBy({ session, runtime, begunAt }: TurnContext): TurnTaken {
  const spent = session.progress.turn?.spent ?? NOTHING_SPENT;
  return { spent, ms: runtime.surroundings.elapsed() - begunAt };
}

/** Sends a notice of a tool or a hook with its text masked, because the text may quote the output of a program. */
export async function raiseNotice(
  { session: { secrets }, tell }: Pick<TurnContext, 'session' | 'tell'>,
  { message, next, ...rest }: Notice,
): Promise<void> {
  const notice = { ...rest, message: await secrets.mask(message), next: await secrets.mask(next) };
  tell({ type: 'notice.raised', notice });
}

/** Watches one turn. It never throws: a failed comparison becomes a notice. */
interface WatchedTurn {
  /**
   * Records the outside state before the first call of the turn that can change something. Called before each group of
   * calls, with the effect classes of the calls.
   */
  begin(effects: readonly EffectClass[]): Promise<void>;
  /** Compares the recorded state with the current state and raises the notices. Called when the turn has ended. */
  end(): Promise<void>;
}

/** Creates the watch of one turn. If a turn only reads, the watch does nothing. */
export function watchTurn(watch: TurnWatch | undefined, tell: (event: SessionEvent) => void): WatchedTurn {
  let look: Promise<() => Promise<readonly Notice[]>> | undefined;
  const raise = (notice: Notice): void => tell({ type: 'notice.raised', notice });
  return {
    async begin(effects) {
      if (watch === undefined || !effects.some(canChange)) return;
      look ??= watch.begin();
      // The failure is reported only when the turn ends.
      await look.catch(() => undefined);
    },
    async end() {
      if (look === undefined) return;
      try {
        for (const notice of await (await look)()) raise(notice);
      } catch (cause) {
        raise({
          code: 'turn/watch-failed',
          message: `the changes of this turn are unknown: ${messageOf(cause)}`,
          next: '',
        });
      }
    },
  };
}

function canChange(effect: EffectClass): boolean {
  return effect === 'write' || effect === 'execute' || effect === 'network';
}
