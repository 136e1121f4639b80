// Keys that the user has while the session is open in another process, and their effects.

import type { Controller } from '../state/controller.ts';

/** Line that explains why nothing can be sent. */
export const OPEN_ELSEWHERE = 'The session is open in another process and is only shown here.';

/** Keys that the user has instead of a prompt. */
export const KEYS_ELSEWHERE = 'f: continue in a fork · r: try to open it · q: leave';

/** Does what the key stands for. An error is reported. Returns `undefined` for another key. */
export function pressElsewhere(controller: Controller, key: string): Promise<void> | undefined {
  switch (key) {
    case 'f':
      return continueInFork(controller).catch(controller.report);
    case 'r':
      return tryAgain(controller).catch(controller.report);
    case 'q':
      return Promise.resolve(controller.leave());
    default:
      return undefined;
  }
}

async function continueInFork(controller: Controller): Promise<void> {
  const { session } = controller.state.get();
  const fork = session === undefined ? undefined : await controller.agent()?.fork(session);
  if (fork !== undefined) await controller.openSession({ open: 'live', session: fork });
}

async function tryAgain(controller: Controller): Promise<void> {
  const { session } = controller.state.get();
  if (session !== undefined) await controller.openSession({ open: 'existing', id: session });
}
