// TerminalTurns of the terminal: sends drafts as prompts, as messages to the running turn, or after it. A draft is never lost:
// if it cannot be sent, it goes back into the editor.

import type { AgentSession, FinishedTurn, GivenAttachment, Turn } from '@tidemark/kit';
import { LogError } from '@tidemark/log';

import { withStyle } from '../../frame/shown.ts';
import type { Controller, Dispatcher, DraftReader } from '../state/controller.ts';
import type { Draft } from '../state/draft.ts';
import { withoutLive } from '../state/conversation.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { PreparedDraft } from './prepare-draft.ts';
import { prepareDraft } from './prepare-draft.ts';
import type { InsteadOfPrompt } from './rewrite-choice.ts';

/** Sends drafts. */
export type TurnSender = Pick<Controller, 'send' | 'queue' | 'takeBack' | 'attachToNext' | 'interrupt' | 'resume'> & {
  /** Sends a text of Tidemark as a prompt, such as the order to carry out a plan. */
  prompt(text: string): void;
  /**
   * Returns the content of the prompt that a draft would be now. Returns `undefined` if it would have no content, for
   * example because it is a command.
   */
  contentOf(draft: Draft): Promise<PreparedDraft | undefined>;
  /** Resolves when no turn runs. */
  settled(): Promise<void>;
};

/** Environment of the turns. */
export interface TurnsPlace extends Pick<Controller, 'state' | 'print' | 'report' | 'refill'> {
  change(next: Partial<TerminalState>): void;
  /** Returns the shown session. If it is new, creates it, with a title made from the text. */
  openFor(text: string): Promise<AgentSession>;
  session(): AgentSession | undefined;
  /** Absolute path of the folder in which the session works. */
  workspace(): string;
  dispatch?: Dispatcher | undefined;
  /** Returns the draft that is sent in the end: of a command of the user, its text; of another command, a blank one. */
  meantBy?: DraftReader | undefined;
  /** Called before a prompt is sent. Returns `undefined` if it is sent, otherwise what happens instead. */
  consider?(draft: Draft, parts: PreparedDraft['parts']): Promise<InsteadOfPrompt | undefined>;
  /** Called after each turn that ended. */
  ended(finished: FinishedTurn): void;
}

interface StartedTurn {
  readonly abort: AbortController;
  /** Settles when the prompt was passed to the session, or when it could not be passed. */
  readonly started: Promise<void>;
  readonly over: Promise<void>;
}

/** Begins a turn. The turn is in an object, because awaiting a turn waits for its end. */
type BeginTurn = (signal: AbortSignal) => Promise<{ readonly turn: Turn }>;

interface TerminalTurns {
  readonly place: TurnsPlace;
  running: StartedTurn | undefined;
  /** Attachments for the next prompt. */
  extra: readonly GivenAttachment[];
  /** Drafts that were meant for a turn that has just ended. They are sent first, however that turn ended. */
  late: readonly Draft[];
}

/** Creates the turns of one terminal. */
export function createTurns(place: TurnsPlace): TurnSender {
  const turns: TerminalTurns = { place, running: undefined, extra: [], late: [] };
  return {
    send(draft) {
      if (place.dispatch?.(draft) === true) return;
      if (isBlank(draft)) sendQueued(turns);
      else if (turns.running === undefined) start(turns, draft);
      else void steer(turns, turns.running, draft);
    },
    queue(draft) {
      if (isBlank(draft)) return;
      if (turns.running === undefined) start(turns, draft);
      else enqueue(turns, draft);
    },
    takeBack: () => takeBack(turns),
    attachToNext(attachment) {
      turns.extra = [...turns.extra, attachment];
    },
    interrupt() {
      if (turns.running === undefined) return;
      place.change({ stopping: true });
      turns.running.abort.abort();
    },
    resume() {
      if (turns.running === undefined)
        runTurn(turns, undefined, async (signal) => ({ turn: (await place.openFor('')).resume({ signal }) }));
    },
    prompt: (text) => start(turns, { text, attached: [] }),
    async contentOf(draft) {
      const meant = (await place.meantBy?.(draft)) ?? draft;
      const prepared = await prepare(turns, meant);
      return prepared.parts.length === 0 || (isBlank(meant) && turns.extra.length === 0) ? undefined : prepared;
    },
    settled: async () => turns.running?.over,
  };
}

function isBlank({ text, attached }: Draft): boolean {
  return text.trim() === '' && attached.length === 0;
}

function enqueue({ place }: TerminalTurns, draft: Draft): void {
  place.change({ queued: [...place.state.get().queued, draft] });
}

function takeBack({ place }: TerminalTurns): boolean {
  const { queued } = place.state.get();
  const last = queued.at(-1);
  if (last === undefined) return false;
  place.change({ queued: queued.slice(0, -1) });
  place.refill(last.text, last.attached);
  return true;
}

/** Sends the oldest queued draft if no turn runs. */
function sendQueued(turns: TerminalTurns): void {
  const [next, ...queued] = turns.place.state.get().queued;
  if (next === undefined || turns.running !== undefined) return;
  start(turns, next);
  turns.place.change({ queued });
}

/** Starts a turn with a draft. */
function start(turns: TerminalTurns, draft: Draft): void {
  const { place } = turns;
  runTurn(turns, draft, async (signal) => {
    const { parts, skills } = await prepare(turns, draft);
    const instead = await place.consider?.(draft, parts);
    if (instead !== undefined) throw new NotSent(instead);
    signal.throwIfAborted();
    const session = await place.openFor(draft.text);
    signal.throwIfAborted();
    return { turn: session.prompt(parts, { skills, signal }) };
  });
}

/** Thrown if the user decided that a draft is not sent now. */
class NotSent extends Error {
  readonly instead: InsteadOfPrompt;
  constructor(instead: InsteadOfPrompt) {
    super('the prompt was not sent');
    this.instead = instead;
  }
}

/** Runs what the user chose in place of a prompt. A draft that cannot be sent goes back into the editor. */
async function runInstead(turns: TerminalTurns, { instead }: NotSent, draft: Draft): Promise<void> {
  const { place } = turns;
  try {
    await instead((one) => start(turns, one));
  } catch (error) {
    place.refill(draft.text, draft.attached);
    place.report(error);
  }
  sendLate(turns);
}

/** Prepares a draft together with the kept attachments. A failed draft goes back into the editor, so they stay kept. */
function prepare({ place, extra }: TerminalTurns, draft: Draft): Promise<PreparedDraft> {
  return prepareDraft(draft, extra, place.workspace());
}

function runTurn(turns: TerminalTurns, draft: Draft | undefined, begin: BeginTurn): void {
  const { place } = turns;
  const abort = new AbortController();
  const started = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  turns.running = { abort, started: started.promise, over: over.promise };
  place.change({ running: true });
  const { extra } = turns;
  let recorded = false;
  const run = async (): Promise<FinishedTurn> => {
    const { turn } = await begin(abort.signal);
    started.resolve();
    for await (const event of turn) {
      if (recorded || event.type !== 'recorded' || event.record.kind !== 'prompt.given') continue;
      recorded = true;
      turns.extra = turns.extra.filter((one) => !extra.includes(one));
    }
    return turn;
  };
  const end = (): void => {
    turns.running = undefined;
    place.change({ running: false, stopping: false });
    started.resolve();
    over.resolve();
  };
  run().then(
    (finished) => {
      end();
      afterTurn(turns, finished);
    },
    (error: unknown) => {
      end();
      if (error instanceof NotSent && draft !== undefined) return void runInstead(turns, error, draft);
      if (draft !== undefined && !recorded) place.refill(draft.text, draft.attached);
      // The user stopped the prompt before it was sent. The text in the editor shows this.
      if (isUnwritten(error)) loseUnwritten(place, error, draft !== undefined && !recorded);
      else if (!(abort.signal.aborted && !recorded)) place.report(error);
      sendLate(turns);
    },
  );
}

const UNWRITTEN: ReadonlySet<unknown> = new Set(['log/write-failed', 'log/flush-failed', 'log/latched']);

/** Returns true if an error, or one of its causes, is that the log cannot be written. */
function isUnwritten(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error instanceof LogError && UNWRITTEN.has(error.code)) || isUnwritten(error.cause);
}

/** Removes what was not recorded. The provider may have billed it, so the known cost is a lower bound. */
function loseUnwritten({ state, change, print, report }: TurnsPlace, error: unknown, isBack: boolean): void {
  const { conversation, status, session } = state.get();
  change({ conversation: withoutLive(conversation), status: { ...status, costsMore: true }, unwritable: true });
  const resume = session === undefined ? '/resume' : `/resume ${session}`;
  report(error, `free space on the disk or fix its permissions, then \`${resume}\` opens this session again`);
  print([
    withStyle('yellow', 'The part of the turn after the last record is not in the log. Everything before it is kept.'),
    ...(isBack ? ['Your prompt was not recorded. It is in the editor again.'] : []),
  ]);
}

/** Sends the next queued draft after a complete turn. After any other end, the queued drafts wait. */
function afterTurn(turns: TerminalTurns, finished: FinishedTurn): void {
  const { place } = turns;
  place.ended(finished);
  if (sendLate(turns)) return;
  if (finished.outcome === 'completed') return sendQueued(turns);
  const { length } = place.state.get().queued;
  if (length > 0)
    place.print([
      withStyle('dim', `queued: ${length}. They are sent after the next prompt. ↑ takes the newest one back.`),
    ]);
}

/** Sends the oldest late draft, and returns true. The others become the first queued drafts. */
function sendLate(turns: TerminalTurns): boolean {
  const [next, ...others] = turns.late;
  if (next === undefined || turns.running !== undefined) return false;
  turns.late = [];
  turns.place.change({ queued: [...others, ...turns.place.state.get().queued] });
  start(turns, next);
  return true;
}

/** Adds a draft to the running turn. If the turn has just ended, the draft becomes a prompt. */
async function steer(turns: TerminalTurns, running: StartedTurn, draft: Draft): Promise<void> {
  const { place, extra } = turns;
  if (running.abort.signal.aborted) return sendLater(turns, draft);
  try {
    const { parts, skills } = await prepare(turns, draft);
    await running.started;
    const session = place.session();
    if (skills.length > 0) {
      place.print([withStyle('dim', 'A skill is loaded with a prompt, so this text is sent after the turn.')]);
      return turns.running === undefined ? start(turns, draft) : enqueue(turns, draft);
    }
    if (session === undefined) return sendLater(turns, draft);
    await session.steer(parts);
    turns.extra = turns.extra.filter((one) => !extra.includes(one));
  } catch (error) {
    if (isTurnOver(error)) return sendLater(turns, draft);
    place.refill(draft.text, draft.attached);
    place.report(error);
  }
}

/** Sends a draft as a prompt as soon as no turn runs. */
function sendLater(turns: TerminalTurns, draft: Draft): void {
  turns.late = [...turns.late, draft];
  sendLate(turns);
}

function isTurnOver(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'agent/not-running';
}
