import { expect, test } from 'vitest';

import type { ProgramRunner } from './clipboard-image.ts';
import { clipboardPrograms, readClipboardImage } from './clipboard-image.ts';

const printing =
  (output: string): ProgramRunner =>
  async () => ({ output: Buffer.from(output) });

test('the programs depend on the desktop', () => {
  const names = (platform: string, environment: Record<string, string>): readonly string[] =>
    clipboardPrograms(platform, environment).map(({ program }) => program);
  expect(names('linux', { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' })).toEqual(['wl-paste', 'xclip']);
  expect(names('linux', { DISPLAY: ':0' })).toEqual(['xclip']);
  expect(names('darwin', {})).toEqual(['pngpaste', 'osascript']);
  expect(names('linux', {})).toEqual([]);
});

test('the output of a program is the image', async () => {
  const programs = clipboardPrograms('linux', { DISPLAY: ':0' });
  expect(await readClipboardImage(programs, printing('bytes'))).toEqual({ data: Buffer.from('bytes') });
});

test('the output of AppleScript is read as hexadecimal bytes', async () => {
  const programs = clipboardPrograms('darwin', {}).slice(1);
  expect(await readClipboardImage(programs, printing('«data PNGf89504E47»\n'))).toEqual({
    data: Buffer.from([0x89, 0x50, 0x4e, 0x47]),
  });
});

test('an empty clipboard, a missing program and a missing desktop have different messages', async () => {
  const programs = clipboardPrograms('linux', { DISPLAY: ':0' });
  expect(await readClipboardImage(programs, async () => ({ missing: false }))).toEqual({
    problem: 'the clipboard contains no image',
  });
  expect(await readClipboardImage(programs, async () => ({ missing: true }))).toEqual({
    problem: 'the clipboard cannot be read without xclip; install it, or paste the path of an image file',
  });
  expect(await readClipboardImage([])).toEqual({
    problem: 'no clipboard can be reached from this terminal; paste the path of an image file instead',
  });
});
