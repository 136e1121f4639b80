// The context of a turn: the session, what it is run with, whom to tell, and when to stop.

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

/** A call that has a subagent do its work. */
export interface Delegation {
  readonly call: CallId;
  readonly order: SubagentOrder;
  readonly signal: AbortSignal;
  /** Says how far it is. */
  say(text: string): void;
}

/** Starts the subagent of a call, or takes it up again; its ending is a fact of the output. */
type Delegate = (delegation: Delegation) => Promise<ToolOutput>;

/** Schema that the last answer of a turn must match, and how often the model was asked to correct it. */
export interface AnswerCheck {
  readonly schema: AnswerSchema<unknown>;
  corrections: number;
}

/** The context of a turn. */
export interface TurnContext {
  readonly session: Session;
  readonly runtime: Runtime;
  readonly turn: TurnId;
  /** By `surroundings.elapsed`. */
  readonly begunAt: number;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Asks beside the conversation. */
  readonly side?: AskBeside;
  /** Runs the session with these from now on. */
  readonly applyRuntimeChange?: (change: Pick<Runtime, 'tools' | 'given' | 'takeTools'>) => void;
  /** Has a subagent do what a call asks for. */
  readonly delegate?: Delegate;
  /** Check of the last answer, if it must match a schema. */
  readonly answerCheck?: AnswerCheck;
  /** Looks for what the turn changed around the session. */
  readonly watched?: WatchedTurn;
  /** Tells presenters what passes by; records are told by the session itself. */
  readonly tell: (event: SessionEvent) => void;
}

/** What the turn has taken up to now. */
export function takenBy({ session, runtime, begunAt }: TurnContext): TurnTaken {
  const spent = session.progress.turn?.spent ?? NOTHING_SPENT;
  return { spent, ms: runtime.surroundings.elapsed() - begunAt };
}

/** The watch of one turn. It throws nothing: a look that fails is a notice. */
interface WatchedTurn {
  /** Before calls of these effects run. */
  begin(effects: readonly EffectClass[]): Promise<void>;
  /** When the turn has ended. */
  end(): Promise<void>;
}

/** Watches one turn. Nothing is looked at in a turn that only reads. */
export function watchTurn(watch: TurnWatch | undefined, tell: (event: SessionEvent) => void): WatchedTurn {
  let look: Promise<() => Promise<readonly Notice[]>> | undefined;
  const raise = (notice: Notice): void => tell({ type: 'notice.raised', notice });
  return {
    async begin(effects) {
      if (watch === undefined || !effects.some(canChange)) return;
      look ??= watch.begin();
      // Its failure is told once, when the turn ends.
      await look.catch(() => undefined);
    },
    async end() {
      if (look === undefined) return;
      try {
        for (const notice of await (await look)()) raise(notice);
      } catch (cause) {
        raise({
          code: 'turn/watch-failed',
          message: `what this turn changed is not known: ${messageOf(cause)}`,
          next: '',
        });
      }
    },
  };
}

function canChange(effect: EffectClass): boolean {
  return effect === 'write' || effect === 'execute' || effect === 'network';
}
