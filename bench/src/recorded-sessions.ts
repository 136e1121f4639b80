// Recorded sessions, replayed once in a run: the demo's own, and those of real providers where they lie beside the
// project.

import { access, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import { defaultCatalog } from '@tidemark/model';
import type { ReplayResult } from '@tidemark/recording';
import { importInto, replay, replayName } from '@tidemark/recording';
import { createMemoryStore } from '@tidemark/store-memory';

import { timedAsync } from './stopwatch.ts';

/** What the command's demo replays: made for it, not recorded. */
const DEMO: URL = new URL('../../apps/cli/demo/recording.jsonl', import.meta.url);

/** Where sessions of real providers are, if this machine has them. */
const TRANSCRIPTS = new URL('../../../shared/transcripts/', import.meta.url);

/** One recording, replayed. */
export interface RecordedSession {
  /** Its file, without the ending. */
  readonly name: string;
  /** Whether a real provider was called when it was recorded. */
  readonly real: boolean;
  readonly result: ReplayResult;
  /** What the replay took. */
  readonly seconds: number;
}

let replayed: Promise<readonly RecordedSession[]> | undefined;

/** All that are here, replayed when first asked for; none where there are none. */
export function recordedSessions(): Promise<readonly RecordedSession[]> {
  replayed ??= replayAll();
  return replayed;
}

async function replayAll(): Promise<readonly RecordedSession[]> {
  const real = await readdir(TRANSCRIPTS).catch(() => []);
  const files = real.filter((name) => name.endsWith('.jsonl')).map((name) => new URL(name, TRANSCRIPTS));
  const demo = await access(DEMO).then(
    () => [DEMO],
    () => [],
  );
  const sessions: RecordedSession[] = [];
  for (const file of [...files.toSorted(byPath), ...demo]) sessions.push(await replayFile(file));
  return sessions;
}

function byPath(a: URL, b: URL): number {
  return a.pathname < b.pathname ? -1 : 1;
}

async function replayFile(file: URL): Promise<RecordedSession> {
  const source = createMemoryStore();
  const { sessions } = await importInto(source, fileURLToPath(file));
  const target = createMemoryStore();
  let result: ReplayResult | undefined;
  const ms = await timedAsync(async () => {
    result = await replay({ source, sessions, target, catalog: defaultCatalog(), name: replayName });
  });
  if (result === undefined) throw new Error(`the replay of ${basename(file.pathname)} gave nothing`);
  return {
    name: file === DEMO ? 'demo' : basename(file.pathname, '.jsonl'),
    real: file !== DEMO,
    result,
    seconds: ms / 1_000,
  };
}
