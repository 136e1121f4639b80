// Status line at the bottom of the screen.

import { Text } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useEffect, useRef, useState } from 'react';

import type { Look } from '../../frame/shown.ts';
import { render } from '../../frame/shown.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { nextChange, statusParts } from './status-parts.ts';

/** Properties of the status line. `now` is in milliseconds since 1970, and so is the result of `clock`. */
export interface StatusLineProperties {
  readonly state: TerminalState;
  readonly columns: number;
  readonly colour: Look;
  readonly now: number;
  readonly clock?: () => number;
}

/** Status line at the bottom of the screen. It redraws itself when the countdown changes. */
export function StatusLine({ state, columns, colour, now, clock = Date.now }: StatusLineProperties): ReactElement {
  const { status, mode, running, stopping, readOnly, queued } = state;
  const time = Math.max(now, clock());
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const pause = running ? undefined : nextChange(status, clock());
    if (pause === undefined) return undefined;
    const timer = setTimeout(() => setTicks(ticks + 1), pause);
    return () => clearTimeout(timer);
  }, [status, running, clock, ticks]);
  const began = useRef<number>(undefined);
  if (!running) began.current = undefined;
  else began.current ??= time;
  const { answer, reasoning } = state.conversation.live;
  const characters = answer.length + reasoning.length;
  const work = began.current === undefined ? undefined : { ms: time - began.current, characters };
  const asks = state.panel?.kind === 'question';
  const view = { status, mode, running, stopping, readOnly, queued: queued.length, work, asks };
  const line = statusParts(view, columns - 1, time);
  return h(Text, { wrap: 'truncate' }, render(line, colour));
}
