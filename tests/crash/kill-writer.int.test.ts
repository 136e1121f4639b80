// L8: a process that writes sessions is killed repeatedly at random instants, and started again with the same sessions.
// Everything that the process acknowledged is in the log, no record is doubled, the chain is intact, and the next
// append succeeds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogError, canonicalJson, sessionId } from '@tidemark/log';
import type { SessionId } from '@tidemark/log';
import { inspectSession, openNdjsonStore } from '@tidemark/store-ndjson';
import { expect, it } from 'vitest';
import { bundledProgram } from './bundle-program.ts';
import { randomFrom } from './random.ts';
import type { Random } from './random.ts';
import { PATIENCE, tally } from './tally.ts';
import { expectedAt } from './written-events.ts';

/** Number of times that the process is killed. Each kill interrupts all writers of the process. */
const KILLS = Number(process.env['TIDEMARK_KILLS'] ?? 100);
const WRITERS = 2;
const LANES = Math.max(2, availableParallelism());
/** Number of kills after which the test continues with new sessions. */
const LIVES = 8;
const SEED = Number(process.env['TIDEMARK_SEED'] ?? Date.now() % 1_000_000);
const program = bundledProgram(new URL('writing-process.ts', import.meta.url));

interface Acknowledged {
  readonly length: number;
  readonly chain: string;
}

/**
 * Starts a writing process and kills it at a random instant. Returns the last acknowledged length and chain of each
 * session, by name of the session.
 */
async function killOnce(home: string, names: readonly string[], random: Random): Promise<Map<string, Acknowledged>> {
  const child = spawn(process.execPath, [program(), home, ...names], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'close');
  const after = Math.floor(random() * 60);
  const delay = random() * 4;
  let heard = '';
  let lines = 0;
  let dying = false;
  child.stdout.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
    lines = heard.split('\n').length - 1;
    if (lines >= after && !dying) setTimeout(() => child.kill('SIGKILL'), delay);
    dying ||= lines >= after;
  });
  if (after < 6) setTimeout(() => child.kill('SIGKILL'), 20 + random() * 130);
  const [, signal] = await gone;
  expect(signal).toBe('SIGKILL');
  const last = new Map<string, Acknowledged>();
  for (const line of heard.split('\n').slice(0, -1)) {
    const [name = '', length = '', chain = ''] = line.split(' ');
    last.set(name, { length: Number(length), chain });
  }
  return last;
}

/**
 * Checks a session after a kill: its records, its acknowledged length and chain, and that the next append succeeds.
 * Returns the number of records before this append, which is 0 if nothing was written.
 */
async function checkSession(home: string, id: SessionId, acknowledged: Acknowledged | undefined): Promise<number> {
  const store = openNdjsonStore({ home });
  let length = 0;
  try {
    for await (const record of store.read(id)) {
      const { kind, at, data } = record;
      expect(canonicalJson({ kind, at, data }).text).toBe(canonicalJson(expectedAt(id, length)).text);
      length += 1;
      if (length === acknowledged?.length) expect(record.chain).toBe(acknowledged.chain);
    }
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'log/missing')) throw error;
  }
  expect(length).toBeGreaterThanOrEqual(acknowledged?.length ?? 0);
  if (length === 0) return 0;
  const writer = await store.open(id);
  expect(writer.length).toBe(length);
  expect((await writer.append([expectedAt(id, length)], length)).ok).toBe(true);
  await writer.close();
  expect(await inspectSession(store, id)).toEqual({ session: id, records: length + 1, torn: 0, unknown: [] });
  return length;
}

async function lane(number: number, kills: number): Promise<{ readonly killed: number; readonly records: number }> {
  const random = randomFrom(SEED + number);
  const home = await mkdtemp(join(tmpdir(), 'tidemark-crash-'));
  let killed = 0;
  let records = 0;
  try {
    for (; killed < kills; killed += 1) {
      const names = Array.from({ length: WRITERS }, (_, index) => `s${Math.floor(killed / LIVES)}-${index}`);
      const acknowledged = await killOnce(home, names, random);
      for (const name of names) records += await checkSession(home, sessionId(name), acknowledged.get(name));
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  return { killed, records };
}

it(
  `a writer whose process is killed ${KILLS} times loses nothing acknowledged and doubles nothing (L8)`,
  PATIENCE,
  async () => {
    const lanes = await Promise.all(
      Array.from({ length: LANES }, (_, index) => lane(index, Math.floor((KILLS + index) / LANES))),
    );
    const killed = lanes.reduce((sum, each) => sum + each.killed, 0);
    const records = lanes.reduce((sum, each) => sum + each.records, 0);
    tally(`SIGKILL of writing processes, seed ${SEED} (TIDEMARK_SEED)`, {
      kills: killed,
      'writers cut': killed * WRITERS,
      'records checked': records,
      'acknowledged lost': 0,
      'records doubled': 0,
    });
    expect(records).toBeGreaterThan(killed);
  },
);
