import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { editOutside, editorCommand } from './external-editor.ts';

const edit = (editor: string): ReturnType<typeof editOutside> =>
  editOutside('fix it', {
    environment: { PATH: process.env['PATH'], EDITOR: editor },
    folder: tmpdir(),
    stdio: 'ignore',
  });

test('the command is VISUAL, then EDITOR, then vi', () => {
  expect(editorCommand({ VISUAL: 'code --wait', EDITOR: 'nano' })).toBe('code --wait');
  expect(editorCommand({ VISUAL: ' ', EDITOR: 'nano' })).toBe('nano');
  expect(editorCommand({})).toBe('vi');
});

test('an editor with arguments receives the file, and its text is returned without the last line break', async () => {
  expect(await edit(`sh -c 'printf "%s now\\n" "$(cat "$0")" > "$0.new" && mv "$0.new" "$0"'`)).toEqual({
    text: 'fix it now',
  });
});

test('an editor that fails or does not exist is reported, and no file remains', async () => {
  vi.stubEnv('TMPDIR', await mkdtemp(join(tmpdir(), 'tidemark-editor-')));
  expect(await edit('false')).toEqual({ problem: 'the editor `false` ended with exit code 1; the text is unchanged' });
  expect(await edit('no-such-editor')).toEqual({
    problem: 'the editor `no-such-editor` was not found; the text is unchanged',
  });
  expect(await edit('rm')).toMatchObject({ problem: expect.stringContaining('could not be edited') });
  expect(await readdir(tmpdir())).toEqual([]);
});
