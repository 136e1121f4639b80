// Editor of the prompt on the screen.

import type { DOMElement } from 'ink';
import { Box, measureElement, Text, useCursor } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';

import type { Look } from '../../frame/shown.ts';
import { render } from '../../frame/shown.ts';
import type { PromptEditor } from './create-editor.ts';
import { drawEditor } from './draw-editor.ts';

/** Properties of the editor. `rows` is the maximum height. */
export interface EditorProperties {
  readonly editor: PromptEditor;
  readonly columns: number;
  readonly rows: number;
  readonly colour: Look;
}

/** Editor of the prompt. The cursor of the terminal is at the cursor of the text, so that input methods work. */
export function Editor({ editor, columns, rows, colour }: EditorProperties): ReactElement {
  const state = useSyncExternalStore(editor.state.subscribe, editor.state.get);
  const { setCursorPosition } = useCursor();
  const box = useRef<DOMElement>(null);
  const top = useTop(box);
  useEffect(() => {
    if (state.hint === undefined) return undefined;
    const timer = setTimeout(editor.clearHint, state.hint.ms);
    return () => clearTimeout(timer);
  }, [editor, state.hint]);
  const margin = rows >= 4 ? 1 : 0;
  const drawn = drawEditor(state, { columns, rows: rows - margin });
  setCursorPosition(top === undefined ? undefined : { x: drawn.cursor.column, y: top + drawn.cursor.row });
  return h(
    Box,
    { marginTop: margin },
    h(Box, { ref: box }, h(Text, { wrap: 'truncate' }, drawn.rows.map((row) => render(row, colour)).join('\n'))),
  );
}

/** Returns the row of a box in the live part of the screen. `undefined` before the first layout. */
function useTop(box: { readonly current: DOMElement | null }): number | undefined {
  const [top, setTop] = useState<number>();
  // The layout can change with every render, for example when rows are added above the box.
  useLayoutEffect(() => {
    if (box.current !== null) setTop(measureElement(box.current).y);
  });
  return top;
}
