// What one turn works with: the session, what it is run with, whom to tell, and when to stop.

import type { CallId, TurnId } from '@tidemark/log';
import type { Lines } from '../request/prepare.ts';
import type { Session } from '../session/session.ts';
import type { Runtime } from './runtime.ts';
import type { AskBeside } from '../compact/ask-for-checkpoint.ts';
import type { SubagentOrder } from '../subagent/subagent.ts';
import type { ToolOutput } from '../tools/tool.ts';
import type { SessionEvent } from './session-event.ts';
import type { WatchedTurn } from './watch-turn.ts';

/** A call that has a subagent do its work. */
export interface Delegation {
  readonly call: CallId;
  readonly order: SubagentOrder;
  readonly signal: AbortSignal;
  /** Says how far it is. */
  say(text: string): void;
}

/** Starts the subagent of a call, or takes it up again; its ending is a fact of the output. */
export type Delegate = (delegation: Delegation) => Promise<ToolOutput>;

/** See the head of this file. */
export interface TurnContext {
  readonly session: Session;
  readonly lines: Lines;
  readonly runtime: Runtime;
  readonly turn: TurnId;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Asks beside the conversation. */
  readonly side?: AskBeside;
  /** Runs the session with these from now on. */
  readonly equip?: (change: Pick<Runtime, 'tools' | 'given' | 'takeTools'>) => void;
  /** Has a subagent do what a call asks for. */
  readonly delegate?: Delegate;
  /** Looks for what the turn changed around the session. */
  readonly watched?: WatchedTurn;
  /** Tells presenters what passes by; records are told by the session itself. */
  readonly tell: (event: SessionEvent) => void;
}
