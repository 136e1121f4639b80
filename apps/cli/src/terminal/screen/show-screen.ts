// Shows the screen on a terminal.

import { render } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h } from 'react';

import type { Look } from '../../frame/shown.ts';
import { createEditor } from '../editor/create-editor.ts';
import type { EditorPorts } from '../editor/editor-ports.ts';
import { NO_PORTS } from '../editor/editor-ports.ts';
import type { Controller } from '../state/controller.ts';
import { changeOutput } from './frame-output.ts';
import type { Reflow } from './reflow.ts';
import type { ScreenSize } from './screen-size.ts';
import { ScreenErrors } from './screen-errors.ts';
import { Screen } from './screen.ts';

/** Streams of a terminal. */
export interface TerminalStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream;
  /** True if colours may be used. */
  readonly colour: boolean;
  /** True if the terminal has no Unicode. */
  readonly ascii?: boolean;
  /** Behaviour of the terminal when it becomes narrower. By default it cuts its rows. */
  readonly reflow?: Reflow;
  /** Called with the error if a component throws. The terminal is restored then. */
  readonly failed?: (error: unknown) => void;
  /** Ports of the editor. By default it has no history and no completion. */
  readonly ports?: EditorPorts;
}

/** Shows the screen until the returned function is called. That function resolves when the terminal is restored. */
export function showScreen(controller: Controller, streams: TerminalStreams): () => Promise<void> {
  const { stdout, stdin, colour, ascii = false, failed = () => undefined, ports = NO_PORTS, reflow = 'none' } = streams;
  const look: Look = ascii ? { colours: colour ? 'dark' : 'none', ascii } : colour;
  const editor = createEditor(controller, ports);
  // A first frame that fails calls this before `render` has returned.
  const crash = (error: unknown): void =>
    queueMicrotask(() => {
      unmount();
      waitUntilExit()
        .finally(() => failed(error))
        .catch(() => undefined);
    });
  const screen = (): ReactElement =>
    h(ScreenErrors, { failed: crash }, h(Screen, { controller, editor, look, size: sizeOf(stdout) }));
  const output = changeOutput(stdout, reflow);
  const instance = render(screen(), {
    stdout,
    stdin,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    maxFps: 30,
    // Without it, a terminal sends the same for Enter and Shift-Enter.
    kittyKeyboard: { mode: 'auto', flags: ['disambiguateEscapeCodes'] },
  });
  const { unmount, waitUntilExit } = instance;
  const release = resizeInOrder(stdout, () => {
    output.eraseResized(() => instance.clear());
    instance.rerender(screen());
  });
  waitUntilExit().catch(failed);
  return async () => {
    // The terminal may be gone. The draft is stored first.
    await editor.close();
    release();
    unmount();
    await waitUntilExit().finally(output.end);
  };
}

/**
 * Changes what happens after a resize. Ink first draws the frame of the old size, which scrolls a part of it into the
 * scrollback. Here `redraw` erases this frame and prepares the one of the new size before Ink draws.
 * Returns a function that ends this.
 */
function resizeInOrder(stdout: NodeJS.WritableStream, redraw: () => void): () => void {
  stdout.prependListener('resize', redraw);
  return () => void stdout.off('resize', redraw);
}

function sizeOf(stdout: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number }): ScreenSize {
  return { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
}
