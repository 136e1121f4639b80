// Shows the screen on a terminal.

import { render } from 'ink';
import { createElement as h } from 'react';

import type { Look } from '../../frame/shown.ts';
import { createEditor } from '../editor/create-editor.ts';
import type { EditorPorts } from '../editor/editor-ports.ts';
import { NO_PORTS } from '../editor/editor-ports.ts';
import type { Controller } from '../state/controller.ts';
import { Screen } from './screen.ts';

/** Streams of a terminal. */
export interface TerminalStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream;
  /** True if colours may be used. */
  readonly colour: boolean;
  /** True if the terminal has no Unicode. */
  readonly ascii?: boolean;
  /** Called with the error if a component throws. The terminal is restored then. */
  readonly failed?: (error: unknown) => void;
  /** Ports of the editor. By default it has no history and no completion. */
  readonly ports?: EditorPorts;
}

/** Shows the screen until the returned function is called. That function resolves when the terminal is restored. */
export function showScreen(controller: Controller, streams: TerminalStreams): () => Promise<void> {
  const { stdout, stdin, colour, ascii = false, failed = () => undefined, ports = NO_PORTS } = streams;
  const look: Look = ascii ? { colours: colour ? 'dark' : 'none', ascii } : colour;
  const editor = createEditor(controller, ports);
  const { unmount, waitUntilExit } = render(h(Screen, { controller, editor, look }), {
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
  waitUntilExit().catch(failed);
  return async () => {
    editor.close();
    unmount();
    await waitUntilExit();
  };
}
