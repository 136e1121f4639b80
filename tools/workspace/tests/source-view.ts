// What a source is shown, and folders for it to look at.

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContextSource, SourceView } from '@tidemark/agent';
import { timestamp } from '@tidemark/log';
import { onTestFinished } from 'vitest';

/** A folder that is gone when the test is. */
export async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tidemark-source-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A view of this folder, with what a test changes. */
export function view(workspace: string, change: Partial<SourceView> = {}): SourceView {
  const { signal } = new AbortController();
  const now = timestamp('2026-11-20T12:00:00.000Z');
  return {
    workspace,
    now,
    mode: 'ask',
    files: new Map(),
    noted: undefined,
    signal,
    ...change,
  };
}

/** What a source says: its revision and its words. */
export async function told(source: ContextSource, seen: SourceView): Promise<readonly [string | undefined, string]> {
  return [await source.revision(seen), await source.render(seen, 'initial')];
}
