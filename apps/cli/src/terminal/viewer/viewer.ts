// Viewer: shows a long text on the alternate screen, such as the whole output of a call.

import { useStdin, useStdout } from 'ink';
import { useEffect } from 'react';

import type { Look } from '../../frame/shown.ts';
import type { Controller } from '../state/controller.ts';
import type { ViewerPanel } from '../state/terminal-state.ts';
import { useHandover } from './handover.ts';
import type { PagerTerminal } from './run-pager.ts';
import { runPager } from './run-pager.ts';

/** Properties of the viewer. */
export interface ViewerProperties {
  readonly controller: Controller;
  readonly panel: ViewerPanel;
  readonly colour: Look;
}

/** Returns a note about the questions that wait for the end of the viewer. */
function waitingNote({ state }: Pick<Controller, 'state'>): NonNullable<PagerTerminal['note']> {
  const get = (): string => {
    const { waiting = 0 } = state.get();
    return waiting === 0 ? '' : `${waiting} more ${waiting === 1 ? 'question waits' : 'questions wait'}`;
  };
  return {
    get,
    subscribe(changed) {
      let before = get();
      return state.subscribe(() => {
        if (get() === before) return;
        before = get();
        changed();
      });
    },
  };
}

/** Viewer of a long text. It closes its panel when the user leaves it. */
export function Viewer({ controller, panel, colour }: ViewerProperties): null {
  const { stdin } = useStdin();
  const { stdout } = useStdout();
  const handOver = useHandover(controller);
  useEffect(() => {
    const { entries, first } = panel;
    const ended = new AbortController();
    handOver(() =>
      runPager(entries, first, { stdin, stdout, colour, signal: ended.signal, note: waitingNote(controller) }),
    )
      .catch(controller.report)
      .finally(panel.close);
    // The alternate screen is left when the screen ends.
    return () => ended.abort();
  }, [panel]);
  return null;
}
