// Status line at the bottom of the screen.

import { Text } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useEffect, useState } from 'react';

import type { Look } from '../../frame/shown.ts';
import { render } from '../../frame/shown.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { StatusFacts } from '../state/status-facts.ts';
import { nextChange, statusParts } from './status-parts.ts';

/** Properties of the status line. `now` is in milliseconds since 1970. */
export interface StatusLineProperties {
  readonly state: TerminalState;
  readonly columns: number;
  readonly colour: Look;
  readonly now: number;
}

/** Status line at the bottom of the screen. It redraws itself when the countdown changes. */
export function StatusLine({ state, columns, colour, now }: StatusLineProperties): ReactElement {
  const { status, mode, running, readOnly, queued } = state;
  const time = Math.max(now, useCountdown(status, running));
  const line = statusParts({ status, mode, running, readOnly, queued: queued.length }, columns - 1, time);
  return h(Text, { wrap: 'truncate' }, render(line, colour));
}

/** Returns the time of the last change of the countdown. */
function useCountdown(facts: StatusFacts, running: boolean): number {
  const [time, setTime] = useState(() => Date.now());
  useEffect(() => {
    const now = Date.now();
    const pause = running ? undefined : nextChange(facts, now);
    if (pause === undefined) return undefined;
    const timer = setTimeout(() => setTime(Date.now()), pause);
    return () => clearTimeout(timer);
  }, [facts, running, time]);
  return time;
}
