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
  /** Called with the error if a component throws. The terminal is restored then. */
  readonly failed?: (error: unknown) => void;
}

/** Shows the screen until the returned function is called. That function resolves when the terminal is restored. */
export function showScreen(
  controller: Controller,
  { stdout, stdin, colour, failed = () => undefined }: TerminalStreams,
): () => Promise<void> {
  const { unmount, waitUntilExit } = render(h(Screen, { controller, colour }), {
    stdout,
    stdin,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    maxFps: 30,
  });
  waitUntilExit().catch(failed);
  return async () => {
    unmount();
    await waitUntilExit();
  };
}
