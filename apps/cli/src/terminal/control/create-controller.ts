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
import { growingList } from '../state/growing-list.ts';
import { createObservable } from '../state/observable.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { createPanels } from './panels.ts';
import { createTurns } from './turns.ts';

/** Controller together with the functions that only the owner of the terminal calls. */
export interface OwnedController extends Controller {
  /** Shows a session from now on. `history` contains the blocks of its earlier records. */
  attach(opened: OpenedAgent, history: readonly PrintedBlock[]): void;
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
  status: { subagents: 0 },
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
  let refills = 0;
  async function watch(watched: AgentSession): Promise<void> {
    for await (const event of watched.events()) {
      if (session !== watched) return;
      change({ conversation: foldEvent(state.get().conversation, event) });
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
    attach({ session: opened }, blocks) {
      session = opened;
      const conversation = { ...EMPTY_CONVERSATION, blocks: growingList(blocks) };
      change({ conversation, generation: state.get().generation + 1, mode: opened.mode, running: false });
      watch(opened).catch(report);
    },
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
