// Tests that a write is refused if another process has changed the entries of its calls since the transcript was read.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { position, sessionId } from '@tidemark/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { billedLayer } from './billed-entries.ts';
import type { Projection, SourceRows } from './projection.ts';
import { openProjection } from './projection.ts';

let folder: string;
let [first, second]: Projection[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-projection-'));
  [first, second] = [1, 2].map(() => openProjection(join(folder, 'audit.sqlite'), 'test'));
});
afterEach(() => {
  first?.close();
  second?.close();
  rmSync(folder, { recursive: true });
});

/** Reads a transcript that contains one call. */
function rowsOf(projection: Projection, path: string, call: string, answer = 1): SourceRows {
  const version = projection.version();
  const layer = billedLayer(projection.billedBy, path);
  const before = layer.get(call);
  layer.set(call, before ?? { session: sessionId('s'), position: position(1), usage: { answer } });
  const transcript = { agent: 'claude-code' as const, path, bytes: 1, modified: 1 };
  return { transcript, format: 'claude-code', sessions: [], calls: [], billed: layer.entries(), skipped: 0, version };
}

test('`write` refuses a transcript whose call another connection has billed since, and takes it when it was read again', () => {
  if (first === undefined || second === undefined) throw new Error('no projection');
  const early = rowsOf(first, 'a', 'call');
  expect(second.write(rowsOf(second, 'b', 'call'))).toBe(true);
  expect(first.write(early)).toBe(false);
  expect(first.source('a')).toBeUndefined();
  expect(first.write(rowsOf(first, 'a', 'call'))).toBe(true);
  expect(first.query('SELECT bills FROM billed ORDER BY source').map(({ bills }) => bills)).toEqual([1n, 0n]);
});

test('`write` takes a transcript if another connection has changed only other calls', () => {
  if (first === undefined || second === undefined) throw new Error('no projection');
  const early = rowsOf(first, 'a', 'call');
  expect(second.write(rowsOf(second, 'b', 'another call'))).toBe(true);
  expect(first.write(early)).toBe(true);
});

test('`billedBy` does not return the entry of the transcript that is being read', () => {
  if (first === undefined) throw new Error('no projection');
  first.write(rowsOf(first, 'a', 'call'));
  expect([first.billedBy('call', 'a'), first.billedBy('call', 'b')?.usage]).toEqual([undefined, { answer: 1 }]);
});

test('a transcript with a copied call must be read again when the call has another usage', () => {
  if (first === undefined) throw new Error('no projection');
  first.write(rowsOf(first, 'a', 'call'));
  first.write(rowsOf(first, 'b', 'call'));
  first.write(rowsOf(first, 'a', 'call'));
  expect(first.source('b')?.modified).toBe(1);
  const changed = rowsOf(first, 'a', 'call', 2);
  first.write(changed);
  expect([first.source('a')?.modified, first.source('b')?.modified]).toEqual([1, -1]);
});
