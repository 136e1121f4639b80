// Creates views and folders for tests of context sources.

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContextSource, SourceView } from '@tidemark/agent';
import { sessionId, timestamp } from '@tidemark/log';
import { onTestFinished } from 'vitest';

/** Creates a folder that is removed when the test ends. */
export async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tidemark-source-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns a `SourceView` of the folder, with the fields in `change` replaced. */
export function view(workspace: string, change: Partial<SourceView> = {}): SourceView {
  const { signal } = new AbortController();
  const now = timestamp('2026-11-20T12:00:00.000Z');
  return {
    workspace,
    now,
    mode: 'ask',
    files: new Map(),
    noted: undefined,
    session: sessionId('s'),
    begun: false,
    processes: [],
    signal,
    ...change,
  };
}

/** Returns the revision of a source and its rendered text. */
export async function told(source: ContextSource, seen: SourceView): Promise<readonly [string | undefined, string]> {
  return [await source.revision(seen), await source.render(seen, 'initial')];
}
