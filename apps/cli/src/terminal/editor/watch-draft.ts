// Reports the prompt in the editor after each pause in the typing, so that it can be forecast.

import type { Draft } from '../state/draft.ts';
import type { Observable } from '../state/observable.ts';
import type { EditorState } from './editor-state.ts';
import { draftOf, kindOf } from './editor-state.ts';

/** Pause after a change until the draft is reported, in milliseconds. An empty draft is reported at once. */
const PAUSE_MS = 300;

const NO_DRAFT: Draft = { text: '', attached: [] };

/** Calls `changed` with the prompt in the editor when it has changed. Returns a function that ends this. */
export function watchDraft(state: Observable<EditorState>, changed: (draft: Draft) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let seen = '';
  const unsubscribe = state.subscribe(() => {
    const { text } = state.get().edited.buffer;
    if (text === seen) return;
    seen = text;
    clearTimeout(timer);
    // A slash command and a command of the user are no prompts.
    if (text === '' || kindOf(text) !== 'prompt') changed(NO_DRAFT);
    else timer = setTimeout(() => changed(draftOf(state.get())), PAUSE_MS).unref();
  });
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
