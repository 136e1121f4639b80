// Tests the screen in a terminal emulator, over the viewport and the scrollback.

import { callId } from '@tidemark/log';
import { expect, onTestFinished, test } from 'vitest';

import { answer, call, createRecords, openScene } from '../../../tests/terminal-scene.ts';
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

test('a terminal without Unicode shows the signs of the screen in ASCII', async () => {
  const scene = await openScene({ ascii: true });
  onTestFinished(scene.end);
  const { record } = createRecords();
  const plan = { tasks: [{ task: 'first', status: 'done' }] };
  const text = { type: 'text', text: '- item\n\n| a | b |\n|---|---|\n| 1 | 2 |' } as const;
  scene.emit(
    { type: 'recorded', record: record('answer.received', answer(text, call('p', 'plan', plan))) },
    { type: 'recorded', record: record('tool.returned', { call: callId('p'), parts: [] }) },
  );
  const shown = await scene.terminal.until(/first/);
  expect(shown).toMatch(/^\* item\n\na \| b\n--\+--\n1 \| 2\n\+ plan\n {2}\+ first/m);
  expect(shown).toMatch(/^[\x20-\x7e\n]*$/);
});

test('a fork of the shown session prints only its new lines', async () => {
  const terminal = createVirtualTerminal();
  const controller = createController();
  onTestFinished(showScreen(controller, { ...terminal, colour: false }));
  controller.print(['the earlier part']);
  await terminal.until(/the earlier part/);
  const { state } = controller;
  const { conversation, generation } = state.get();
  state.set({ ...state.get(), generation: generation + 1, printedBefore: conversation.blocks.length });
  controller.print(['the fork begins']);
  await terminal.until(/the fork begins/);
  expect((await terminal.all()).join('\n').match(/the earlier part/g)).toHaveLength(1);
});
