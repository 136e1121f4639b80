// Screen: prints final blocks once into the scrollback, and draws the live part, a panel or the editor, and the status
// line below them. Node runs the sources without a build and cannot read JSX, so elements are created by function calls.

import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useEffect, useState } from 'react';

import type { Look } from '../../frame/shown.ts';
import type { Controller } from '../state/controller.ts';
import type { LivePart } from '../state/conversation.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { commandLines } from '../drawing/command-lines.ts';
import { liveLines } from '../drawing/live-lines.ts';
import { rowsOf } from '../drawing/rows.ts';
import type { PromptEditor } from '../editor/create-editor.ts';
import { EditorKeys } from '../editor/editor-keys.ts';
import { Editor } from '../editor/editor.ts';
import { ChoiceView } from '../questions/choice-view.ts';
import { Queue } from '../questions/queue.ts';
import { QuestionView } from '../questions/question-view.ts';
import { ReadOnlyView } from '../questions/read-only-view.ts';
import { SuspendKey } from '../questions/suspend-key.ts';
import { StatusLine } from '../status/status-line.ts';
import { useHandover } from '../viewer/handover.ts';
import { ViewerKeys } from '../viewer/viewer-keys.ts';
import { Viewer } from '../viewer/viewer.ts';
import { PrintedBlocks } from './printed-blocks.ts';
import { RunningProgram } from '../viewer/running-program.ts';
import type { ScreenSize } from './screen-size.ts';
import { useLiveArea } from './use-live-area.ts';
import { useSlowState } from './use-slow-state.ts';

/** Properties of the screen. */
export interface ScreenProperties {
  readonly controller: Controller;
  readonly editor: PromptEditor;
  /** Look without a theme. */
  readonly look: Look;
  readonly size: ScreenSize;
}

/** The whole screen. Everything below the printed blocks has at most two rows less than the terminal. */
export function Screen({ controller, editor, look, size }: ScreenProperties): ReactElement {
  const state = useSlowState(controller.state);
  const colour = themed(look, state.theme);
  const { columns, rows } = size;
  const { conversation, panel, generation } = state;
  // A call of a session that is open elsewhere runs too.
  const runsElsewhere = state.readOnly && conversation.live.calls.length > 0;
  const now = useClock(state.running || state.command !== undefined || runsElsewhere);
  const most = Math.max(1, rows - 2);
  const area = useLiveArea(size, isLive(conversation.live));
  const place = { columns: area.columns, rows, now };
  const working = [...liveLines(conversation.live, place), ...commandLines(state.command, now)];
  const live = rowsOf(working, area.columns, colour).slice(-area.rows);
  const { blocks } = conversation;
  const suspend = useHandover(controller);
  const writes = panel === undefined && !state.readOnly;
  return h(
    Box,
    { flexDirection: 'column' },
    // Is the first one that gets a key. After a panel, it would take the key that closed the panel.
    h(EditorKeys, { editor, columns, takesKeys: () => editorTakesKeys(controller, panel), suspend }),
    h(PrintedBlocks, {
      key: generation,
      blocks,
      from: state.printedBefore ?? 0,
      held: state.handedOver === true,
      columns,
      colour,
    }),
    h(
      Box,
      { flexDirection: 'column', justifyContent: 'flex-end', maxHeight: most, overflow: 'hidden' },
      h(LiveRows, { rows: live }),
      h(
        Box,
        { flexDirection: 'column', flexShrink: 0 },
        panel?.kind === 'viewer' && h(Viewer, { controller, panel, colour }),
        panel?.kind === 'program' && h(RunningProgram, { controller, panel }),
        panel?.kind === 'question' &&
          h(QuestionView, {
            panel,
            columns,
            rows: most - 1,
            colour,
            waiting: state.waiting ?? 0,
            interrupt: state.running ? controller.interruptTurn : undefined,
          }),
        panel?.kind === 'choice' && h(ChoiceView, { panel, columns, rows: most - 1, colour }),
        state.readOnly && panel === undefined && h(ReadOnlyView, { controller, columns }),
        h(Queue, { queued: state.queued }),
        writes && h(Editor, { editor, columns, rows: rowsForEditor(rows), colour }),
        h(StatusLine, { state, columns: area.columns, colour, now }),
      ),
    ),
    h(SuspendKey, { suspend }),
    h(ViewerKeys, { controller, active: writes, isEmpty: () => editor.state.get().edited.buffer.text === '' }),
  );
}

/**
 * Returns true if a key is for the editor. The drawn panel can be older than the state: a panel that is not drawn yet
 * takes no key from the editor, and a closed panel takes none any more. While something else has the terminal, the
 * screen gets no key. A key in this time arrives when the terminal was given back, before the panel is closed.
 */
function editorTakesKeys({ state }: Controller, drawn: TerminalState['panel']): boolean {
  const { panel, readOnly, handedOver } = state.get();
  const isOver = handedOver === true && (panel?.kind === 'viewer' || panel?.kind === 'program');
  return !readOnly && (panel === undefined || drawn === undefined || isOver);
}

/** Returns the look in a theme. A terminal without colours stays without colours. */
function themed(look: Look, theme: TerminalState['theme']): Look {
  if (theme === undefined || theme === 'dark') return look;
  const { colours, ascii } = typeof look === 'object' ? look : { colours: look ? 'dark' : 'none', ascii: false };
  return { colours: colours === 'none' ? 'none' : theme, ascii };
}

/** Returns the maximum number of rows of the editor: half of the terminal, and in a low terminal all free rows. */
function rowsForEditor(rows: number): number {
  return Math.max(1, Math.min(rows - 3, Math.max(4, Math.floor(rows / 2))));
}

function isLive({ answer, reasoning, calls }: LivePart): boolean {
  return answer !== '' || reasoning !== '' || calls.length > 0;
}

/** Last rows of the live part. The editor and the status line keep their rows, and the live part gets the rest. */
function LiveRows({ rows }: { readonly rows: readonly string[] }): ReactElement | undefined {
  if (rows.length === 0) return undefined;
  return h(
    Box,
    { flexDirection: 'column', justifyContent: 'flex-end', flexShrink: 1, minHeight: 0, overflow: 'hidden' },
    h(Box, { flexShrink: 0 }, h(Text, undefined, rows.join('\n'))),
  );
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
