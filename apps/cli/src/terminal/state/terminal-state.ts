// State of the interactive terminal. The controller changes it, and the screen shows it.

import type { Mode, PermissionAnswer, Question } from '@tidemark/kit';
import type { SessionId } from '@tidemark/log';

import type { Shown } from '../../frame/shown.ts';
import type { Conversation } from './conversation.ts';
import type { Draft } from './draft.ts';
import type { StatusFacts } from './status-facts.ts';
import type { ViewerEntry } from './viewer-entry.ts';

/** Everything that the screen shows, except the text in the editor. */
export interface TerminalState {
  readonly conversation: Conversation;
  /** Number of times the shown session was replaced, so that the screen prints the blocks of the new one. */
  readonly generation: number;
  /** Number of first blocks that the screen does not print, because an earlier session printed them. Default: 0. */
  readonly printedBefore?: number;
  readonly running: boolean;
  /** True from an interrupt until the turn has ended. */
  readonly stopping: boolean;
  readonly mode: Mode | 'plan';
  /** Prompts that wait for the end of the turn, oldest first. */
  readonly queued: readonly Draft[];
  /** Panel that has the keyboard in place of the editor. */
  readonly panel: Panel | undefined;
  /** Number of panels that wait for the shown one. */
  readonly waiting?: number;
  readonly status: StatusFacts;
  /** Command of the user that runs now. */
  readonly command?: RunningCommand | undefined;
  /** Text that is put into the editor, such as a prompt that was taken back. `id` changes with each text. */
  readonly refill?: { readonly id: number; readonly text: string; readonly attached: Draft['attached'] };
  /** Id of the shown session. Absent before the first prompt of a new session. */
  readonly session?: SessionId | undefined;
  /** True after the log of the session could not be written. The session must be opened again. */
  readonly unwritable?: boolean;
  /** True if the session is open in another process. It is then only shown. */
  readonly readOnly: boolean;
  /** Colours of the screen. Default: `dark`, if the terminal has colours. */
  readonly theme?: 'light' | 'dark' | 'none';
  /** True while the alternate screen or another program has the terminal. New blocks are printed afterwards. */
  readonly handedOver?: boolean;
}

/** A command that the user started with `!`. */
export interface RunningCommand {
  /** Command line, as typed. */
  readonly line: string;
  /** Time of its start, in milliseconds since 1970. */
  readonly startedAt: number;
  /** End of its output so far, with secrets masked. */
  readonly output: string;
  /** Ends the command and every process that it started. */
  stop(): void;
}

/** Panel that has the keyboard in place of the editor. */
export type Panel = QuestionPanel | ChoicePanel | ViewerPanel | ProgramPanel;

/** A program that has the terminal until it ends, such as the editor of the user. */
export interface ProgramPanel {
  readonly kind: 'program';
  /** Runs the program. */
  run(): Promise<void>;
  close(): void;
}

/** A question of the runtime, such as the permission for a call. */
export interface QuestionPanel {
  readonly kind: 'question';
  readonly question: Question;
  answer(answer: PermissionAnswer): void;
}

/** A list from which the user chooses one entry. */
export interface ChoicePanel {
  readonly kind: 'choice';
  readonly title: readonly Shown[];
  readonly options: readonly ChoiceOption[];
  /** Index of the option that is marked at first. Default: 0. */
  readonly selected?: number;
  /** Called once: with the index of the chosen option, or with `undefined` after Esc. */
  choose(index: number | undefined): void;
}

/** An entry of a list. */
export interface ChoiceOption {
  readonly label: string;
  /** Explanation after the label. */
  readonly note?: string;
  /** Key that chooses the option at once. */
  readonly key?: string;
}

/** Long texts on the alternate screen, such as the whole output of a call. The user can go from one to the next. */
export interface ViewerPanel {
  readonly kind: 'viewer';
  readonly entries: readonly ViewerEntry[];
  /** Index of the entry that is shown first. */
  readonly first: number;
  close(): void;
}
