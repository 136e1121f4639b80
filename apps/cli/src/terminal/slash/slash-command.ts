// Interface of the slash commands. To add one, add it to the table in `slash-commands.ts`.

import type { AgentSession } from '@tidemark/kit';
import type { SessionId } from '@tidemark/log';

import type { CommandContext } from '../../frame/command.ts';
import { CliError } from '../../frame/failure.ts';
import type { Controller } from '../state/controller.ts';
import type { Draft } from '../state/draft.ts';

/** A slash command. */
export interface SlashCommand extends SlashSummary {
  /** Group of the command in `/help`. */
  readonly group: SlashGroup;
  /** Returns the values that complete the first word after the name. */
  complete?(place: SlashPlace): Promise<readonly string[]>;
  /** Runs the command. A thrown error is printed with its next step. */
  run(given: SlashArguments, place: SlashPlace): Promise<void>;
}

/** Name and summary of a slash command, for lists and for the completion in the editor. */
export interface SlashSummary {
  /** Name without the slash. */
  readonly name: string;
  readonly summary: string;
  /** Arguments, such as `[model] [--in-place]`. Absent if the command has none. */
  readonly argument?: string;
}

/** Groups of slash commands, in the order of `/help`. */
export const SLASH_GROUPS = ['session', 'model', 'cost', 'context', 'terminal'] as const;

/** Group of slash commands. */
export type SlashGroup = (typeof SLASH_GROUPS)[number];

/** Arguments of a slash command. */
export interface SlashArguments {
  /** Words after the name. Quotes keep spaces together. */
  readonly words: readonly string[];
  /** Text after the name, as typed. */
  readonly text: string;
  /** Images and texts of the draft. */
  readonly attached: Draft['attached'];
}

/** Place in which slash commands run. */
export interface SlashPlace {
  readonly controller: Controller;
  readonly context: CommandContext;
  /** True if the user trusts the folder for this run (`--trust`). */
  readonly trusted: boolean;
  /** Size of the terminal. */
  size(): { readonly columns: number; readonly rows: number };
  /** Opens a file in the editor of the user. Returns a sentence about what failed, if anything did. */
  editFile(path: string): Promise<string | undefined>;
  /** Writes control sequences to the terminal that do not move its cursor. */
  writeSequence(sequence: string): void;
}

/**
 * Returns the id of the shown session. It may be open in another process.
 *
 * @throws CliError `cli/refused` before the first prompt of a new session.
 */
export function shownSession({ controller }: SlashPlace): SessionId {
  const { session } = controller.state.get();
  if (session !== undefined) return session;
  throw new CliError('cli/refused', 'the session has no records yet', 'send a prompt first');
}

/**
 * Returns the shown session if it has records and can be changed.
 *
 * @throws CliError `cli/refused` before the first prompt of a new session, for a session that is open in another
 * process, and while a turn runs.
 */
export function idleSession(place: SlashPlace): AgentSession {
  requireIdle(place);
  const id = shownSession(place);
  const session = place.controller.session();
  if (session !== undefined) return session;
  throw new CliError(
    'cli/refused',
    `session ${id} is open in another process`,
    'continue in a fork, or close it there',
  );
}

/** @throws CliError `cli/usage` if a command gets more words than it uses. */
export function requireFewWords(name: string, words: readonly string[], most: number): void {
  const extra = words[most];
  if (extra === undefined) return;
  const next = most === 0 ? `write \`/${name}\` alone` : `write \`/${name} ${words.slice(0, most).join(' ')}\``;
  throw new CliError('cli/usage', `\`/${name}\` does not accept ${JSON.stringify(extra)}`, next);
}

/** @throws CliError `cli/refused` while a turn runs. */
export function requireIdle({ controller }: SlashPlace): void {
  if (controller.state.get().running)
    throw new CliError('cli/refused', 'a turn is running', 'press Esc to interrupt it, then try again');
}
