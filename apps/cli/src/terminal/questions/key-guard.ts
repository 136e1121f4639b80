// Guard of a panel that appears while the user types: keys that were meant for the editor must not answer it.

import { useEffect, useRef, useState } from 'react';

/** Time without a key after which a panel accepts keys, in milliseconds. It is also the time after its appearance. */
const QUIET_MS = 300;

/** Time between two checks if the panel accepts keys, in milliseconds. */
const CHECK_MS = 50;

/** Guard of a panel. Until the user was quiet for a short time, no key counts. */
export interface KeyGuard {
  /** Called at each key. Returns true if the key counts. */
  counts(): boolean;
  /** Returns true if the next key counts. */
  isOpen(): boolean;
}

/** Creates the guard of a panel that appears now. `now` returns a time in milliseconds. */
export function createKeyGuard(now: () => number): KeyGuard {
  let last = now();
  let open = false;
  const check = (): boolean => {
    open ||= now() - last >= QUIET_MS;
    return open;
  };
  return {
    isOpen: check,
    counts() {
      const isOpen = check();
      last = now();
      return isOpen;
    },
  };
}

/** Creates the guard of the component. The component is drawn again when keys count. */
export function useKeyGuard(now: () => number = Date.now): Pick<KeyGuard, 'counts'> & { readonly isOpen: boolean } {
  const held = useRef<KeyGuard>(undefined);
  held.current ??= createKeyGuard(now);
  const guard = held.current;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) return undefined;
    const timer = setInterval(() => {
      if (guard.isOpen()) setOpen(true);
    }, CHECK_MS);
    return () => clearInterval(timer);
  }, [guard, isOpen]);
  return { counts: guard.counts, isOpen };
}

/** Text in place of the keys until they count. */
export const WAIT_FOR_KEYS = '…';
