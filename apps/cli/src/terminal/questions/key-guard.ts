// Guard of a panel that appears while the user types: keys that were meant for the editor must not answer it.

import { useRef } from 'react';

/** Time without a key after which a panel accepts keys, in milliseconds. It is also the time after its appearance. */
export const QUIET_MS = 300;

/** Returns true if a key counts. Until the user was quiet for a short time, no key counts. */
export type KeyGuard = () => boolean;

/** Creates the guard of a panel that appears now. `now` returns a time in milliseconds. */
export function createKeyGuard(now: () => number): KeyGuard {
  let last = now();
  let open = false;
  return () => {
    const time = now();
    open ||= time - last >= QUIET_MS;
    last = time;
    return open;
  };
}

/** Returns the guard of the component. It starts when the component appears. */
export function useKeyGuard(now: () => number = Date.now): KeyGuard {
  const guard = useRef<KeyGuard>(undefined);
  guard.current ??= createKeyGuard(now);
  return guard.current;
}
