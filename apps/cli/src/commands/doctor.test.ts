// `tidemark doctor` over homes and stores of the test's.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Log, SessionSummary } from '@tidemark/log';
import { LogError, sessionId, timestamp } from '@tidemark/log';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tidemark-doctor-'));
});

afterEach(() => rmSync(home, { recursive: true }));

const place = { path: '/h/log.ndjson', line: 3, offset: 210, phase: 'checksum' };

function summaryOf(name: string): SessionSummary {
  const session = sessionId(name);
  return { session, root: session, workspace: '/w', createdAt: timestamp('2026-11-20T09:30:00.000Z') };
}

/** One sound session of no records, and one that is damaged from the start. */
function damagedStore(): Log {
  return pretendStore({
    sessions: async () => ({ sessions: [summaryOf('sound'), summaryOf('torn')], unreadable: [] }),
    // eslint-disable-next-line require-yield
    read: async function* (session) {
      if (session === 'torn') throw new LogError('log/damaged', 'line 3 of /h/log.ndjson is damaged', place);
    },
  });
}

test('finds a new home good, and says that it is not there yet', async () => {
  const { exit, out } = await pretendRun(['doctor'], { environment: { TIDEMARK_HOME: join(home, 'none') } });
  expect(exit).toBe(0);
  expect(out).toMatch(/good +home: .*not there yet/);
});

test('warns of a home that is open to others', async () => {
  chmodSync(home, 0o755);
  const { exit, out } = await pretendRun(['doctor'], { environment: { TIDEMARK_HOME: home } });
  expect(exit).toBe(0);
  expect(out).toContain(`open to others (0755)\n         next: chmod 700 ${home}`);
});

test('says whether a key is set, and never what it is', async () => {
  const environment = { TIDEMARK_HOME: home, ANTHROPIC_API_KEY: 'very-secret' };
  const text = await pretendRun(['doctor'], { environment });
  const json = await pretendRun(['doctor', '--json'], { environment });
  expect(text.out).toContain('ANTHROPIC_API_KEY is set');
  expect(JSON.parse(json.out)).toMatchObject({ keys: [{ variable: 'ANTHROPIC_API_KEY', present: true }] });
  expect(`${text.out}${text.err}${json.out}`).not.toContain('very-secret');
});

test('names a damage with path, line, offset and phase, the repair, and ends with 4', async () => {
  const choices = { environment: { TIDEMARK_HOME: home }, store: damagedStore() };
  const json = await pretendRun(['doctor', '--json'], choices);
  expect(json.exit).toBe(4);
  expect(JSON.parse(json.out)).toMatchObject({
    healthy: false,
    sessions: [
      { session: 'sound', state: 'good', records: 0 },
      { session: 'torn', state: 'failed', records: 0, damage: place, next: 'tidemark doctor --repair torn' },
    ],
  });
  const text = await pretendRun(['doctor'], choices);
  expect(text.out).toContain('next: tidemark doctor --repair torn');
  expect(text.out).toContain('2 sessions, 0 records, 1 damaged');
});
