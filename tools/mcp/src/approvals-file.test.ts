import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Definition } from './approvals.ts';
import { openApprovals } from './approvals-file.ts';

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-approvals-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'home', 'mcp-tools.json');
}

const definition = (name: string, description: string): Definition => ({
  name,
  description,
  schema: { type: 'object' },
});

test('accepted definitions are stored for later sessions, in a file that only its owner can read', () => {
  const path = file();
  const first = openApprovals(path);
  expect(first.get('a__x')).toBeUndefined();
  first.take([definition('a__x', 'one'), definition('a__y', 'two')]);
  const next = openApprovals(path);
  expect([next.get('a__x')?.description, next.get('a__y')?.description]).toEqual(['one', 'two']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('definitions that another process has accepted in the meantime are kept', () => {
  const path = file();
  const [a, b] = [openApprovals(path), openApprovals(path)];
  expect([a.get('a__x'), b.get('a__x')]).toEqual([undefined, undefined]);
  a.take([definition('a__x', 'one')]);
  b.take([definition('b__x', 'two')]);
  expect(openApprovals(path).get('a__x')?.description).toBe('one');
});

test('a damaged file throws `mcp/approvals-damaged` and is not changed', () => {
  const path = file();
  const open = openApprovals(path);
  open.take([definition('a__x', 'one')]);
  writeFileSync(path, '{"revision":1,"tools":[');
  expect(() => openApprovals(path)).toThrow(expect.objectContaining({ code: 'mcp/approvals-damaged' }));
  expect(() => open.take([])).toThrow(expect.objectContaining({ code: 'mcp/approvals-damaged' }));
  expect(readFileSync(path, 'utf8')).toBe('{"revision":1,"tools":[');
});

test('definitions still apply in this process if the file can be neither read nor written', () => {
  const path = file();
  const open = openApprovals(path);
  open.take([definition('a__x', 'one')]);
  writeFileSync(path, '{"revision":1,"tools":[');
  expect(() => open.take([definition('a__x', 'two')])).toThrow(`${path} does not contain valid definitions`);
  expect(open.get('a__x')?.description).toBe('two');
});
