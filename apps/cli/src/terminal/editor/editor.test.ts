// Tests the editor in a terminal emulator.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { eventually, openEditorTerminal as open } from '../../../tests/editor-terminal.ts';
import type { EditorPorts } from './editor-ports.ts';
import { NO_PORTS } from './editor-ports.ts';

const [LEFT, RIGHT, UP, DOWN, ESC] = ['\u001b[D', '\u001b[C', '\u001b[A', '\u001b[B', '\u001b'];
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAC0lEQVR4nGNgwAkAAB4AAQ==', 'base64');
const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

test('the cursor of the terminal is at the cursor of the text, also with wide characters', async () => {
  const { terminal, cursorAfter } = await open();
  terminal.press('日本語x');
  await cursorAfter('> 日本語x');
  terminal.press(LEFT + LEFT);
  await eventually(async () => (await terminal.cursor()).column).toBe(6);
  terminal.press('\u0001に');
  expect(await terminal.until(/> に日本語x/)).toContain('に');
  await eventually(async () => (await terminal.cursor()).column).toBe(4);
});

test('the cursor follows the editor when lines are printed and when the window is resized', async () => {
  const { terminal, controller, cursorAfter } = await open({}, [40, 12]);
  terminal.press('one two three four five six seven eight');
  await cursorAfter('  eight');
  controller.print(['printed line']);
  await terminal.until(/printed line/);
  await cursorAfter('  eight');
  terminal.resize(60, 12);
  await cursorAfter('> one two three four five six seven eight');
  terminal.resize(20, 10);
  await cursorAfter('  seven eight');
});

test('Enter sends the text, and a line break is typed with Ctrl-J, Alt-Enter, Shift-Enter and a backslash', async () => {
  const { terminal, sent, cursorAfter } = await open();
  for (const [typed, keys] of [
    ['> one', '\n'],
    ['  two', '\u001b\r'],
    ['  three', '\u001b[13;2u'],
    ['  four\\', '\r'],
  ] as const) {
    terminal.press(typed.slice(2));
    await cursorAfter(typed);
    terminal.press(keys);
    await cursorAfter('  ');
  }
  terminal.press('five');
  await terminal.until(/> one\n {2}two\n {2}three\n {2}four\n {2}five/);
  terminal.press('\r');
  await eventually(() => sent).toEqual([{ text: 'one\ntwo\nthree\nfour\nfive', attached: [] }]);
  await terminal.until(/^>$/m);
});

test('`?` on an empty editor lists the keys, and is text after other text', async () => {
  const { terminal, sent, cursorAfter } = await open();
  terminal.press('?');
  await eventually(() => sent).toEqual([{ text: '/keys', attached: [] }]);
  terminal.press('why');
  await cursorAfter('> why');
  terminal.press('?');
  await cursorAfter('> why?');
  expect(sent).toHaveLength(1);
});

test('a long paste is folded, is one unit for the cursor, and is expanded in the sent text', async () => {
  const { terminal, sent, cursorAfter } = await open();
  const long = Array.from({ length: 214 }, (_, index) => `line ${index}`).join('\n');
  terminal.press(`see ${paste(long)}`);
  await cursorAfter('> see [paste 1: 214 lines]');
  terminal.press(`${LEFT}x${RIGHT}!`);
  await cursorAfter('> see x[paste 1: 214 lines]!');
  terminal.press('\r');
  await eventually(() => sent.map(({ text }) => text)).toEqual([`see x${long}!`]);
  terminal.press(`${paste(long)}\u007f`);
  await cursorAfter('> ');
});

test('a short paste is text, and its line breaks do not send it', async () => {
  const { terminal, sent } = await open();
  terminal.press(paste('one\r\n\u001b[31mtwo\r'));
  await terminal.until(/> one\n {2}two/);
  expect(sent).toEqual([]);
});

test('the path of an image becomes the image, and other paths remain text', async () => {
  const { terminal, sent, cursorAfter } = await open();
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-image-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'my form.png'), PNG);
  await writeFile(join(folder, 'text.png'), 'no image');
  terminal.press(`see ${paste(`'${join(folder, 'my form.png')}'`)}`);
  await cursorAfter('> see [image 1: my form.png 8×6]');
  terminal.press(` and ${paste('missing.png')}`);
  await cursorAfter('> see [image 1: my form.png 8×6] and missing.png');
  terminal.press('\r');
  await eventually(() => sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    text: 'see [image 1: my form.png 8×6] and missing.png',
    attached: [{ type: 'image', data: PNG }],
  });
});

test('a text that comes back has its images again', async () => {
  const { terminal, controller, sent, cursorAfter } = await open({ clipboardImage: async () => ({ data: PNG }) });
  terminal.press('see \u0016');
  await cursorAfter('> see [image 1: clipboard.png 8×6]');
  terminal.press('\r');
  await terminal.until(/^>$/m);
  terminal.press('new');
  await cursorAfter('> new');
  controller.refill(sent[0]?.text ?? '', sent[0]?.attached);
  await terminal.until(/> see \[image 1: clipboard.png 8×6\]\n {2}new/);
  terminal.press('\r');
  await eventually(() => sent[1]?.attached).toEqual(sent[0]?.attached);
});

test('an image that cannot be read from the clipboard is explained below the text', async () => {
  const { terminal } = await open({ clipboardImage: async () => ({ problem: 'the clipboard contains no image' }) });
  terminal.press('text\u0016');
  await terminal.until(/> text\n {2}the clipboard contains no image/);
  terminal.press('x');
  expect(await terminal.until(/> textx/)).not.toContain('clipboard');
});

test('`@` completes files while the user types, and Esc closes the popup before it interrupts', async () => {
  const files = async (): Promise<readonly string[]> => ['src/tax.ts', 'src/total.ts', 'docs/a b.md'];
  const { terminal, controller, sent, done, cursorAfter } = await open({ lists: { ...NO_PORTS.lists, files } });
  controller.state.set({ ...controller.state.get(), running: true });
  terminal.press('fix @to');
  await terminal.until(/> fix @to\n▸ src\/total.ts/);
  terminal.press(ESC);
  await eventually(async () => (await terminal.viewport()).join('\n')).not.toContain('▸');
  expect(done).toEqual([]);
  terminal.press(ESC);
  await eventually(() => done).toEqual(['interrupt']);
  terminal.press(' @a b');
  terminal.press('\u007f\u007f');
  await terminal.until(/▸ docs\/a b.md/);
  terminal.press('\t');
  await cursorAfter('> fix @to @"docs/a b.md" ');
  terminal.press('\r');
  await eventually(() => sent.map(({ text }) => text)).toEqual(['fix @to @"docs/a b.md"']);
});

test('`/` completes commands, and Enter runs a command without an argument', async () => {
  const commands = (): readonly { name: string; summary: string; argument?: string }[] => [
    { name: 'cost', summary: 'shows what was paid' },
    { name: 'model', summary: 'switches the model', argument: '<model>' },
  ];
  const { terminal, sent } = await open({ lists: { ...NO_PORTS.lists, commands } });
  terminal.press('/');
  await terminal.until(/^\/ \/\n▸ \/cost +shows what was paid\n {2}\/model <model>/m);
  terminal.press(`${DOWN}\r`);
  await terminal.until(/^\/ \/model$/m);
  expect(sent).toEqual([]);
  terminal.press('opus\r');
  await eventually(() => sent.map(({ text }) => text)).toEqual(['/model opus']);
  terminal.press('/co');
  await terminal.until(/▸ \/cost/);
  terminal.press('\r');
  await eventually(() => sent.map(({ text }) => text)).toEqual(['/model opus', '/cost']);
});

test('a command of the user has its own sign, and is sent unchanged', async () => {
  const { terminal, sent } = await open();
  terminal.press('!ls @src');
  await terminal.until(/^\$ !ls @src$/m);
  terminal.press('\r');
  await eventually(() => sent.map(({ text }) => text)).toEqual(['!ls @src']);
  terminal.press('/etc/hosts is empty');
  await terminal.until(/^> \/etc\/hosts is empty$/m);
});

test('Up and Down recall earlier prompts, and the draft comes back', async () => {
  const added: string[] = [];
  const history = {
    read: async (): Promise<readonly string[]> => ['first', 'second\nwith two rows'],
    add: async (text: string) => void added.push(text),
  };
  const { terminal } = await open({ history });
  terminal.press('third\r');
  await eventually(() => added).toEqual(['third']);
  terminal.press(`draft${UP}${UP}`);
  await terminal.until(/> second\n {2}with two rows/);
  terminal.press(UP);
  await terminal.until(/> first/);
  terminal.press(`${DOWN}${DOWN}`);
  await terminal.until(/> third/);
  terminal.press(DOWN);
  await terminal.until(/> draft/);
});

test('Ctrl-R searches the earlier prompts, Enter accepts the found one, and Esc returns to the draft', async () => {
  const prompts = ['fix the tax', 'add a test', 'fix the total'];
  const history = { read: async (): Promise<readonly string[]> => prompts, add: async (): Promise<void> => undefined };
  const { terminal, sent, cursorAfter } = await open({ history });
  terminal.press('draft\u0012');
  await cursorAfter('search: ');
  terminal.press('fix');
  await terminal.until(/> fix the total\nsearch: fix/);
  terminal.press('\u0012');
  await terminal.until(/> fix the tax\nsearch: fix/);
  terminal.press('zz');
  await terminal.until(/> draft\nsearch: fixzz \(no earlier prompt contains this\)/);
  terminal.press(ESC);
  await cursorAfter('> draft');
  terminal.press('\u0012test\r');
  await cursorAfter('> add a test');
  expect(sent).toEqual([]);
});

test('Tab queues the text while a turn runs, and Shift-Tab changes the mode', async () => {
  const { terminal, controller, done } = await open();
  terminal.press('later\t');
  terminal.press('\u001b[Z');
  await eventually(() => done).toEqual(['next mode']);
  controller.state.set({ ...controller.state.get(), running: true });
  terminal.press('\t');
  await eventually(() => done).toEqual(['next mode', 'queue later']);
});

test('Esc twice goes back to an earlier prompt, and only within two seconds', async () => {
  let now = 0;
  const { terminal, done, cursorAfter } = await open({ now: () => now });
  terminal.press(ESC);
  await terminal.until(/Esc again goes back to an earlier prompt/);
  terminal.press('x');
  await cursorAfter('> x');
  now = 5_000;
  terminal.press(ESC);
  await terminal.until(/Esc again goes back to an earlier prompt/);
  expect(done).toEqual([]);
  terminal.press(ESC);
  await eventually(() => done).toEqual(['rewind']);
});

test('Esc, a text and Esc do not go back to an earlier prompt', async () => {
  const { terminal, done } = await open({ now: () => 0 });
  terminal.press(ESC);
  await terminal.until(/Esc again goes back to an earlier prompt/);
  terminal.press('x');
  await terminal.until(/^(?![^]*Esc again)[^]*> x/);
  terminal.press(ESC);
  await terminal.until(/Esc again goes back to an earlier prompt/);
  expect(done).toEqual([]);
});

test('Ctrl-C clears the text, and leaves when it is pressed twice without text', async () => {
  let now = 0;
  const { terminal, done } = await open({ now: () => now });
  terminal.press('text');
  await terminal.until(/> text/);
  terminal.press('\u0003');
  await terminal.until(/^>$/m);
  terminal.press('\u0003');
  await terminal.until(/Ctrl-C again leaves/);
  now = 3_000;
  terminal.press('\u0003');
  expect(done).toEqual([]);
  now = 4_000;
  terminal.press('\u0003');
  await eventually(() => done).toEqual(['leave']);
});

test('Ctrl-D deletes the next character, and leaves without text', async () => {
  const { terminal, done, cursorAfter } = await open();
  terminal.press(`ab${LEFT}\u0004`);
  await cursorAfter('> a');
  expect(done).toEqual([]);
  terminal.press('\u007f\u0004');
  await eventually(() => done).toEqual(['leave']);
});

test('the external editor receives the expanded text, and its text replaces it', async () => {
  const edited: string[] = [];
  const editOutside: EditorPorts['editOutside'] = async (text) => {
    edited.push(text);
    return edited.length === 1 ? { text: 'from the editor' } : { problem: 'the editor `vi` was not found' };
  };
  const { terminal, cursorAfter } = await open({ editOutside });
  terminal.press(`a ${paste('x\n'.repeat(20))}\u0018`);
  await terminal.until(/Ctrl-E opens the editor/);
  terminal.press('\u0005');
  await cursorAfter('> from the editor');
  expect(edited).toEqual([`a ${'x\n'.repeat(20)}`]);
  terminal.press('\u0007');
  await terminal.until(/> from the editor\n {2}the editor `vi` was not found/);
});

test('a tall text shows the rows around the cursor, also in a small window', async () => {
  const { terminal, cursorAfter } = await open({}, [20, 10]);
  for (let number = 1; number <= 8; number += 1) {
    terminal.press(`line ${number}\n`);
    await cursorAfter('  ');
  }
  terminal.press('end');
  await cursorAfter('  end');
  const rows = await terminal.viewport();
  expect(rows.filter((row) => /line/.test(row)).length).toBeLessThan(5);
  expect(rows.some((row) => row.startsWith('↑ line'))).toBe(true);
  terminal.press(UP.repeat(8));
  await terminal.until(/> line 1/);
});

test('text of a file name cannot send escapes to the terminal', async () => {
  const files = async (): Promise<readonly string[]> => ['a\u001b[2Jb.ts'];
  const { terminal } = await open({ lists: { ...NO_PORTS.lists, files } });
  terminal.press('@a');
  await terminal.until(/> @a\n▸ a⟨U\+001B⟩\[2Jb\.ts/);
});

test('text that an earlier terminal left is in the editor again, and is forgotten when it was sent', async () => {
  const kept: string[] = [];
  const taken: string[] = [];
  const draft: EditorPorts['draft'] = {
    findLeft: async () => ({ text: 'half a prompt', takeOver: async () => void taken.push('taken') }),
    keep: async (text) => void kept.push(text),
  };
  const { terminal, sent } = await open({ draft }, undefined, /^> half a prompt$/m);
  await terminal.until(/Not sent when the last terminal/);
  expect([taken, kept]).toEqual([['taken'], []]);
  terminal.press(' more');
  await eventually(() => kept).toEqual(['half a prompt more']);
  terminal.press('\r');
  await eventually(() => kept).toEqual(['half a prompt more', '']);
  expect(sent.map(({ text }) => text)).toEqual(['half a prompt more']);
});

test('text that an earlier terminal left is not mixed with what the user types already', async () => {
  const left = Promise.withResolvers<Awaited<ReturnType<EditorPorts['draft']['findLeft']>>>();
  const taken: string[] = [];
  const { terminal } = await open({ draft: { ...NO_PORTS.draft, findLeft: () => left.promise } });
  terminal.press('new');
  await terminal.until(/> new$/m);
  left.resolve({ text: 'old', takeOver: async () => void taken.push('taken') });
  terminal.press(' text');
  expect(await terminal.until(/> new text$/m)).not.toContain('old');
  expect(taken).toEqual([]);
});
