// Slow state: shows the value of an observable at most 30 times a second, however often it changes.

import { useCallback, useSyncExternalStore } from 'react';

import type { Observable } from '../state/observable.ts';

const INTERVAL_MS = 33;

/**
 * Returns the value of an observable. The first change after a pause is shown immediately. Further changes are shown
 * together at the end of the interval.
 */
export function useSlowState<Value>({ get, subscribe }: Observable<Value>): Value {
  const slowly = useCallback((changed: () => void) => subscribeSlowly(subscribe, changed), [subscribe]);
  return useSyncExternalStore(slowly, get);
}

function subscribeSlowly(subscribe: Observable<unknown>['subscribe'], changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  const show = (): void => {
    timer = undefined;
    if (!isWaiting) return;
    isWaiting = false;
    timer = setTimeout(show, INTERVAL_MS);
    changed();
  };
  const end = subscribe(() => {
    isWaiting = true;
    if (timer === undefined) show();
  });
  return () => {
    end();
    clearTimeout(timer);
  };
}
