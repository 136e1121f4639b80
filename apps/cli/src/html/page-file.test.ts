// Tests the file of a page: it is refused before the work begins, or it appears whole.

import { mkdtemp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { pageFile, writePage } from './page-file.ts';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-page-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('`pageFile` refuses `-`, an empty name, a folder and a missing folder with the next step', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'pages'));
  for (const [html, code, next] of [
    ['-', 'cli/usage', 'name a file: `--html audit.html`'],
    ['', 'cli/usage', 'name a file: `--html audit.html`'],
    ['pages', 'cli/refused', 'name a file: `--html audit.html`'],
    ['missing/audit.html', 'cli/refused', 'create it, or name another file'],
  ] as const)
    await expect(pageFile({ html }, folder)).rejects.toMatchObject({ code, next });
  expect(await readdir(folder)).toEqual(['pages']);
});

test('`pageFile` refuses `--titles` without `--html`', async () => {
  await expect(pageFile({ titles: true }, '/')).rejects.toMatchObject({
    code: 'cli/usage',
    next: 'add `--html <file>`',
  });
  expect(await pageFile({}, '/')).toBeUndefined();
});

test('`writePage` replaces an earlier file, leaves no other file, and lets only the user read it', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'audit.html'), 'an earlier page', { mode: 0o644 });
  const path = await pageFile({ html: 'audit.html' }, folder);
  expect(path).toBe(join(folder, 'audit.html'));
  await writePage(path ?? '', '<p>a page</p>');
  expect(await readFile(join(folder, 'audit.html'), 'utf8')).toBe('<p>a page</p>');
  expect((await stat(join(folder, 'audit.html'))).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
  expect(await readdir(folder)).toEqual(['audit.html']);
});

test('`writePage` leaves no temporary file if the file cannot be replaced', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'audit.html'));
  await expect(writePage(join(folder, 'audit.html'), 'x')).rejects.toMatchObject({ code: expect.any(String) });
  expect(await readdir(folder)).toEqual(['audit.html']);
});
