// Tests L8 with a failing disk. From one call of the store in a turn on, the disk is full, cannot truncate, fails to
// flush, or cannot store an artifact. Then a power loss removes bytes that no successful flush covered. The clock runs
// backwards during the test. The next process finds everything acknowledged, repeats no request or tool run, sends no
// request that is refused, and completes its turn.

import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { THIS_MACHINE, verifySession } from '@tidemark/agent';
import type { Surroundings } from '@tidemark/agent';
import { createAgent } from '@tidemark/kit';
import { sessionId, timestamp } from '@tidemark/log';
import type { Recorded } from '@tidemark/log';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { createSimulator } from '@tidemark/simulator';
import type { LedgerCall } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { describe, expect, it } from 'vitest';
import { AGAIN, byStep, toolsThat } from '../laws/played-agent.ts';
import type { FailingFiles, FileFault } from './failing-files.ts';
import { failingFiles } from './failing-files.ts';
import { PATIENCE, WHOLE, tally } from './tally.ts';

const ID = sessionId('struck');
const FAULTS: readonly FileFault[] = ['full-disk', 'stuck-disk', 'failing-flush', 'full-shelf'];
/** Fractions of the unflushed bytes that survive a power loss. */
const SURVIVES = [0, 0.5, 1];
const STRIDE = WHOLE ? 1 : 3;

interface Stage {
  readonly home: string;
  readonly url: string;
  readonly calls: readonly LedgerCall[];
  /** Ids of the tool calls that really ran, in order. */
  readonly ran: string[];
}

async function onStage<T>(act: (stage: Stage) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-disk-'));
  const simulator = createSimulator({ deltaCharacters: 40, onRequest: byStep, recordedSignatures: 'issued' });
  const listening = await simulator.listen();
  try {
    return await act({ home, url: listening.url, calls: simulator.calls, ran: [] });
  } finally {
    await listening.close();
    await rm(home, { recursive: true, force: true });
  }
}

function backwards(): Surroundings {
  let now = Date.UTC(2026, 10, 20, 9);
  return {
    ...THIS_MACHINE,
    now: () => timestamp(new Date((now -= 60_000)).toISOString()),
    wait: (ms, signal) => THIS_MACHINE.wait(ms / 1_000, signal),
    newName: () => ID,
  };
}

/**
 * Acts as one process: creates an agent, opens the session, prompts it once and closes the agent. Returns the outcome
 * of the turn, or the code of the error that was thrown.
 */
async function live({ home, url, ran }: Stage, files?: FailingFiles): Promise<string> {
  const whole = openNdjsonStore({ home, ...(files && { files: files.port }) });
  const store = files === undefined ? whole : { ...whole, artifacts: files.shelf(whole.artifacts) };
  const { sessions } = await store.sessions();
  const agent = createAgent({
    model: 'claude-sonnet-4-5',
    apiKey: 'simulated',
    baseURL: url,
    store,
    tools: toolsThat(({ at }, { call }) => {
      ran.push(call);
      // The last result is too long for a record, so it is stored as an artifact.
      return at === 'd' ? 'seen '.repeat(20_000) : `seen ${at}`;
    }),
    permissions: { mode: 'auto', allowUnsandboxed: true },
    host: { clock: backwards() },
  });
  try {
    const session = await agent.open(sessions.length === 0 ? undefined : ID);
    const first = await session.prompt(sessions.length === 0 ? 'Go.' : AGAIN);
    return first.outcome;
  } catch (error) {
    return codeOf(error);
  } finally {
    await agent.close().catch(codeOf);
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}

const logOf = (home: string): string => join(home, 'sessions', ID, 'log.ndjson');

/**
 * Truncates the log as a power loss would: keeps the flushed bytes and the fraction `survives` of the other bytes.
 * Returns the flushed bytes, which were acknowledged.
 */
async function powerLoss(home: string, flushed: number, survives: number): Promise<Buffer> {
  const written = await readFile(logOf(home)).catch(() => Buffer.alloc(0));
  const left = flushed + Math.floor(Math.max(0, written.length - flushed) * survives);
  if (left < written.length) await truncate(logOf(home), left);
  return written.subarray(0, flushed);
}

async function expectWhole({ home, calls, ran }: Stage, acknowledged: Buffer): Promise<void> {
  const bytes = await readFile(logOf(home));
  expect(bytes.subarray(0, acknowledged.length).equals(acknowledged)).toBe(true);
  const store = openNdjsonStore({ home });
  const records: Recorded[] = [];
  for await (const record of store.read(ID)) records.push(record);
  const started = records.filter((record) => record.kind === 'tool.started').map(({ data }) => data.call);
  const closed = records.filter(({ kind }) => kind === 'tool.returned' || kind === 'tool.abandoned').length;
  expect(new Set(started).size).toBe(started.length);
  expect(closed).toBeLessThanOrEqual(4);
  expect(new Set(ran).size).toBe(ran.length);
  expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
  for (const record of records) {
    if (record.kind !== 'tool.returned' || record.data.output === undefined) continue;
    expect(await store.artifacts.has(record.data.output)).toBe(true);
  }
  const verified = await verifySession(store, ID, { encoders: () => anthropicEncoder });
  expect(verified).toMatchObject({ differences: [], breaks: [] });
}

/**
 * Runs a turn in which the call with index `at` fails, and then a power loss and a turn without a fault. Returns false
 * if the first turn has no such call.
 */
async function strike(fault: FileFault, at: number, survives: number): Promise<boolean> {
  return onStage(async (stage) => {
    const files = failingFiles(fault, at);
    const ended = await live(stage, files);
    if (!files.struck) {
      expect(ended).toBe('completed');
      return false;
    }
    // With `full-shelf`, the result that cannot be stored is recorded as failed, and the turn continues.
    if (fault !== 'full-shelf') expect(ended).not.toBe('completed');
    const acknowledged = await powerLoss(stage.home, files.flushed.get(logOf(stage.home)) ?? 0, survives);
    expect(await live(stage)).toBe('completed');
    await expectWhole(stage, acknowledged);
    return true;
  });
}

describe('a session whose disk fails', () => {
  it.each(FAULTS)(
    'by a `%s` fault at any call of a turn loses nothing acknowledged and continues (L8)',
    PATIENCE,
    async (fault) => {
      let struck = 0;
      let at = 0;
      for (; ; at += STRIDE) {
        const each = await Promise.all(
          (WHOLE ? SURVIVES : [SURVIVES[at % 3] ?? 0]).map((part) => strike(fault, at, part)),
        );
        if (each.includes(false)) break;
        struck += each.length;
      }
      tally(`disk, ${fault}, then a power loss, the clock going backwards`, {
        'points struck': struck,
        'acknowledged lost': 0,
        'records doubled': 0,
        'invalid requests': 0,
      });
      expect(struck).toBeGreaterThan(1);
    },
  );
});
