// Recalls earlier prompts: one after the other, or by a search.

import type { Observable } from '../state/observable.ts';
import type { EditorPorts } from './editor-ports.ts';
import type { EditorState } from './editor-state.ts';
import { newerMatch, olderMatch } from './editor-state.ts';
import type { EditorCommand } from './keys/read-keys.ts';
import type { EditedText } from './text/edit-text.ts';
import { editText, setText } from './text/edit-text.ts';
import { foldLabels } from './text/folded.ts';
import { lineEnd } from './text/graphemes.ts';

/** Recalls earlier prompts. */
export interface PromptRecall {
  older(): void;
  newer(): void;
  /** Adds a sent prompt, with its pastes expanded. */
  add(prompt: string): void;
  beginSearch(): void;
  /** Handles a command while a search is open. Returns false if the search has ended and the command is still to be done. */
  search(command: EditorCommand): boolean;
}

/** Creates the recall of one editor. Reads the earlier prompts at once. `failed` is called if a prompt cannot be stored. */
export function createPromptRecall(
  state: Observable<EditorState>,
  { history }: Pick<EditorPorts, 'history'>,
  failed: (error: unknown) => void,
): PromptRecall {
  let prompts: readonly string[] = [];
  history.read().then((read) => {
    prompts = [...read, ...prompts];
  }, failed);
  const change = (next: Partial<EditorState>): void => state.set({ ...state.get(), ...next });
  const show = (before: EditedText, index: number): EditedText =>
    setText({ ...state.get().edited, last: before.last }, foldLabels(prompts[index] ?? '', state.get().parts));
  return {
    older() {
      const { edited, recalled } = state.get();
      const index = (recalled?.index ?? prompts.length) - 1;
      if (index < 0) return;
      const before = recalled?.before ?? edited;
      const shown = show(before, index);
      // The cursor is in the first row, so that the next step leads to the prompt before it.
      const { text } = shown.buffer;
      change({ recalled: { index, before }, edited: { ...shown, buffer: { text, cursor: lineEnd(text, 0) } } });
    },
    newer() {
      const { recalled } = state.get();
      if (recalled === undefined) return;
      const { index, before } = recalled;
      const isNewest = index + 1 >= prompts.length;
      if (isNewest) change({ recalled: undefined, edited: setText(state.get().edited, before.buffer.text) });
      else change({ recalled: { index: index + 1, before }, edited: show(before, index + 1) });
    },
    add(prompt) {
      if (prompts.at(-1) !== prompt) prompts = [...prompts, prompt];
      history.add(prompt).catch(failed);
    },
    beginSearch: () => change({ search: { query: '', found: undefined, before: state.get().edited } }),
    search: (command) => searchWith(command, { state, prompts, show }),
  };
}

interface PromptSearchPlace {
  readonly state: Observable<EditorState>;
  readonly prompts: readonly string[];
  show(before: EditedText, index: number): EditedText;
}

function searchWith(command: EditorCommand, { state, prompts, show }: PromptSearchPlace): boolean {
  const { search } = state.get();
  if (search === undefined) return false;
  const { before, query, found } = search;
  const change = (next: Partial<EditorState>): void => state.set({ ...state.get(), ...next });
  const seek = (sought: string, index: number | undefined): void =>
    change({
      search: { query: sought, before, found: index },
      edited: index === undefined ? before : show(before, index),
    });
  const refine = (sought: string): void =>
    seek(sought, sought === '' ? undefined : olderMatch(prompts, sought, prompts.length));
  switch (command.kind) {
    case 'search':
      if (query !== '') seek(query, olderMatch(prompts, query, found ?? prompts.length) ?? found);
      return true;
    case 'search-newer':
      if (query !== '') seek(query, newerMatch(prompts, query, found ?? prompts.length) ?? found);
      return true;
    case 'escape':
    case 'clear':
    case 'open-editor':
      change({ search: undefined, edited: before });
      return true;
    case 'paste':
      refine(query + command.text.replaceAll('\n', ' '));
      return true;
    case 'edit': {
      const next = editedQuery(query, command);
      if (next === undefined) break;
      refine(next);
      return true;
    }
    default:
      break;
  }
  change({ search: undefined });
  // Enter and Tab only accept the found prompt. Every other command also works on it.
  return command.kind === 'enter' || command.kind === 'tab';
}

/** Returns the query after an edit. `undefined` for an edit of the found prompt, such as a movement. */
function editedQuery(query: string, { command }: EditorCommand & { readonly kind: 'edit' }): string | undefined {
  if (command.edit === 'type') return query + command.text;
  const removes = command.edit === 'delete' || command.edit === 'kill';
  if (!removes || !command.movement.endsWith('left')) return undefined;
  const text = { buffer: { text: query, cursor: query.length }, steps: { undo: [], redo: [] }, kills: [] } as const;
  return editText({ ...text, last: { kind: 'other' } }, command).buffer.text;
}
