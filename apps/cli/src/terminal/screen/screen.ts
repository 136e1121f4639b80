// Screen: prints final blocks once into the scrollback, and draws the live part, a panel or the editor, and the status
// line below them. Node runs the sources without a build and cannot read JSX, so elements are created by function calls.

import { Box, Static, Text, useInput, useWindowSize } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useEffect, useState, useSyncExternalStore } from 'react';

import type { Controller } from '../state/controller.ts';
import type { PrintedBlock } from '../state/blocks.ts';
import { commandLines } from '../drawing/command-lines.ts';
import { blockLines, liveLines, rowsOf } from '../drawing/block-lines.ts';
import { Editor } from '../editor/editor.ts';
import { QuestionView } from '../questions/question-view.ts';
import { StatusLine } from '../status/status-line.ts';

/** Properties of the screen. */
export interface ScreenProperties {
  readonly controller: Controller;
  /** True if colours may be used. */
  readonly colour: boolean;
}

/** Rows that the editor and the status line may use below the live part. */
const ROWS_BELOW = 6;

/** The whole screen. */
export function Screen({ controller, colour }: ScreenProperties): ReactElement {
  const state = useSyncExternalStore(controller.state.subscribe, controller.state.get);
  const { columns, rows } = useWindowSize();
  const now = useClock(state.running || state.command !== undefined);
  const { conversation, panel, generation } = state;
  const working = [...liveLines(conversation.live, now), ...commandLines(state.command, now)];
  const live = rowsOf(working, columns, colour).slice(-Math.max(1, rows - 2 - ROWS_BELOW));
  return h(
    Box,
    { flexDirection: 'column' },
    h(Static<PrintedBlock>, {
      key: generation,
      items: [...conversation.blocks],
      children: (block) => h(Text, { key: block.key }, rowsOf(blockLines(block), columns, colour).join('\n')),
    }),
    live.length > 0 && h(Text, null, live.join('\n')),
    panel?.kind === 'question' && h(QuestionView, { panel, columns, colour }),
    panel === undefined && h(Editor, { controller, columns, rows: ROWS_BELOW - 1 }),
    h(StatusLine, { state, columns, colour, now }),
    h(Keys, { controller, active: panel === undefined }),
  );
}

/** Keys that work while the editor has the keyboard. */
function Keys({ controller, active }: { readonly controller: Controller; readonly active: boolean }): null {
  useInput(
    (input, key) => {
      if (key.escape) controller.interrupt();
      else if (key.tab && key.shift) controller.nextMode();
      else if (key.ctrl && (input === 'c' || input === 'd')) controller.leave();
    },
    { isActive: active },
  );
  return null;
}

/** Returns the current time. While a turn runs, it changes once a second. */
function useClock(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
