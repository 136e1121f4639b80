// Controller of the terminal: the actions of the user, and the state after them.

import type { Agent, AgentSession, GivenAttachment, Mode, Permissions } from '@tidemark/kit';
import type { SessionId } from '@tidemark/log';

import type { Shown } from '../../frame/shown.ts';
import type { Draft } from './draft.ts';
import type { Line } from './line.ts';
import type { Observable } from './observable.ts';
import type { ChoiceOption, TerminalState } from './terminal-state.ts';
import type { ViewerEntry } from './viewer-entry.ts';

/** Mode of the terminal. `plan` is the permission mode `read-only` with a plan at the end of each turn. */
export type TerminalMode = Mode | 'plan';

/**
 * Takes a draft that is a command, such as `/cost` and `!ls`, and runs it. Returns false for every other draft, which is
 * then sent to the model.
 */
export type Dispatcher = (draft: Draft) => boolean;

/** Returns the draft that is sent in the end, if a draft is a command. */
export type DraftReader = (draft: Draft) => Promise<Draft>;

/**
 * Session that the terminal shows next: a new one, an existing one by its id, or a fork of the shown session that its
 * agent opened. The conversation of the fork is not printed again.
 */
export type SessionChoice =
  | { readonly open: 'new' }
  | { readonly open: 'existing'; readonly id: SessionId }
  | { readonly open: 'live'; readonly session: AgentSession };

/** Actions of the user, and the state after them. */
export interface Controller {
  readonly state: Observable<TerminalState>;
  /** Sends a draft: as a prompt, or as a message to the running turn. A slash command runs at once. */
  send(draft: Draft): void;
  /** Sends a draft after the end of the running turn. */
  queue(draft: Draft): void;
  /** Puts the newest queued draft back into the editor. Returns false if no draft is queued. */
  takeBack(): boolean;
  /** Adds a text to the next prompt, such as the output of a command of the user. */
  attachToNext(attachment: GivenAttachment): void;
  /** Stops the running command of the user. If none runs, interrupts the running turn. */
  interrupt(): void;
  /** Interrupts the running turn. */
  interruptTurn(): void;
  /** Resumes the turn that was cut off, failed, was interrupted or reached a limit. */
  resume(): void;
  /** Lets the user choose an earlier prompt, and continues in a fork before it. */
  rewind(): void;
  nextMode(): void;
  setMode(mode: TerminalMode): Promise<void>;
  /** Agent of the shown session. `undefined` before the terminal has one. */
  agent(): Agent | undefined;
  /** Absolute path of the folder in which the shown session works. */
  workspace(): string;
  /** Shown session. A new session does not exist before its first prompt: the result is then `undefined`. */
  session(): AgentSession | undefined;
  /**
   * Returns the shown session, and creates a new session if it does not exist yet.
   *
   * @throws CliError `cli/refused` if the session is open in another process.
   */
  requireSession(): Promise<AgentSession>;
  /**
   * Shows another session in place of the shown one, which is closed.
   *
   * @throws CliError `cli/refused` while a turn runs.
   */
  openSession(choice: SessionChoice): Promise<void>;
  /** Prints lines of Tidemark below the conversation. */
  print(lines: readonly Line[]): void;
  /** Prints an error with its next step. `next` replaces a next step that is not true in the terminal. */
  report(error: unknown, next?: string): void;
  /**
   * Lets the user choose one of the options. `selected` is marked at first, by default the first one. Resolves with the
   * index of the option, or with `undefined` after Esc.
   */
  choose(title: readonly Shown[], options: readonly ChoiceOption[], selected?: number): Promise<number | undefined>;
  /** Shows a long text on the alternate screen. Resolves when the user closes it. */
  view(title: string, lines: readonly Line[]): Promise<void>;
  /** Shows long texts on the alternate screen, beginning with one of them. Resolves when the user closes them. */
  viewEntries(entries: readonly ViewerEntry[], first: number): Promise<void>;
  /** Shows the whole output of the last call. The user can go to the outputs of earlier calls. */
  viewOutputs(): void;
  /** Shows the whole session, also the messages that a checkpoint replaced. */
  viewTranscript(): void;
  /** Lets a program use the terminal. Resolves when it has ended. An error of the program is reported. */
  runProgram(run: () => Promise<void>): Promise<void>;
  /** Asks the user a question of the runtime. */
  readonly ask: NonNullable<Permissions['ask']>;
  /** Puts a text into the editor, with the images and texts that belong to it. */
  refill(text: string, attached?: Draft['attached']): void;
  /** Asks for a new forecast of the next call. Called after a command that changes the model or its parameters. */
  refreshStatus(): void;
  /** Called when the text in the editor has changed. A prompt with this text is forecast then. */
  draftChanged(draft: Draft): void;
  /** Ends the terminal. */
  leave(): void;
}
