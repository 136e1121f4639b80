// Recorded sessions, replayed once in a run: the demo's own, and those of real providers where they lie beside the
// project.

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
  /** Its calls as their cache saw them: `kept` is what was read, and so all that could be where nothing expired. */
  readonly steps: readonly Step[];
  /** The row of its first call. */
  readonly model: Capabilities | undefined;
  /** What the replay took. */
  readonly seconds: number;
}

const replayed = new Map<string, Promise<readonly RecordedSession[]>>();

/** All that are here, replayed when first asked for; none where there are none. */
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
  if (result === undefined) throw new Error(`the replay of ${basename(file.pathname)} gave nothing`);
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
