// Handover of the terminal: while the alternate screen or another program has the terminal, no block is printed. The
// blocks of this time are printed afterwards.

import { useApp } from 'ink';
import { useCallback } from 'react';

import type { Controller } from '../state/controller.ts';

/** Lets a function use the terminal, and restores the screen after it. */
export type Handover = (use: () => Promise<void>) => Promise<void>;

/**
 * Returns a function that hands over the terminal. Ink drops everything that is printed while the terminal is handed
 * over, so the screen holds new blocks back until the end.
 */
export function useHandover({ state }: Pick<Controller, 'state'>): Handover {
  const { suspendTerminal } = useApp();
  return useCallback(
    async (use) => {
      state.set({ ...state.get(), handedOver: true });
      try {
        await suspendTerminal(use);
      } finally {
        state.set({ ...state.get(), handedOver: false });
      }
    },
    [state, suspendTerminal],
  );
}
