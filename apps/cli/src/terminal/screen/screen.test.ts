// Tests the screen in a terminal emulator, over the viewport and the scrollback.

import { expect, onTestFinished, test } from 'vitest';

import { createVirtualTerminal } from '../../../tests/virtual-terminal.ts';
import { createController } from '../control/create-controller.ts';
import { showScreen } from './show-screen.ts';

test('the screen prints lines above the editor, and shows the typed text in the editor', async () => {
  const terminal = createVirtualTerminal();
  const controller = createController();
  onTestFinished(showScreen(controller, { ...terminal, colour: false }));
  controller.print(['first line']);
  await terminal.until(/first line\n\n>\nask/);
  terminal.press('hello');
  expect(await terminal.until(/> hello/)).toContain('first line');
});
