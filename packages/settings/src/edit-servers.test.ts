// Tests edits of the MCP servers in a configuration file: the other settings keep their values, and an invalid file is
// not changed.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, expect, onTestFinished, test } from 'vitest';

import type { EditedServers } from './edit-servers.ts';
import { editServers } from './edit-servers.ts';
import type { ServerSetting } from './server-settings.ts';

const SERVER: ServerSetting = { command: 'serve', args: ['--fast'] };
const providers = ['anthropic'];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-edit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function own(name: string, setting?: ServerSetting): Promise<EditedServers> {
  return editServers({ kind: 'user', folder }, name, { providers, ...(setting && { setting }) });
}

function ownText(): string {
  return readFileSync(join(folder, 'tidemark.config.json'), 'utf8');
}

test('a missing file is created for its owner alone', async () => {
  const { path, before } = await own('tax', SERVER);
  expect([path, before]).toEqual([join(folder, 'tidemark.config.json'), undefined]);
  expect(JSON.parse(ownText())).toEqual({ mcp: { servers: { tax: SERVER } } });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('the other settings keep their values and their order, and the file keeps its indentation and its mode', async () => {
  const before = '{\n    "model":   "opus",\n    "limits": { "maxSteps": 5 }\n}\n';
  writeFileSync(join(folder, 'tidemark.config.json'), before, { mode: 0o644 });
  await own('tax', SERVER);
  expect(ownText()).toContain('{\n    "model":   "opus",\n    "limits": {\n        "maxSteps": 5\n    },\n');
  expect(ownText()).toContain('\n    "mcp": {\n        "servers": {\n            "tax": {');
  expect(statSync(join(folder, 'tidemark.config.json')).mode & 0o777).toBe(0o644);
});

test('removing a server returns its setting and leaves the other servers', async () => {
  await own('tax', SERVER);
  await own('shop', { url: 'https://shop.example/mcp' });
  expect(await own('tax')).toMatchObject({ before: SERVER });
  expect(JSON.parse(ownText())).toEqual({ mcp: { servers: { shop: { url: 'https://shop.example/mcp' } } } });
});

test('removing an unknown server changes nothing', async () => {
  await own('tax', SERVER);
  const before = ownText();
  expect(await own('shop')).toEqual({ path: join(folder, 'tidemark.config.json') });
  expect(ownText()).toBe(before);
});

test('an invalid file is refused and keeps its bytes', async () => {
  const path = join(folder, 'tidemark.config.json');
  for (const text of ['{ // note\n}', '{ "modle": "opus" }', '{']) {
    writeFileSync(path, text);
    await expect(own('tax', SERVER)).rejects.toThrow(path);
    expect(ownText()).toBe(text);
  }
});

test('a TypeScript configuration is not edited, and the error contains the text to add', async () => {
  writeFileSync(join(folder, 'tidemark.config.ts'), 'export default {};\n');
  await expect(own('tax', SERVER)).rejects.toMatchObject({
    code: 'settings/not-editable',
    message: expect.stringContaining('"tax": {"command":"serve","args":["--fast"]}'),
  });
});

test('a link of the user keeps pointing to its file, and a link in a workspace is refused', async () => {
  mkdirSync(join(folder, 'dotfiles'));
  writeFileSync(join(folder, 'dotfiles', 'mine.json'), '{}');
  symlinkSync(join(folder, 'dotfiles', 'mine.json'), join(folder, 'tidemark.config.json'));
  await own('tax', SERVER);
  expect(readFileSync(join(folder, 'dotfiles', 'mine.json'), 'utf8')).toContain('"tax"');
  symlinkSync(join(folder, 'dotfiles'), join(folder, '.tidemark'));
  const edit = editServers({ kind: 'workspace', workspace: folder }, 'tax', { providers, setting: SERVER });
  await expect(edit).rejects.toMatchObject({ code: 'settings/not-editable' });
});

test('a workspace gets its file in `.tidemark`', async () => {
  await editServers({ kind: 'workspace', workspace: folder }, 'tax', { providers, setting: SERVER });
  expect(JSON.parse(readFileSync(join(folder, '.tidemark', 'config.json'), 'utf8'))).toEqual({
    mcp: { servers: { tax: SERVER } },
  });
});
