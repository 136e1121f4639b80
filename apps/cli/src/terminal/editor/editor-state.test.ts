// Tests the state that the editor keeps: rows, queued texts, closed popups, returned images, and its text while a list is
// open.

import { expect, test } from 'vitest';

import { eventually, openEditorTerminal as open } from '../../../tests/editor-terminal.ts';
import { NO_PORTS } from './editor-ports.ts';

const [LEFT, UP, ESC] = ['\u001b[D', '\u001b[A', '\u001b'];
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAC0lEQVR4nGNgwAkAAB4AAQ==', 'base64');
const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

test('Up takes back a queued text only in an empty editor', async () => {
  const { terminal, controller, done, cursorAfter } = await open();
  const queued = [{ text: 'later', attached: [] }];
  controller.state.set({ ...controller.state.get(), queued });
  terminal.press(`x${UP}`);
  await cursorAfter('> x');
  expect(done).toEqual([]);
  terminal.press('\u007f');
  await cursorAfter('> ');
  terminal.press(UP);
  await eventually(() => done).toEqual(['take back']);
});

test('the cursor keeps its column when it moves through a shorter row', async () => {
  const { terminal } = await open();
  terminal.press(paste('long row\nx\nlong row'));
  await terminal.until(/> long row\n {2}x\n {2}long row/);
  terminal.press(`${UP}${UP}!`);
  await terminal.until(/> long row!\n/);
});

test('a popup that Esc closed stays closed while the same name is typed', async () => {
  const files = async (): Promise<readonly string[]> => ['tax.ts'];
  const { terminal } = await open({ lists: { ...NO_PORTS.lists, files } });
  terminal.press('@t');
  await terminal.until(/▸ tax.ts/);
  terminal.press(ESC);
  await terminal.until(/> @t\n[^▸]/);
  terminal.press('a');
  await terminal.until(/> @ta\n[^▸]/);
  terminal.press(' @t');
  await terminal.until(/> @ta @t\n▸ tax.ts/);
});

test('an image that comes back without its label is shown after the text', async () => {
  const { terminal, controller, sent, cursorAfter } = await open();
  controller.refill('what is this?', [{ type: 'image', data: PNG, name: 'form.png' }]);
  await cursorAfter('> what is this? [image 1: form.png 8×6]');
  terminal.press('\r');
  await eventually(() => sent[0]?.attached).toEqual([{ type: 'image', data: PNG, name: 'form.png' }]);
});

test('a list that opens hides the editor, and its text, undo steps and cursor come back', async () => {
  const { terminal, controller, cursorAfter } = await open();
  terminal.press(`one two${LEFT}`);
  await terminal.until(/> one two/);
  void controller.choose(['title'], [{ label: 'first' }]);
  await terminal.until(/title/);
  expect((await terminal.viewport()).join('\n')).not.toContain('> one two');
  const { panel } = controller.state.get();
  if (panel?.kind === 'choice') panel.choose(undefined);
  await terminal.until(/> one two/);
  await eventually(async () => (await terminal.cursor()).column).toBe('> one tw'.length);
  terminal.press('\u001f');
  await cursorAfter('> ');
});
