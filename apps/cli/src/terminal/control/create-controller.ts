// Creates the controller of a terminal: passes the actions of the user to the session, and folds the events of the
// session into the state that the screen shows.

import { defined } from '@tidemark/core';
import type { NextCall } from '@tidemark/kit';

import { failureOf } from '../../frame/failure.ts';
import { withStyle } from '../../frame/shown.ts';
import type { OpenedAgent, PreparedAgent } from '../../turns/open-agent.ts';
import type { Line } from '../state/line.ts';
import type { Controller, Dispatcher, DraftReader } from '../state/controller.ts';
import type { Conversation } from '../state/conversation.ts';
import type { Draft } from '../state/draft.ts';
import { add, EMPTY_CONVERSATION } from '../state/conversation.ts';
import { createObservable } from '../state/observable.ts';
import { NO_FACTS } from '../state/status-facts.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { Attention } from './attention.ts';
import { createAttention } from './attention.ts';
import { createLongTexts } from './long-texts.ts';
import type { Modes } from './modes.ts';
import { createModes } from './modes.ts';
import type { Panels } from './panels.ts';
import { createPanels } from './panels.ts';
import { createRewriteChoices } from './rewrite-choice.ts';
import { rewindSession } from './rewind.ts';
import type { SessionHistory } from './session-history.ts';
import type { SessionsPlace, ShownSession } from './shown-session.ts';
import { createShownSession } from './shown-session.ts';
import type { StatusPlace } from './status-updates.ts';
import { createStatusUpdates } from './status-updates.ts';
import type { TurnSender } from './turns.ts';
import { createTurns } from './turns.ts';

/** Controller together with the functions that only the owner of the terminal calls. */
export interface OwnedController extends Controller {
  /** Shows an agent from now on. `conversation` contains the blocks of the earlier records of its session. */
  attach(opened: PreparedAgent | OpenedAgent, conversation?: Conversation): void;
  /** Resolves when no turn runs. */
  settled(): Promise<void>;
  /** Interrupts the running turn, and closes the session and its agent. */
  close(): Promise<void>;
  /** Resolves when the user leaves the terminal. */
  readonly left: Promise<void>;
}

/** Surroundings of a controller. Each of them is optional, so that a test can leave it out. */
export interface ControllerOptions {
  /** Sessions that the terminal can show. */
  readonly sessions?: SessionsPlace;
  /** Runs drafts that are commands. */
  readonly dispatch?: Dispatcher;
  /** Returns the draft that a command sends. */
  readonly meantBy?: DraftReader;
  /** Colours of the screen. */
  readonly theme?: TerminalState['theme'];
  /** Rings the bell or shows a notification with the text. */
  readonly alert?: (text: string) => void;
  /** Returns a time in milliseconds. */
  readonly now?: () => number;
}

const FIRST: TerminalState = {
  conversation: EMPTY_CONVERSATION,
  generation: 0,
  running: false,
  stopping: false,
  mode: 'ask',
  queued: [],
  panel: undefined,
  status: NO_FACTS,
  readOnly: false,
};

/** Creates the controller of one terminal. It has no session until `attach` or `openSession` is called. */
export function createController(options: ControllerOptions = {}): OwnedController {
  const left = Promise.withResolvers<void>();
  const { now = Date.now } = options;
  const attention = createAttention(now, options.alert);
  const basics = createBasics(attention, options.theme);
  const { state, report } = basics;
  const { sessions, dispatch, meantBy } = options;
  const shown = createShownSession({ ...basics, sessions, offerResume: (ended) => basics.print([resumeLine(ended)]) });
  const openSession: Controller['openSession'] = async (choice) => {
    const planned = choice.open === 'live' && state.get().mode === 'plan';
    await shown.openSession(choice);
    modes.forget();
    if (planned) await modes.setMode('plan');
  };
  const { agent, session, workspace } = shown;
  const { openFor } = shown;
  const forecast = forecastWith(shown, () => modes.notification());
  const base = { ...basics, agent, session, workspace, openSession, forecast, openFor };
  const turns = createTurns({
    ...base,
    dispatch,
    meantBy,
    async openFor(text) {
      const opened = await shown.openFor(text);
      await modes.inform(opened);
      return opened;
    },
    consider: (given, parts) => rewrites.consider(given, parts),
    ended({ outcome }) {
      rewrites.turnEnded().catch(report);
      attention.call(`the turn ended: ${outcome}`);
      if (outcome === 'completed' && state.get().queued.length === 0) modes.offerPlan().catch(report);
    },
  });
  const rewrites = createRewriteChoices({ ...base, now, resume: () => turns.resume() });
  const modes = createModes({ ...base, prompt: turns.prompt, setPermissionMode: shown.setMode });
  return {
    ...base,
    ask: rewrites.ask,
    ...createLongTexts(base, sessions?.log),
    ...turns,
    ...createForecasts(base, turns),
    ...modes,
    send: whenActing(attention, turns.send),
    queue: whenActing(attention, turns.queue),
    interrupt: () => (state.get().command?.stop ?? turns.interrupt)(),
    interruptTurn: turns.interrupt,
    requireSession: () => shown.openFor(''),
    rewind: () => void rewindSession({ ...base, ...defined({ restoring: sessions?.restoring }) }).catch(report),
    attach: shown.attach,
    close: shown.close,
    left: left.promise,
    leave: () => left.resolve(),
  };
}

/** Returns the forecast of a prompt with the notification of the modes, which is recorded before the prompt. */
function forecastWith(shown: ShownSession, notification: Modes['notification']): ShownSession['forecast'] {
  return (words, prompt) => {
    const next = notification();
    return shown.forecast(words, { ...prompt, ...(next && { notifications: [next] }) });
  };
}

type Forecasts = Pick<Controller, 'refreshStatus' | 'draftChanged' | 'attachToNext'>;

/** Returns the actions after which the forecast in the status line is another one. */
function createForecasts(
  place: Omit<StatusPlace, 'forecast'> & Pick<ShownSession, 'forecast'>,
  { contentOf, attachToNext }: TurnSender,
): Forecasts {
  let draft: Draft = { text: '', attached: [] };
  const forecast = async (): Promise<NextCall | undefined> => {
    const { parts, skills = [] } = (await contentOf(draft)) ?? {};
    // The name of a skill is incomplete while it is typed.
    return place.forecast(parts, { skills }).catch(() => place.forecast(parts));
  };
  const refresh = createStatusUpdates({ ...place, forecast });
  return {
    refreshStatus: () => void refresh(),
    draftChanged(changed) {
      draft = changed;
      void refresh();
    },
    attachToNext(attachment) {
      attachToNext(attachment);
      void refresh();
    },
  };
}

/** Returns the parts that need no session: the state, the panels, and the functions that print. */
function createBasics(
  attention: Attention,
  theme: TerminalState['theme'],
): Panels & Pick<Controller, 'state' | 'print' | 'report' | 'refill'> & { change(next: Partial<TerminalState>): void } {
  const state = createObservable<TerminalState>(theme === undefined ? FIRST : { ...FIRST, theme });
  const change = (next: Partial<TerminalState>): void => state.set({ ...state.get(), ...next });
  const printer = createPrinter((lines, key) =>
    change({ conversation: add(state.get().conversation, { kind: 'lines', key, lines }) }),
  );
  return { state, change, refill: createRefill(change), ...printer, ...createPanels(change, attention) };
}

/** Returns the action together with a note that the user did something. */
function whenActing({ acted }: Attention, act: (draft: Draft) => void): (draft: Draft) => void {
  return (draft) => {
    acted();
    act(draft);
  };
}

/**
 * Returns the line that offers to resume a turn. A list of choices would take the keys of a person who begins to type,
 * and a turn that costs money would begin.
 */
function resumeLine(ended: NonNullable<SessionHistory['resumable']>): Line {
  const command = withStyle('cyan', '/continue');
  return [`The last turn did not complete (${ended}). `, command, ' resumes it, a prompt starts a new turn.'];
}

function createRefill(change: (next: Partial<TerminalState>) => void): Controller['refill'] {
  let refills = 0;
  return (text, attached = []) => {
    refills += 1;
    change({ refill: { id: refills, text, attached } });
  };
}

function createPrinter(addLines: (lines: readonly Line[], key: string) => void): Pick<Controller, 'print' | 'report'> {
  let printed = 0;
  const print = (lines: readonly Line[]): void => {
    printed += 1;
    addLines(lines, `own-${printed}`);
  };
  return {
    print,
    report: (error, instead) => {
      const { message, next: usual } = failureOf(error);
      const next = instead ?? usual;
      print([[withStyle('red', 'error'), `: ${message}`], ...(next === '' ? [] : [`next: ${next}`])]);
    },
  };
}
