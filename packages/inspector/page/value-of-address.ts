// Value that the address names, such as a step or a block: a link shows the value, and the address follows what is shown.

import { useEffect } from 'preact/hooks';
import { useKeptAddress } from './kept-address.ts';

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
  const written = useKeptAddress(shown === undefined || shown === asked ? undefined : addressOf(shown));
  useEffect(() => {
    if (asked !== undefined && asked !== shown && location.hash !== written.current) show(asked);
  }, [asked]);
}
