import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { confirmComplaint, confirmLines, confirmNames, hashOf } from './confirm-found.ts';
import { gatherFindings } from './findings.ts';
import { createGrepTool } from './grep-tool.ts';

const line = (path: string, text: string, offset = 0) => ({
  path,
  offset,
  bytes: text.length,
  digest: hashOf(Buffer.from(text)),
});

test('`confirmLines` keeps lines that are in a file of the workspace and reached without a link', async () => {
  const { folder, outside, put } = await openBench();
  await put('a/notes.txt', 'one\ntwo\n');
  await writeFile(join(outside, 'notes.txt'), 'one\ntwo\n');
  await symlink(outside, join(folder, 'link'));
  await symlink(join(outside, 'notes.txt'), join(folder, 'file'));
  const kept = [line('a/notes.txt', 'one\n'), line('a/notes.txt', 'two\n', 4)];
  const lost = [
    line('a/notes.txt', 'two\n'),
    line('a/notes.txt', 'three\n', 8),
    line('link/notes.txt', 'one\n'),
    line('file', 'one\n'),
    line('none', 'one\n'),
  ];
  expect(await confirmLines(folder, [...kept, ...lost])).toEqual(kept);
});

test('`confirmNames` keeps existing names that are reached without a link, and `confirmComplaint` keeps complaints about such names', async () => {
  const { folder, outside, put } = await openBench();
  await put('a/notes.txt', '');
  await writeFile(join(outside, 'secret'), '');
  await symlink(outside, join(folder, 'link'));
  expect(await confirmNames(folder, ['a/notes.txt', 'link/secret', 'none', 'link'])).toEqual(['a/notes.txt', 'link']);
  const complaint = 'rg: ./link/secret: No such file\nrg: ./a/notes.txt: Permission denied\nregex parse error';
  expect(await confirmComplaint(folder, complaint)).toBe('rg: ./a/notes.txt: Permission denied\nregex parse error');
});

test('`grep` shows lines of files with a byte order mark and of files in UTF-16', async () => {
  const { put, call, confinement } = await openBench();
  const text = 'one\r\nä foo\r\n';
  await put('8.txt', `\uFEFF${text}`);
  await put('16le.txt', Buffer.from(`\uFEFF${text}`, 'utf16le'));
  await put('16be.txt', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16());
  const found = await call(createGrepTool(confinement), { pattern: 'foo' });
  expect(found.text).toBe('[3 lines in 3 files]\n\n16be.txt\n2:ä foo\n\n16le.txt\n2:ä foo\n\n8.txt\n2:ä foo');
});

test('the description of a search reports how many lines were omitted because they could not be confirmed', () => {
  const findings = gatherFindings(10, 0);
  for (const path of ['a', 'b'])
    findings.add({ path, line: 1, text: 'foo', raw: Buffer.from('foo'), offset: 0, spans: [], match: [0, 3] });
  expect(findings.describe('.', [], findings.rows.slice(1))).toBe(
    '[2 lines in 2 files]\n[1 of the found lines are omitted, because the files did not contain them when read again]\n\nb\n1:foo',
  );
});
