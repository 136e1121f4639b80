// Imports recorded sessions of real providers without a replay. The list is empty on a machine without recordings.

import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { Recorded } from '@tidemark/log';
import { importInto } from '@tidemark/recording';
import { createMemoryStore } from '@tidemark/store-memory';

const TRANSCRIPTS = new URL('../../../shared/transcripts/', import.meta.url);

/** One session of a transcript. */
export interface ImportedSession {
  /** File name of the transcript, without its ending. */
  readonly name: string;
  readonly records: () => AsyncIterable<Recorded>;
}

/** Imports all sessions of the recordings on this machine, ordered by file name. */
export async function importedSessions(): Promise<readonly ImportedSession[]> {
  const files = (await readdir(TRANSCRIPTS).catch(() => [])).filter((file) => file.endsWith('.jsonl')).toSorted();
  const found: ImportedSession[] = [];
  for (const file of files) {
    const store = createMemoryStore();
    const { sessions } = await importInto(store, fileURLToPath(new URL(file, TRANSCRIPTS)));
    for (const session of sessions)
      found.push({ name: file.slice(0, -'.jsonl'.length), records: () => store.read(session) });
  }
  return found;
}
