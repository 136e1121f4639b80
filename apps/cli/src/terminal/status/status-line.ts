// Status line at the bottom of the screen.

import { Text } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h } from 'react';

import type { TerminalState } from '../state/terminal-state.ts';

/** Properties of the status line. `now` is in milliseconds since 1970. */
export interface StatusLineProperties {
  readonly state: TerminalState;
  readonly columns: number;
  readonly colour: boolean;
  readonly now: number;
}

/** Status line at the bottom of the screen. */
export function StatusLine({ state }: StatusLineProperties): ReactElement {
  return h(Text, { dimColor: true, wrap: 'truncate' }, `${state.mode}${state.running ? ' · working' : ''}`);
}
