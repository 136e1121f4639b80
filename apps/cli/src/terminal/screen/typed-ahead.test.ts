// Tests that text which was typed before the first frame is not lost, and that its Enter is the key Enter.

import { expect, onTestFinished, test } from 'vitest';

import { createVirtualTerminal } from '../../../tests/virtual-terminal.ts';
import { createController } from '../control/create-controller.ts';
import { showScreen } from './show-screen.ts';
import { restoreTypedAhead } from './typed-ahead.ts';

async function openAfterTyping(typed: string): Promise<{ readonly sent: readonly string[]; all(): Promise<string> }> {
  const terminal = createVirtualTerminal();
  const sent: string[] = [];
  const controller = { ...createController(), send: ({ text }: { readonly text: string }) => void sent.push(text) };
  terminal.press(typed);
  await restoreTypedAhead(terminal.stdin);
  onTestFinished(showScreen(controller, { ...terminal, colour: false }));
  return { sent, all: async () => (await terminal.viewport()).join('\n') };
}

test('a line that was typed before the first frame is sent', async () => {
  const { sent } = await openAfterTyping('fix it\n');
  await expect.poll(() => sent).toEqual(['fix it']);
});

test('text without Enter, and text of several lines, stays in the editor', async () => {
  const [part, lines] = [await openAfterTyping('fix'), await openAfterTyping('one\ntwo\n')];
  await expect.poll(part.all).toMatch(/> fix$/m);
  await expect.poll(lines.all).toMatch(/> one\n {2}two/);
  expect([part.sent, lines.sent]).toEqual([[], []]);
});
