// Guide on the audit: every command of the page runs on a machine with three recordings and prints what the page shows.
// The table of real sessions has the figures that the command reports.

import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readPage } from './documents.ts';
import { firstMissing } from './printed-as-shown.ts';
import { exercisesIn } from './read-blocks.ts';
import type { Ran } from './run-tidemark.ts';
import { ROOT, runTidemark } from './run-tidemark.ts';

const PAGE = join('docs', 'guides', '07-audit.md');
const page = await readPage(ROOT, PAGE);
const exercises = exercisesIn(page);

const FIXTURES = join('packages', 'recording', 'fixtures');
const CLAUDE = '0d1e5ea5-0000-4000-8000-000000000001.jsonl';

/** Recordings of the repository, and their places in the home of a user. */
const RECORDINGS = [
  [join(FIXTURES, 'claude-code', CLAUDE), join('.claude', 'projects', 'shop', CLAUDE)],
  [join('apps', 'cli', 'demo', 'recording.jsonl'), join('.pi', 'agent', 'sessions', 'shop', 'recording.jsonl')],
  [join(FIXTURES, 'codex', 'main.jsonl'), join('.codex', 'sessions', '2026', '11', '20', 'rollout-main.jsonl')],
] as const;

let root = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-audit-guide-'));
  await placeFiles(
    join(root, 'small'),
    RECORDINGS.map(([from, to]) => [join(ROOT, from), to]),
  );
});

afterAll(() => rm(root, { recursive: true, force: true }));

async function placeFiles(home: string, files: readonly (readonly [from: string, to: string])[]): Promise<void> {
  for (const [from, to] of files) {
    await mkdir(dirname(join(home, to)), { recursive: true });
    await cp(from, join(home, to));
  }
}

/** Runs `tidemark` for a user with this home. Other places of transcripts on the machine are not used. */
async function runAt(home: string, args: readonly string[]): Promise<Ran> {
  vi.stubEnv('HOME', home);
  for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'PI_CODING_AGENT_DIR', 'XDG_DATA_HOME', 'OPENCODE_DB'])
    vi.stubEnv(name, undefined);
  try {
    return await runTidemark(args, home);
  } finally {
    vi.unstubAllEnvs();
  }
}

describe(PAGE, () => {
  test('has two commands, each with its output', () => {
    expect(exercises.map(({ shown }) => shown !== undefined)).toEqual([true, true]);
  });

  test.each(exercises)('prints the output that it shows after line $line', async ({ commands, shown }) => {
    const home = join(root, 'small');
    for (const command of commands) {
      const args = command.map((word) => (word.endsWith('.html') ? join(home, word) : word));
      const { exit, out, err } = await runAt(home, args);
      expect(exit, err).toBe(0);
      expect(firstMissing(shown ?? [], out + err), `printed:\n${out}${err}`).toBeUndefined();
    }
  });

  test('describes a page that exists after its commands ran', async () => {
    const written = await readFile(join(root, 'small', 'audit.html'), 'utf8');
    for (const heading of ['Cost by day', 'Sessions', 'Calls of the 2 sessions']) expect(written).toContain(heading);
  });
});

const SHARED = join(ROOT, '..', 'shared', 'transcripts');
const isThere = existsSync(SHARED);
if (!isThere) console.warn('skipped: no ../shared/transcripts next to the repository');

interface ReportedSession {
  readonly calls: number;
  readonly paid: string;
  readonly hadToCost: string;
  readonly difference: string;
  readonly causes: readonly { readonly cause: string }[];
}

test.skipIf(!isThere)('the table of real sessions has the figures of the report', { timeout: 240_000 }, async () => {
  const home = join(root, 'real');
  const names = ['claude-code-session-opus', 'claude-code-subagent-sonnet'];
  await placeFiles(home, [
    ...names.map((name) => [join(SHARED, `${name}.jsonl`), join('.claude', 'projects', 'x', `${name}.jsonl`)] as const),
    [join(SHARED, 'pi-coding-session-sonnet.jsonl'), join('.pi', 'agent', 'sessions', 'x', 'pi.jsonl')],
  ]);
  const { out } = await runAt(home, ['audit', '--since', '2025-01-01', '--no-advice', '--json']);
  const { sessions }: { readonly sessions: readonly ReportedSession[] } = JSON.parse(out);
  const rows = page.split('\n').filter((line) => /^\| (pi|Claude Code.*) \| \d+ \|/.test(line));
  expect(sessions.map(cellsOf)).toEqual(rows.map((row) => row.split(' | ').slice(1).join(' | ')));
});

function cellsOf({ calls, paid, hadToCost, difference, causes }: ReportedSession): string {
  const share = ((100 * Number(difference)) / Number(paid)).toFixed(1);
  const cause = causes[0] === undefined ? '|' : `\`${causes[0].cause}\` |`;
  return [calls, dollars(paid), dollars(hadToCost), dollars(difference), `${share}%`, cause].join(' | ');
}

function dollars(amount: string): string {
  const value = Number(amount);
  return `$${value === 0 ? '0' : value < 1 ? value.toPrecision(3) : value.toFixed(2)}`;
}
