// Controller of the terminal: the actions of the user, and the state after them.

import type { GivenAttachment, Permissions } from '@tidemark/kit';

import type { Shown } from '../../frame/shown.ts';
import type { Draft } from './draft.ts';
import type { Observable } from './observable.ts';
import type { ChoiceOption, TerminalState } from './terminal-state.ts';

/** Actions of the user, and the state after them. */
export interface Controller {
  readonly state: Observable<TerminalState>;
  /** Sends a draft: as a prompt, or as a message to the running turn. A slash command runs at once. */
  send(draft: Draft): void;
  /** Sends a draft after the end of the running turn. */
  queue(draft: Draft): void;
  /** Adds a text to the next prompt, such as the output of a command of the user. */
  attachToNext(attachment: GivenAttachment): void;
  /** Interrupts the running turn. */
  interrupt(): void;
  nextMode(): void;
  /** Prints lines of Tidemark below the conversation. */
  print(lines: readonly Shown[]): void;
  /** Prints an error with its next step. */
  report(error: unknown): void;
  /** Lets the user choose one of the options. Resolves with its index, or with `undefined` after Esc. */
  choose(title: readonly Shown[], options: readonly ChoiceOption[]): Promise<number | undefined>;
  /** Shows a long text on the alternate screen. Resolves when the user closes it. */
  view(title: string, lines: readonly Shown[]): Promise<void>;
  /** Asks the user a question of the runtime. */
  readonly ask: NonNullable<Permissions['ask']>;
  /** Puts a text into the editor. */
  refill(text: string): void;
  /** Asks for a new forecast of the next call. Called after a command that changes the model or its parameters. */
  refreshStatus(): void;
  /** Ends the terminal. */
  leave(): void;
}
