// Reports the text in the editor after each pause in the typing, so that the prompt that it sends can be forecast. A
// command of the user's own sends a prompt too, so commands are reported like other texts.

import type { Draft } from '../state/draft.ts';
import type { Observable } from '../state/observable.ts';
import type { EditorState } from './editor-state.ts';
import { draftOf } from './editor-state.ts';

/** Pause after a change until the draft is reported, in milliseconds. An empty draft is reported at once. */
const PAUSE_MS = 300;

const NO_DRAFT: Draft = { text: '', attached: [] };

/** Calls `changed` with the text in the editor when it has changed. Returns a function that ends this. */
export function watchDraft(state: Observable<EditorState>, changed: (draft: Draft) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let seen = '';
  const unsubscribe = state.subscribe(() => {
    const { text } = state.get().edited.buffer;
    if (text === seen) return;
    seen = text;
    clearTimeout(timer);
    if (text === '') changed(NO_DRAFT);
    else timer = setTimeout(() => changed(draftOf(state.get())), PAUSE_MS).unref();
  });
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
