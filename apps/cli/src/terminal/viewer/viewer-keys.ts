// Keys that open the viewer: Ctrl-O for the outputs of the calls, and Ctrl-T for the whole session.

import { useInput } from 'ink';

import type { Controller } from '../state/controller.ts';

/** Properties of the keys. */
export interface ViewerKeysProperties {
  readonly controller: Controller;
  readonly active: boolean;
  /** Returns true if the editor has no text. With a text, Ctrl-T swaps two characters of it. */
  readonly isEmpty: () => boolean;
}

/** Opens the viewer at its keys. */
export function ViewerKeys({ controller, active, isEmpty }: ViewerKeysProperties): null {
  useInput(
    (input, key) => {
      if (!key.ctrl) return;
      if (input === 'o') controller.viewOutputs();
      else if (input === 't' && isEmpty()) controller.viewTranscript();
    },
    { isActive: active },
  );
  return null;
}
