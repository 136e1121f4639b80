// Line in place of the editor while the session is open in another process.

import { Box, Text, useInput } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h } from 'react';

import type { Controller } from '../state/controller.ts';

/** Properties of the line. */
export interface ReadOnlyViewProperties {
  readonly controller: Controller;
  readonly columns: number;
}

/** Line that explains why nothing can be typed, and its keys. */
export function ReadOnlyView({ controller }: ReadOnlyViewProperties): ReactElement {
  useInput((input, key) => {
    if (input === 'f') continueInFork(controller).catch(controller.report);
    else if (input === 'r') tryAgain(controller).catch(controller.report);
    else if (input === 'q' || (key.ctrl && (input === 'c' || input === 'd'))) controller.leave();
  });
  return h(
    Box,
    { flexDirection: 'column', marginTop: 1 },
    h(Text, { wrap: 'truncate' }, 'The session is open in another process and is only shown here.'),
    h(Text, { dimColor: true, wrap: 'truncate' }, 'f: continue in a fork · r: try to open it · q: leave'),
  );
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
