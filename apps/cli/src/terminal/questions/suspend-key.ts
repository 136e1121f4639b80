// Ctrl-Z: gives the terminal back to the shell and stops the process. After `fg`, the screen is drawn again.

import { useInput } from 'ink';

import { stopProcess } from '../viewer/stop-process.ts';

/** Properties of the key. `suspend` gives the terminal away until the action ends. */
export interface SuspendKeyProperties {
  readonly suspend: (action: () => Promise<void>) => Promise<void>;
  readonly stop?: () => Promise<void>;
}

/** Stops the process at Ctrl-Z. `stop` resolves when the process continues. */
export function SuspendKey({ suspend, stop = stopProcess }: SuspendKeyProperties): null {
  useInput((input, key) => {
    // A second Ctrl-Z while the terminal is given back has no effect.
    if (key.ctrl && input === 'z') suspend(stop).catch(() => undefined);
  });
  return null;
}
