// Value that the address names, such as a step or a block: a link shows the value, and the address follows what is shown.

import { useEffect, useRef } from 'preact/hooks';
import { keepAddress } from './route.ts';

/** Time after which the address follows, in milliseconds. A browser refuses too many changes. */
const FOLLOW_MS = 250;

interface ValueOfAddress {
  /** Value in the address. */
  readonly asked: number | undefined;
  /** Value that is shown. */
  readonly shown: number | undefined;
  /** Shows the value of a new address. */
  readonly show: (value: number) => void;
  readonly addressOf: (value: number) => string;
}

/** Shows the value of each new address, and keeps the address at the shown value. */
export function useValueOfAddress({ asked, shown, show, addressOf }: ValueOfAddress): void {
  const written = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (asked !== undefined && asked !== written.current && asked !== shown) show(asked);
    written.current = undefined;
  }, [asked]);
  useEffect(() => {
    if (shown === undefined || shown === asked) return undefined;
    const timer = setTimeout(() => {
      written.current = shown;
      keepAddress(addressOf(shown));
    }, FOLLOW_MS);
    return () => clearTimeout(timer);
  }, [shown]);
}
