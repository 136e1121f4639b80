// Shows the screen on a terminal.

import { render } from 'ink';
import { createElement as h } from 'react';

import type { Controller } from '../state/controller.ts';
import { Screen } from './screen.ts';

/** Streams of a terminal. `colour` is true if colours may be used. */
export interface TerminalStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream;
  readonly colour: boolean;
}

/** Shows the screen until the returned function is called. That function resolves when the terminal is restored. */
export function showScreen(controller: Controller, { stdout, stdin, colour }: TerminalStreams): () => Promise<void> {
  const { unmount, waitUntilExit } = render(h(Screen, { controller, colour }), {
    stdout,
    stdin,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    maxFps: 30,
  });
  return async () => {
    unmount();
    await waitUntilExit();
  };
}
