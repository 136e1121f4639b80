// Test helpers that import, replay and verify a transcript in memory.

import { verifySession } from '@tidemark/agent';
import type { Lasting, Verification } from '@tidemark/agent';
import type { Log } from '@tidemark/log';
import { defaultCatalog } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { createMemoryStore } from '@tidemark/store-memory';
import { importInto } from '../../src/import/import-into.ts';
import type { ReplayWarm } from '../../src/replay/drive.ts';
import type { DrivenCall, ReplayPruning, ReplaySettings } from '../../src/replay/driving.ts';
import type { RecordedCall } from '../../src/replay/recorded-call.ts';
import { recordedCall } from '../../src/replay/recorded-call.ts';
import type { ReplayResult } from '../../src/replay/result.ts';
import { replay, replayName } from '../../src/replay/replay.ts';
import type { Row } from '../import/import-rows.ts';
import { fileOf, sourceOf } from '../import/import-rows.ts';

/** Result of a replay, with its calls, its recording and its target log. */
export interface Replayed {
  readonly result: ReplayResult;
  readonly calls: readonly DrivenCall[];
  /** Calls of the recording. A call that a fork shares with its parent is in the list only once. */
  readonly recorded: readonly RecordedCall[];
  readonly target: Log;
  /** Number of sessions that are forks. */
  readonly forks: number;
}

/** Imports and replays rows, or the file at a path. The default lifetime of cache entries is five minutes. */
export async function replayRows(
  rows: readonly Row[] | string,
  ttl: Lasting = '5m',
  warm: ReplayWarm = 'off',
  pruning: ReplayPruning = 'off',
  settings: ReplaySettings = 'recorded',
): Promise<Replayed> {
  const source = createMemoryStore();
  const { sessions } = await importInto(source, typeof rows === 'string' ? rows : sourceOf(fileOf(rows), 65_536));
  const target = createMemoryStore();
  const calls: DrivenCall[] = [];
  const result = await replay({
    source,
    sessions,
    target,
    catalog: defaultCatalog(),
    name: replayName,
    ttl,
    warm,
    pruning,
    settings,
    onCall: (call) => void calls.push(call),
  });
  const recorded: RecordedCall[] = [];
  let forks = 0;
  for (const session of sessions) {
    let own = false;
    for await (const record of source.read(session)) {
      if (record.kind === 'session.created' && record.data.id === session) {
        own = true;
        forks += record.data.parent === undefined ? 0 : 1;
      }
      const call = own ? recordedCall(record) : undefined;
      if (call !== undefined) recorded.push(call);
    }
  }
  return { result, calls, recorded, target, forks };
}

/**
 * Rebuilds every request of every replayed session and returns the verification of each session, in the order of the
 * sessions. With fewer than 100 calls each request is rebuilt from the start of the log. Otherwise it is rebuilt from
 * the previous request.
 */
export async function verifyAll({ result, target, calls }: Replayed): Promise<readonly Verification[]> {
  const found: Verification[] = [];
  for (const session of result.sessions) {
    found.push(await verifySession(target, session, { encoders: () => anthropicEncoder, full: calls.length < 100 }));
  }
  return found;
}
