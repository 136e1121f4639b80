// TurnSender of the terminal: sends drafts as prompts, as messages to the running turn, or after it.

import type { AgentSession, GivenAttachment } from '@tidemark/kit';

import type { Controller } from '../state/controller.ts';
import type { Draft } from '../state/draft.ts';
import type { Observable } from '../state/observable.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** Sends drafts. */
export type TurnSender = Pick<Controller, 'send' | 'queue' | 'attachToNext' | 'interrupt'>;

/** Environment of the turns. `session` returns the shown session. */
export interface TurnsPlace {
  readonly state: Observable<TerminalState>;
  session(): AgentSession | undefined;
  report(error: unknown): void;
}

/** Creates the turns of one terminal. */
export function createTurns({ state, session, report }: TurnsPlace): TurnSender {
  let attached: readonly GivenAttachment[] = [];
  const change = (next: Partial<TerminalState>): void => state.set({ ...state.get(), ...next });
  const partsOf = (draft: Draft): Parameters<AgentSession['prompt']>[0] => {
    const parts = [...attached, ...draft.attached, { type: 'text' as const, text: draft.text }];
    attached = [];
    return parts;
  };
  async function runTurn(draft: Draft): Promise<void> {
    change({ running: true });
    try {
      await session()?.prompt(partsOf(draft));
    } catch (error) {
      report(error);
    }
    const [next, ...queued] = state.get().queued;
    change({ running: false, queued });
    if (next !== undefined) await runTurn(next);
  }
  return {
    send(draft) {
      if (state.get().running) session()?.steer(partsOf(draft)).catch(report);
      else void runTurn(draft);
    },
    queue(draft) {
      if (state.get().running) change({ queued: [...state.get().queued, draft] });
      else void runTurn(draft);
    },
    attachToNext(attachment) {
      attached = [...attached, attachment];
    },
    interrupt() {
      session()?.interrupt().catch(report);
    },
  };
}
