// Tests `tidemark audit` in unusual surroundings: a damaged database, an interrupt, hostile text, removed transcripts.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

/** Call: the tokens that it wrote, after a pause in seconds. */
interface Written {
  readonly tokens: number;
  readonly pause?: number;
  readonly prompt?: string;
}

function transcript(calls: readonly Written[], folder = '/work/project', session = 'aaaaaaaa-0000'): string {
  let [time, parent] = [Date.parse('2026-11-20T10:00:00.000Z'), ''];
  const row = (uuid: string, type: string, message: object): string => {
    const base = { parentUuid: parent === '' ? null : parent, isSidechain: false, cwd: folder, sessionId: session };
    parent = uuid;
    return JSON.stringify({ ...base, version: '2.1.39', type, message, uuid, timestamp: new Date(time).toISOString() });
  };
  const rows = calls.flatMap(({ tokens, pause = 20, prompt = 'go on' }, index) => {
    time += pause * 1_000;
    const usage = {
      input_tokens: 3,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: tokens,
      output_tokens: 9,
    };
    const content = [{ type: 'text', text: 'done' }];
    const answer = { id: `msg_${session}_${index}`, role: 'assistant', model: 'claude-opus-4-6', content, usage };
    return [
      row(`${session}p${index}`, 'user', { role: 'user', content: prompt }),
      row(`${session}a${index}`, 'assistant', answer),
    ];
  });
  return `${rows.join('\n')}\n`;
}

const EXPIRED: readonly Written[] = [{ tokens: 20_000 }, { tokens: 21_000, pause: 3_600 }];

interface Stage {
  readonly home: string;
  readonly projects: string;
  run(flags?: readonly string[], signal?: AbortSignal): Promise<Ran>;
}

function openStage(files: Readonly<Record<string, string>>): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [home, projects] = [join(folder, 'home'), join(folder, 'claude', 'projects', 'shop')];
  mkdirSync(projects, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(projects, name), text);
  const environment = { TIDEMARK_HOME: home, CLAUDE_CONFIG_DIR: join(folder, 'claude') };
  return {
    home,
    projects,
    run: (flags = [], signal = new AbortController().signal) =>
      pretendRun(['audit', '--since', '2020-01-01', ...flags], { folder, environment, signal }),
  };
}

test('`audit` reports the sums, the causes and the advice, and writes only its database', async () => {
  const { home, run } = openStage({ 'a.jsonl': transcript(EXPIRED) });
  const { exit, out, err } = await run();
  expect([exit, err]).toEqual([0, '']);
  expect(out).toMatch(/^1 session, 2 calls of Claude Code, 2026-11-20\n/);
  expect(out).toMatch(/^expired\t1\t20,000\t\$0\.115\t100\.0%\t/m);
  expect(out).toMatch(/^what to do about expired\nreplayed: 1 transcript with 2 calls/m);
  expect(readdirSync(home)).toEqual(['audit.sqlite']);
});

test('`audit` gives advice for each of several causes, and repeats it without another replay', async () => {
  const { run } = openStage({ 'a.jsonl': transcript([...EXPIRED, { tokens: 22_000 }]) });
  const first = JSON.parse((await run(['--json'])).out);
  expect(first.advice.map(({ cause }: { readonly cause: string }) => cause)).toEqual([
    'front-changed-or-evicted',
    'expired',
  ]);
  expect(JSON.parse((await run(['--json'])).out).advice).toEqual(first.advice);
  expect((await run()).out).toMatch(/^what to do about front-changed-or-evicted\n[^]*^what to do about expired\n/m);
});

test('`audit` continues in memory with a damaged database, and names it', async () => {
  const { home, run } = openStage({ 'a.jsonl': transcript(EXPIRED) });
  await run(['--no-advice']);
  const database = join(home, 'audit.sqlite');
  for (const damage of [(bytes: Buffer) => bytes.fill(0xff, 4_096 * 2), () => Buffer.from('no database '.repeat(99))]) {
    writeFileSync(database, damage(readFileSync(database)));
    const { exit, out, err } = await run(['--no-advice', '--json']);
    expect([exit, JSON.parse(out).sums.calls]).toEqual([0, 2]);
    expect(err).toContain(`${database} cannot be used`);
  }
});

test('`audit` reports the rows of a transcript that was removed, without advice', async () => {
  const { projects, run } = openStage({ 'a.jsonl': transcript(EXPIRED) });
  await run(['--no-advice']);
  rmSync(join(projects, 'a.jsonl'));
  const { exit, out, err } = await run();
  expect([exit, err]).toEqual([0, '']);
  expect(out).toContain('1 session, 2 calls');
  expect(out).not.toContain('what to do');
});

test('`audit` prints no sums of an interrupted reading, and ends with 130', async () => {
  const { run } = openStage({ 'a.jsonl': transcript(EXPIRED) });
  const { exit, out, err } = await run([], AbortSignal.abort());
  expect([exit, out]).toEqual([130, '']);
  expect(err).toContain('interrupted');
  expect((await run()).out).toContain('1 session, 2 calls');
});

test('`audit` prints no control characters of titles and folders, and keeps the columns of a pipe', async () => {
  const prompt = '\u001B]0;owned\u0007\u001B[31mred\u202Egnp\nsecond\tcolumn';
  const text = transcript(
    EXPIRED.map((call) => ({ ...call, prompt })),
    '/work/\u001B[2Jx\t\n\u202Ey',
  );
  const { out, err } = await openStage({ 'a.jsonl': text }).run(['--no-advice']);
  // oxlint-disable-next-line no-control-regex
  expect(`${out}${err}`).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
  const columns = (name: RegExp): number =>
    out
      .split('\n')
      .find((line) => name.test(line))
      ?.split('\t').length ?? 0;
  expect(columns(/^2026-11-20 10:00\t/)).toBe(columns(/^started\t/));
});

test('`audit` reads other transcripts when one is garbage, and names it', async () => {
  const { projects, run } = openStage({ 'a.jsonl': transcript(EXPIRED), 'b.jsonl': '\0'.repeat(500) });
  const { exit, out, err } = await run(['--no-advice']);
  expect([exit, out.split('\n')[0]]).toEqual([0, '1 session, 2 calls of Claude Code, 2026-11-20']);
  expect(err).toContain(`skipped: ${join(projects, 'b.jsonl')}`);
});

test('`audit` without calls names the folders that it searched', async () => {
  const { projects, run } = openStage({});
  const { exit, out } = await run();
  expect([exit, out]).toEqual([0, expect.stringContaining(join(projects, '..'))]);
  expect(out).toContain('next: use an earlier `--since`');
});
