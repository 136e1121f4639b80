// Tests L8. Several processes try to write the same session. They are stopped (SIGSTOP), woken (SIGCONT) and killed at
// random. Only one process writes at a time. A woken process continues, and nothing that it acknowledged is lost. Every
// acknowledged record is in the log exactly once. Issues: can1357/oh-my-pi#12624 (two windows on one session),
// bug-ops/zeph#5487 (doubled numbers).

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { canonicalJson, sessionId } from '@tidemark/log';
import { inspectSession, openNdjsonStore } from '@tidemark/store-ndjson';
import { expect, it } from 'vitest';
import { bundledProgram } from './bundle-program.ts';
import { randomFrom } from './random.ts';
import { PATIENCE, WHOLE, tally } from './tally.ts';
import { expectedAt } from './written-events.ts';

/** Number of times that a process is stopped, woken or killed. */
const BLOWS = WHOLE ? 2_000 : 60;
const PROCESSES = 3;
const SEED = Number(process.env['TIDEMARK_SEED'] ?? Date.now() % 1_000_000);
const program = bundledProgram(new URL('contending-process.ts', import.meta.url));
const NAME = 'wanted';

interface Contender {
  readonly child: ChildProcess;
  readonly gone: Promise<unknown>;
  stopped: boolean;
}

/** Chain digest of the log at each acknowledged length. */
type Acknowledged = Map<number, string>;

function start(home: string, acknowledged: Acknowledged): Contender {
  const child = spawn(process.execPath, [program(), home, NAME], { stdio: ['ignore', 'pipe', 'inherit'] });
  let heard = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = `${heard}${chunk.toString()}`.split('\n');
    heard = lines.pop() ?? '';
    for (const line of lines) note(line, acknowledged);
  });
  return { child, gone: once(child, 'close'), stopped: false };
}

function note(line: string, acknowledged: Acknowledged): void {
  const [length = '', chain = ''] = line.split(' ');
  // The same length acknowledged twice would mean that two writers wrote the same record.
  expect(acknowledged.has(Number(length))).toBe(false);
  acknowledged.set(Number(length), chain);
}

async function strike(contender: Contender, random: () => number): Promise<'stopped' | 'woken' | 'killed'> {
  if (random() < 0.1) {
    contender.child.kill('SIGKILL');
    await contender.gone;
    return 'killed';
  }
  contender.child.kill(contender.stopped ? 'SIGCONT' : 'SIGSTOP');
  contender.stopped = !contender.stopped;
  return contender.stopped ? 'stopped' : 'woken';
}

async function expectWhole(home: string, acknowledged: Acknowledged): Promise<number> {
  const store = openNdjsonStore({ home });
  let length = 0;
  for await (const { kind, at, data, chain } of store.read(sessionId(NAME))) {
    expect(canonicalJson({ kind, at, data }).text).toBe(canonicalJson(expectedAt(NAME, length)).text);
    length += 1;
    if (acknowledged.has(length)) expect([length, chain]).toEqual([length, acknowledged.get(length)]);
  }
  expect(length).toBeGreaterThanOrEqual(Math.max(...acknowledged.keys()));
  expect(await inspectSession({ home }, sessionId(NAME))).toMatchObject({ records: length, unknown: [] });
  return length;
}

it(
  `${PROCESSES} processes that want one session write it in turn, while they are stopped, woken and killed ${BLOWS} times`,
  PATIENCE,
  async () => {
    const random = randomFrom(SEED);
    const home = await mkdtemp(join(tmpdir(), 'tidemark-contend-'));
    const acknowledged: Acknowledged = new Map();
    const contenders = Array.from({ length: PROCESSES }, () => start(home, acknowledged));
    const blows = { stopped: 0, woken: 0, killed: 0 };
    try {
      while (acknowledged.size === 0) await pause(5);
      for (let blow = 0; blow < BLOWS; blow += 1) {
        await pause(random() * 50);
        const place = Math.floor(random() * PROCESSES);
        const contender = contenders[place];
        if (contender === undefined) continue;
        const what = await strike(contender, random);
        blows[what] += 1;
        if (what === 'killed') contenders[place] = start(home, acknowledged);
      }
    } finally {
      for (const { child } of contenders) child.kill('SIGKILL');
      await Promise.all(contenders.map(({ gone }) => gone));
    }
    try {
      const length = await expectWhole(home, acknowledged);
      tally(`${PROCESSES} writers on one session, seed ${SEED}`, {
        ...blows,
        'records acknowledged': acknowledged.size,
        'records read': length,
        'acknowledged lost': 0,
        'records doubled': 0,
      });
      expect(acknowledged.size).toBeGreaterThan(0);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
);
