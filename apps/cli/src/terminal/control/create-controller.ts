// Creates the controller of a terminal: passes the actions of the user to the session, and folds the events of the
// session into the state that the screen shows.

import type { AgentSession, Mode } from '@tidemark/kit';

import { failureOf } from '../../frame/failure.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import type { OpenedAgent } from '../../turns/open-agent.ts';
import type { PrintedBlock } from '../state/blocks.ts';
import type { Controller } from '../state/controller.ts';
import { add, EMPTY_CONVERSATION, foldEvent } from '../state/conversation.ts';
import { createObservable } from '../state/observable.ts';
import type { StatusFacts } from '../state/status-facts.ts';
import { NO_FACTS } from '../state/status-facts.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { createPanels } from './panels.ts';
import { createStatusUpdates } from './status-updates.ts';
import { createTurns } from './turns.ts';

/** Controller together with the functions that only the owner of the terminal calls. */
export interface OwnedController extends Controller {
  /**
   * Shows a session from now on. `history` contains the blocks of its earlier records, and `facts` the facts of the
   * status line after them. `workspace` is the folder of the session.
   */
  attach(opened: OpenedAgent, history: readonly PrintedBlock[], facts?: StatusFacts, workspace?: string): void;
  /** Resolves when the user leaves the terminal. */
  readonly left: Promise<void>;
}

const MODES: readonly Mode[] = ['read-only', 'ask', 'auto'];

const FIRST: TerminalState = {
  conversation: EMPTY_CONVERSATION,
  generation: 0,
  running: false,
  mode: 'ask',
  queued: [],
  panel: undefined,
  status: NO_FACTS,
  readOnly: false,
};

/** Creates the controller of one terminal. It has no session until `attach` is called. */
export function createController(): OwnedController {
  const state = createObservable(FIRST);
  const left = Promise.withResolvers<void>();
  const change = (next: Partial<TerminalState>): void => state.set({ ...state.get(), ...next });
  const { print, report } = createPrinter((lines, key) =>
    change({ conversation: add(state.get().conversation, { kind: 'lines', key, lines }) }),
  );
  let session: AgentSession | undefined;
  let folder: string | undefined;
  let refills = 0;
  const status = createStatusUpdates({ state, session: () => session, workspace: () => folder });
  async function watch(watched: AgentSession): Promise<void> {
    for await (const event of watched.events()) {
      if (session !== watched) return;
      change({ conversation: foldEvent(state.get().conversation, event) });
      status.take(event);
    }
  }
  return {
    state,
    print,
    report,
    ...createPanels(change),
    ...createTurns({ state, session: () => session, report }),
    left: left.promise,
    leave: () => left.resolve(),
    attach({ session: opened }, blocks, facts = NO_FACTS, workspace) {
      session = opened;
      folder = workspace;
      const conversation = { ...EMPTY_CONVERSATION, blocks };
      change({
        conversation,
        generation: state.get().generation + 1,
        mode: opened.mode,
        running: false,
        status: facts,
      });
      void status.refresh();
      watch(opened).catch(report);
    },
    refreshStatus: () => void status.refresh(),
    nextMode() {
      const mode = MODES[(MODES.indexOf(session?.mode ?? 'ask') + 1) % MODES.length] ?? 'ask';
      session?.setMode(mode).then(() => change({ mode }), report);
    },
    refill(text) {
      refills += 1;
      change({ refill: { id: refills, text } });
    },
  };
}

function createPrinter(addLines: (lines: readonly Shown[], key: string) => void): Pick<Controller, 'print' | 'report'> {
  let printed = 0;
  const print = (lines: readonly Shown[]): void => {
    printed += 1;
    addLines(lines, `own-${printed}`);
  };
  return {
    print,
    report: (error) => {
      const { message, next } = failureOf(error);
      print([[withStyle('red', 'error'), `: ${message}`], ...(next === '' ? [] : [`next: ${next}`])]);
    },
  };
}
