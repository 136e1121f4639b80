// Replays recorded sessions, once per run: the recording of the demo, and those of real providers if they are next to
// the project.

import { access, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Lasting } from '@tidemark/agent';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog } from '@tidemark/model';
import type { DrivenCall, ReplayResult, ReplayWarm } from '@tidemark/recording';
import { importInto, replay, replayName } from '@tidemark/recording';
import { createMemoryStore } from '@tidemark/store-memory';

import type { Step } from './pause-sequences.ts';
import { timedAsync } from './stopwatch.ts';

/**
 * Session file that the demo of the command replays. It was made for the demo and does not come from a real session.
 */
const DEMO: URL = new URL('../../apps/cli/demo/recording.jsonl', import.meta.url);

/** Folder of recorded sessions of real providers. It exists only on some machines. */
const TRANSCRIPTS = new URL('../../../shared/transcripts/', import.meta.url);

/** One replayed recording. */
export interface RecordedSession {
  /** File name of the recording, without its ending. */
  readonly name: string;
  /** True if a real provider was called for the recording. */
  readonly real: boolean;
  readonly result: ReplayResult;
  /**
   * Calls of the replay as steps. `kept` is the number of tokens that the call really read from the cache. It does not
   * include tokens whose entry expired during the replay.
   */
  readonly steps: readonly Step[];
  /** Capabilities of the model of the first call. */
  readonly model: Capabilities | undefined;
  /** Duration of the replay in seconds. */
  readonly seconds: number;
}

const replayed = new Map<string, Promise<readonly RecordedSession[]>>();

/** Returns all recordings on this machine, replayed at the first request for these settings. */
export function recordedSessions(ttl: Lasting = 'auto', warm: ReplayWarm = 'off'): Promise<readonly RecordedSession[]> {
  const name = `${ttl} ${warm}`;
  const known = replayed.get(name) ?? replayAll(ttl, warm);
  replayed.set(name, known);
  return known;
}

async function replayAll(ttl: Lasting, warm: ReplayWarm): Promise<readonly RecordedSession[]> {
  const real = await readdir(TRANSCRIPTS).catch(() => []);
  const files = real.filter((name) => name.endsWith('.jsonl')).map((name) => new URL(name, TRANSCRIPTS));
  const demo = await access(DEMO).then(
    () => [DEMO],
    () => [],
  );
  const sessions: RecordedSession[] = [];
  for (const file of [...files.toSorted(byPath), ...demo]) sessions.push(await replayFile(file, ttl, warm));
  return sessions;
}

function byPath(a: URL, b: URL): number {
  return a.pathname < b.pathname ? -1 : 1;
}

async function replayFile(file: URL, ttl: Lasting, warm: ReplayWarm): Promise<RecordedSession> {
  const source = createMemoryStore();
  const { sessions } = await importInto(source, fileURLToPath(file));
  const target = createMemoryStore();
  const calls: DrivenCall[] = [];
  let result: ReplayResult | undefined;
  const ms = await timedAsync(async () => {
    result = await replay({
      source,
      sessions,
      target,
      catalog: defaultCatalog(),
      name: replayName,
      ttl,
      warm,
      onCall: (call) => void calls.push(call),
    });
  });
  if (result === undefined) throw new Error(`the replay of ${basename(file.pathname)} returned no session`);
  return {
    name: file === DEMO ? 'demo' : basename(file.pathname, '.jsonl'),
    real: file !== DEMO,
    result,
    steps: calls.map(stepOf),
    model: calls[0]?.row.capabilities,
    seconds: ms / 1_000,
  };
}

function stepOf({ prepared, before, usage = {} }: DrivenCall): Step {
  const { fresh = 0, read = 0, writes = [] } = usage;
  const gap = before === undefined ? 0 : Date.parse(prepared.record.at) - Date.parse(before);
  return { gap, tokens: fresh + read + writes.reduce((sum, write) => sum + write.tokens, 0), kept: read };
}
