// Opens the editor in a virtual terminal, with a controller that notes what the user does.

import { tmpdir } from 'node:os';

import { expect, onTestFinished } from 'vitest';

import type { OwnedController } from '../src/terminal/control/create-controller.ts';
import { createController } from '../src/terminal/control/create-controller.ts';
import type { EditorPorts } from '../src/terminal/editor/editor-ports.ts';
import { NO_PORTS } from '../src/terminal/editor/editor-ports.ts';
import { showScreen } from '../src/terminal/screen/show-screen.ts';
import type { Draft } from '../src/terminal/state/draft.ts';
import type { VirtualTerminal } from './virtual-terminal.ts';
import { createVirtualTerminal } from './virtual-terminal.ts';

/** Waits for a value, as long as `until` of the virtual terminal. */
export const eventually = <Value>(read: () => Value | Promise<Value>): ReturnType<typeof expect.poll> =>
  expect.poll(read, { timeout: 5_000 });

/** Editor in a virtual terminal. */
export interface EditorOnTerminal {
  readonly terminal: VirtualTerminal;
  readonly controller: OwnedController;
  /** Actions of the user that reached the controller. */
  readonly done: readonly string[];
  readonly sent: readonly Draft[];
  /** Waits until the viewport has the cursor at the cell after the text. */
  cursorAfter(text: string): Promise<void>;
}

/** Opens the screen with a controller that notes what the user does. Waits until the screen matches `first`. */
export async function openEditorTerminal(
  ports: Partial<EditorPorts> = {},
  size: readonly [number, number] = [80, 24],
  first = /^>$/m,
): Promise<EditorOnTerminal> {
  const terminal = createVirtualTerminal(...size);
  const done: string[] = [];
  const sent: Draft[] = [];
  const controller: OwnedController = {
    ...createController(),
    send: (draft) => void sent.push(draft),
    queue: (draft) => void done.push(`queue ${draft.text}`),
    interrupt: () => void done.push('interrupt'),
    rewind: () => void done.push('rewind'),
    takeBack: () => done.push('take back') > 0,
    leave: () => void done.push('leave'),
    nextMode: () => void done.push('next mode'),
    workspace: () => tmpdir(),
  };
  onTestFinished(showScreen(controller, { ...terminal, colour: false, ports: { ...NO_PORTS, ...ports } }));
  await terminal.until(first);
  const cursorAfter = async (text: string): Promise<void> =>
    eventually(async () => {
      const { row, column } = await terminal.cursor();
      const line = (await terminal.viewport())[row] ?? '';
      return line.trimEnd() === text.trimEnd() ? column : line;
    }).toBe(widthOf(text));
  return { terminal, controller, done, sent, cursorAfter };
}

function widthOf(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + (character > '\u2e80' ? 2 : 1), 0);
}
