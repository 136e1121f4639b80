// State of the editor: its text, folded parts, popup, search and hint.

import { parseDraft } from '../slash/parse-draft.ts';
import type { Draft } from '../state/draft.ts';
import type { Completion } from './completion/create-completer.ts';
import type { EditedText } from './text/edit-text.ts';
import { NO_TEXT } from './text/edit-text.ts';
import type { FoldedParts } from './text/folded.ts';
import { attachedIn, expandFolded } from './text/folded.ts';

/** State of the editor. */
export interface EditorState {
  readonly edited: EditedText;
  readonly parts: FoldedParts;
  /** Popup with the names that can be completed. */
  readonly popup: CompletionPopup | undefined;
  /** Search in the earlier prompts. */
  readonly search: PromptSearch | undefined;
  /** Earlier prompt that is shown in place of the draft. */
  readonly recalled: RecalledPrompt | undefined;
  /** True after Ctrl-X. */
  readonly afterPrefix: boolean;
  readonly hint: EditorHint | undefined;
  /** Column to which the cursor returns when it moves through shorter rows. */
  readonly goal: number | undefined;
}

/** One line below the text. It disappears with the next key, or after `ms` milliseconds. */
export interface EditorHint {
  readonly text: string;
  readonly ms: number;
}

/** Popup with the names that can be completed. */
export interface CompletionPopup extends Completion {
  readonly selected: number;
}

/** Search in the earlier prompts. */
export interface PromptSearch {
  readonly query: string;
  /** Index of the found prompt. `undefined` if no prompt matches. */
  readonly found: number | undefined;
  /** Text before the search. */
  readonly before: EditedText;
}

/** Earlier prompt that is shown in place of the draft. */
export interface RecalledPrompt {
  readonly index: number;
  /** Draft that comes back after the newest prompt. */
  readonly before: EditedText;
}

/** State without text. */
export const EMPTY_EDITOR: EditorState = {
  edited: NO_TEXT,
  parts: new Map(),
  popup: undefined,
  search: undefined,
  recalled: undefined,
  afterPrefix: false,
  hint: undefined,
  goal: undefined,
};

/** Returns the draft, with expanded pastes. A space at the beginning is kept, because `/` and `!` are then plain text. */
export function draftOf({ edited, parts }: EditorState): Draft {
  const { text } = edited.buffer;
  return { text: expandFolded(text, parts).trimEnd(), attached: attachedIn(text, parts) };
}

/** Pause between two Esc or two Ctrl-C that belong together, in milliseconds. */
export const TWICE_MS: number = 2_000;

const READING_MS = 10_000;

/** Returns a hint that is long enough on the screen to be read. */
export function hintOf(text: string, ms: number = READING_MS): EditorHint {
  return { text, ms };
}

/** Kinds of text: a prompt, a command of the user (`!`), or a slash command. */
export type DraftKind = 'prompt' | 'command' | 'slash';

/** Returns the kind of a text, as it is run when it is sent. */
export function kindOf(text: string): DraftKind {
  const kind = parseDraft(text)?.kind;
  if (kind === undefined) return 'prompt';
  return kind === 'shell' ? 'command' : 'slash';
}

/** Returns the index of the newest prompt before `before` that contains the query. */
export function olderMatch(prompts: readonly string[], query: string, before: number): number | undefined {
  const sought = query.toLowerCase();
  const found = prompts.slice(0, before).findLastIndex((prompt) => prompt.toLowerCase().includes(sought));
  return found === -1 ? undefined : found;
}

/** Returns the index of the oldest prompt after `after` that contains the query. */
export function newerMatch(prompts: readonly string[], query: string, after: number): number | undefined {
  const sought = query.toLowerCase();
  const found = prompts.findIndex((prompt, index) => index > after && prompt.toLowerCase().includes(sought));
  return found === -1 ? undefined : found;
}
