// Keeps the text of the editor outside of the process while the user types, and offers the text that an earlier
// terminal of the folder left.

import type { Observable } from '../state/observable.ts';
import type { EditorState } from './editor-state.ts';
import { hintOf } from './editor-state.ts';
import type { KeptDraft } from './sources/kept-draft.ts';
import { replaceFolded } from './text/folded.ts';

/** Keeps the draft of one editor. */
export interface DraftKeeper {
  /** Stores the text of the editor now, and ends. */
  close(): Promise<void>;
}

/** Environment of the keeper. */
export interface DraftKeeperPlace {
  readonly state: Observable<EditorState>;
  readonly draft: KeptDraft;
  /** Replaces the whole text of the editor. */
  replace(text: string): void;
  /** Called if the draft cannot be stored. */
  failed(error: unknown): void;
}

/** Time after a change until the draft is stored, in milliseconds. An empty draft is forgotten at once. */
const DELAY_MS = 300;

const OFFER = 'Not sent when the last terminal of this folder ended. Ctrl-C clears it.';

/** Starts to keep the draft of an editor. */
export function createDraftKeeper({ state, draft, replace, failed }: DraftKeeperPlace): DraftKeeper {
  let timer: NodeJS.Timeout | undefined;
  let stored = '';
  let writing = Promise.resolve();
  const store = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const text = unsentText(state.get());
    if (text === stored) return;
    stored = text;
    writing = writing.then(() => draft.keep(text)).catch(failed);
  };
  const unsubscribe = state.subscribe(() => {
    const text = unsentText(state.get());
    if (text === '') store();
    else if (text !== stored) timer ??= setTimeout(store, DELAY_MS).unref();
  });
  const offer = async (): Promise<void> => {
    const left = await draft.findLeft();
    // The user may already type another prompt. It must not be sent together with the old text.
    if (left === undefined || state.get().edited.buffer.text !== '') return;
    writing = writing.then(() => left.takeOver()).catch(failed);
    stored = left.text;
    replace(left.text);
    state.set({ ...state.get(), hint: hintOf(OFFER) });
  };
  offer().catch(failed);
  return {
    close() {
      unsubscribe();
      store();
      return writing;
    },
  };
}

/** Returns the text without the images, which are not kept. During a search it is the text before the search. */
function unsentText({ edited, parts, search }: EditorState): string {
  const { text } = (search?.before ?? edited).buffer;
  return replaceFolded(text, parts, (part) => (part.kind === 'paste' ? part.text : ''));
}
