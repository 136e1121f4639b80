// Session that the terminal shows. A new session is created with its first prompt, so that no empty session is left. A
// session that is open in another process is followed: its new records are shown, and it cannot be changed.

import type { ForkPlan } from '@tidemark/agent';
import type { AgentSession, ForecastOptions, Mode, NextCall, RestoreOptions, Words } from '@tidemark/kit';
import type { Log, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { effortsOf } from '@tidemark/model';

import { modeIn } from '../../arguments/agent-flags.ts';
import type { ChosenSession } from '../../arguments/choose-session.ts';
import { namedSession } from '../../arguments/choose-session.ts';
import { titleOf } from '../../arguments/prompt-title.ts';
import { CliError } from '../../frame/failure.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { stoppedLines } from '../../present/process-line.ts';
import type { OpenedAgent, PreparedAgent } from '../../turns/open-agent.ts';
import type { Controller, SessionChoice } from '../state/controller.ts';
import type { Conversation } from '../state/conversation.ts';
import { EMPTY_CONVERSATION, foldEvent, foldRecord, withoutProcess } from '../state/conversation.ts';
import type { StatusFacts } from '../state/status-facts.ts';
import { foldStatus, foldStatusRecord, NO_FACTS, withCutOff } from '../state/status-facts.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { SessionHistory } from './session-history.ts';
import { readHistory } from './session-history.ts';

/** Place of the sessions: their log, and a function that prepares an agent for one of them. */
export interface SessionsPlace {
  readonly log: Log;
  /** Folder of new sessions. */
  readonly folder: string;
  prepare(session: ChosenSession | undefined): Promise<PreparedAgent>;
  /** Returns the options to restore the files of the part that a fork leaves out. Absent if no file is restored. */
  restoring?(plan: ForkPlan): Promise<RestoreOptions | undefined>;
}

/** Environment of the shown session. */
export interface ShownPlace extends Pick<Controller, 'state' | 'print' | 'report'> {
  change(next: Partial<TerminalState>): void;
  /** Absent in a terminal that shows only the given agent. */
  readonly sessions?: SessionsPlace | undefined;
  /** Offers to resume the last turn of a session that was just opened. */
  offerResume(ended: NonNullable<SessionHistory['resumable']>): void;
}

/** Session that the terminal shows. */
export interface ShownSession extends Pick<Controller, 'agent' | 'session' | 'openSession'> {
  /** Shows an agent. Without a session, a new one is created with the first prompt. */
  attach(opened: PreparedAgent | OpenedAgent, conversation?: Conversation): void;
  /** Returns the session. If it is new, creates it, with a title made from the text. */
  openFor(text: string): Promise<AgentSession>;
  /** Sets the permission mode, also of a session that is not created yet. */
  setMode(mode: Mode): Promise<void>;
  workspace(): string;
  /**
   * Forecasts a prompt of these words, with these skills. Without words, the first call of a new session has no
   * forecast.
   */
  forecast(words: Words | undefined, options?: ForecastOptions): Promise<NextCall | undefined>;
  close(): Promise<void>;
}

interface HeldSession {
  readonly place: ShownPlace;
  opened: PreparedAgent | OpenedAgent | undefined;
  session: AgentSession | undefined;
  opening: Promise<AgentSession> | undefined;
  workspace: string;
  /** Mode that the user chose before the session was created. */
  mode: Mode | undefined;
  /** Ends the reading of a session that is open in another process. */
  following: AbortController | undefined;
}

/** Creates the holder of the shown session. */
export function createShownSession(place: ShownPlace): ShownSession {
  const shown: HeldSession = {
    place,
    opened: undefined,
    session: undefined,
    opening: undefined,
    workspace: place.sessions?.folder ?? '',
    mode: undefined,
    following: undefined,
  };
  return {
    async forecast(words, options) {
      const { opened, session } = shown;
      if (session !== undefined) return session.forecast(words, options);
      return words === undefined || opened === undefined || !('open' in opened)
        ? undefined
        : opened.forecastFirst?.(words, { ...options, ...(shown.mode && { mode: shown.mode }) });
    },
    agent: () => shown.opened?.agent,
    session: () => shown.session,
    workspace: () => shown.workspace,
    attach: (opened, conversation) => attach(shown, { opened, conversation, workspace: shown.workspace }),
    openFor: (text) => openFor(shown, text),
    openSession: (choice) => switchTo(shown, choice),
    async setMode(mode) {
      if (shown.session === undefined) shown.mode = mode;
      await shown.session?.setMode(mode);
    },
    async close() {
      shown.following?.abort();
      await shown.opening?.catch(() => undefined);
      await shown.opened?.close();
    },
  };
}

interface SessionToShow {
  readonly opened: PreparedAgent | OpenedAgent;
  readonly session?: AgentSession;
  readonly conversation: Conversation | undefined;
  /** Facts of the status line after the earlier records. Default: model and effort of the agent. */
  readonly facts?: StatusFacts;
  readonly workspace: string;
  /** True if the screen shows the conversation already, because the session is a fork of the shown one. */
  readonly isOnScreen?: boolean;
}

function attach(
  shown: HeldSession,
  { opened, conversation = EMPTY_CONVERSATION, workspace, ...given }: SessionToShow,
): void {
  const { place } = shown;
  shown.following?.abort();
  const session = given.session ?? ('session' in opened ? opened.session : undefined);
  const nothing = { opening: undefined, mode: undefined, following: undefined };
  Object.assign(shown, { opened, session, workspace, ...nothing });
  place.change({
    conversation,
    generation: place.state.get().generation + 1,
    printedBefore: given.isOnScreen === true ? conversation.blocks.length : 0,
    mode: session?.mode ?? modeIn(opened.flags) ?? 'ask',
    running: false,
    stopping: false,
    readOnly: false,
    unwritable: false,
    session: session?.id,
    status: { ...NO_FACTS, ...firstFacts(opened), ...given.facts },
  });
  if (session !== undefined) watch(shown, session);
}

/** Returns the model of an agent, and the effort that its next session gets. */
function firstFacts({ agent, flags }: PreparedAgent | OpenedAgent): Pick<StatusFacts, 'model' | 'effort'> {
  const { capabilities } = agent;
  const isKnown = flags.effort !== undefined && effortsOf(capabilities)?.includes(flags.effort) === true;
  return { model: capabilities.model, ...(isKnown && { effort: flags.effort }) };
}

/** Folds the events of the session into the state until another session is shown. */
function watch(shown: HeldSession, session: AgentSession): void {
  const { place } = shown;
  const run = async (): Promise<void> => {
    for await (const event of session.events()) {
      if (shown.session !== session) return;
      const { conversation, status } = place.state.get();
      place.change({ conversation: foldEvent(conversation, event, Date.now()), status: foldStatus(status, event) });
    }
  };
  run().catch(place.report);
}

function openFor(shown: HeldSession, text: string): Promise<AgentSession> {
  if (shown.session !== undefined) return Promise.resolve(shown.session);
  if (shown.following !== undefined) return Promise.reject(heldElsewhere());
  shown.opening ??= create(shown, titleOf(text)).finally(() => {
    shown.opening = undefined;
  });
  return shown.opening;
}

async function create(shown: HeldSession, title: string): Promise<AgentSession> {
  const { opened, place } = shown;
  if (opened === undefined || !('open' in opened))
    throw new CliError('cli/refused', 'the terminal has no agent for a new session', 'open the terminal again');
  const session = await opened.open(title === '' ? undefined : title);
  shown.session = session;
  watch(shown, session);
  if (shown.mode !== undefined && shown.mode !== session.mode) await session.setMode(shown.mode);
  place.change({ session: session.id });
  return session;
}

function heldElsewhere(): CliError {
  return new CliError(
    'cli/refused',
    'the session is open in another process, so it is only shown here',
    'press f to continue in a fork, or r after the other process has ended',
  );
}

async function switchTo(shown: HeldSession, choice: SessionChoice): Promise<void> {
  const { place } = shown;
  if (place.state.get().running)
    throw new CliError('cli/refused', 'a turn is running', 'press Esc to interrupt it, then try again');
  const { sessions } = place;
  if (sessions === undefined)
    throw new CliError('cli/refused', 'this terminal shows only one session', 'start another terminal');
  if (choice.open === 'live') return showLive(shown, sessions, choice.session);
  const before = shown.opened;
  const stopped = linesOfStopped(shown);
  if (choice.open === 'new') {
    const opened = await sessions.prepare(undefined);
    attach(shown, { opened, conversation: undefined, workspace: sessions.folder });
  } else await showExisting(shown, sessions, choice.id);
  if (stopped.length > 0) place.print(stopped);
  await before?.close();
}

/** Returns the lines about the processes that end with the shown session. */
function linesOfStopped({ session }: HeldSession): readonly Shown[] {
  return session === undefined ? [] : stoppedLines(session, 'another session is shown');
}

/** Shows a fork of the shown session, which its agent opened. The screen contains its conversation already. */
async function showLive(shown: HeldSession, { log }: SessionsPlace, session: AgentSession): Promise<void> {
  const { opened, workspace, session: before } = shown;
  if (opened === undefined) return;
  const { conversation, facts } = await readHistory(log, session.id);
  const stopped = before === session ? [] : linesOfStopped(shown);
  attach(shown, { opened, session, conversation, facts, workspace, isOnScreen: true });
  if (stopped.length > 0) shown.place.print(stopped);
  if (before !== session) await before?.close();
}

async function showExisting(shown: HeldSession, sessions: SessionsPlace, id: SessionId): Promise<void> {
  if (shown.session?.id === id) {
    if (shown.place.state.get().unwritable !== true)
      throw new CliError('cli/refused', 'this session is shown already', '`/sessions` lists the others');
    // Its writer writes no more, and holds the lock. An error of it was reported before.
    await shown.opened?.close().catch(() => undefined);
  }
  const chosen = await namedSession(sessions.log, id);
  const opened = await sessions.prepare(chosen);
  try {
    await showChosen(shown, sessions, { opened, chosen });
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function showChosen(
  shown: HeldSession,
  { log }: SessionsPlace,
  { opened, chosen: { id, workspace } }: { readonly opened: PreparedAgent; readonly chosen: ChosenSession },
): Promise<void> {
  let holder = '';
  const session = await opened.open().catch((error: unknown) => {
    if (!(error instanceof LogError) || error.code !== 'log/locked') throw error;
    holder = error.message;
    return undefined;
  });
  const { conversation: read, facts: known, length, resumable } = await readHistory(log, session?.id ?? id);
  // This process holds the session now, so no other process runs its open calls.
  const conversation = session === undefined ? read : withoutProcess(read);
  const facts = session === undefined ? known : withCutOff(known);
  attach(shown, { opened, conversation, facts, workspace, ...(session !== undefined && { session }) });
  if (session === undefined) {
    follow(shown, log, id, length);
    shown.place.print([withStyle('yellow', holder)]);
  } else if (resumable !== undefined) shown.place.offerResume(resumable);
}

/** Shows the new records of a session that is open in another process. */
function follow(shown: HeldSession, log: Log, id: SessionId, from: number): void {
  const { place } = shown;
  const following = new AbortController();
  shown.following = following;
  place.change({ readOnly: true, session: id });
  const run = async (): Promise<void> => {
    for await (const record of log.tail(id, from, following.signal)) {
      if (following.signal.aborted) return;
      const { conversation, status } = place.state.get();
      place.change({ conversation: foldRecord(conversation, record), status: foldStatusRecord(status, record) });
    }
  };
  run().catch((error: unknown) => {
    if (!following.signal.aborted) place.report(error);
  });
}
