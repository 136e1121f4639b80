// Keeps the address of the browser at the place that is shown, while a person moves through it.

import { useEffect, useRef } from 'preact/hooks';
import { keepAddress } from './route.ts';

/** Time for which a place must stay before it is in the address, in milliseconds. A browser refuses too many changes. */
const SETTLE_MS = 250;

/**
 * Changes the address to the place that is shown. Returns the address that it wrote last, so that a caller can distinguish
 * it from one that a person opened. With `undefined`, the address stays.
 */
export function useKeptAddress(address: string | undefined): { readonly current: string } {
  const written = useRef('');
  useEffect(() => {
    if (address === undefined) return undefined;
    const before = location.hash;
    const timer = setTimeout(() => {
      // If a link was opened since then, its place is shown next.
      if (location.hash !== before) return;
      written.current = address;
      keepAddress(address);
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [address]);
  return written;
}
