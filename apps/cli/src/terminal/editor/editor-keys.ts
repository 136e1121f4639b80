// Keys of the editor. They are read all the time, also while the screen changes from a panel back to the editor. So no
// key between two pictures of the screen is lost.

import { useInput, usePaste } from 'ink';

import type { PromptEditor } from './create-editor.ts';
import { textColumns } from './draw-editor.ts';

/** Properties of the keys. */
export interface EditorKeysProperties {
  readonly editor: PromptEditor;
  readonly columns: number;
  /** Returns true if a key that arrives now is for the editor. */
  readonly takesKeys: () => boolean;
  /** Gives the terminal to another program until the action ends. */
  readonly suspend: (action: () => Promise<void>) => Promise<void>;
}

/** Passes keys and pastes to the editor. It draws nothing. */
export function EditorKeys({ editor, columns, takesKeys, suspend }: EditorKeysProperties): null {
  useInput((input, key) => {
    if (takesKeys()) editor.press(input, key, { columns: textColumns(columns), suspend });
  });
  usePaste((text) => {
    if (takesKeys()) editor.paste(text);
  });
  return null;
}
