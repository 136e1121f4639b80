// Tests `tidemark audit --html` on a transcript that Claude Code wrote: the page has the figures of the report, and text
// of the session only with `--titles`.

import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

const NAME = '0d1e5ea5-0000-4000-8000-000000000001.jsonl';
const FIXTURE = resolve(import.meta.dirname, '../../../../packages/recording/fixtures/claude-code', NAME);

interface Stage {
  readonly folder: string;
  run(...flags: readonly string[]): Promise<Ran>;
}

async function openStage(transcript?: string): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-audit-html-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const projects = join(folder, 'claude', 'projects', 'shop');
  await mkdir(projects, { recursive: true });
  if (transcript !== undefined) await cp(transcript, join(projects, NAME));
  const environment = { TIDEMARK_HOME: join(folder, 'home'), CLAUDE_CONFIG_DIR: join(folder, 'claude') };
  return {
    folder,
    run: (...flags) => pretendRun(['audit', '--since', '2020-01-01', ...flags], { folder, environment }),
  };
}

test('`audit --html` writes a page with the figures of the report, and names the file', async () => {
  const { folder, run } = await openStage(FIXTURE);
  const { exit, out, err } = await run('--html', 'audit.html', '--json');
  expect(exit).toBe(0);
  expect(err).toContain(`page: ${join(folder, 'audit.html')}`);
  const report: unknown = JSON.parse(out);
  expect(report).toMatchObject({ ok: true, sums: { sessions: 1, calls: 8 }, causes: expect.any(Array) });
  const page = await readFile(join(folder, 'audit.html'), 'utf8');
  const printed = (await run()).out;
  for (const name of ['paid', 'had to cost', 'difference']) {
    const [, amount = 'missing'] = new RegExp(`^${name}\\t(\\S+)`, 'm').exec(printed) ?? [];
    expect(page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')).toContain(` ${name} ${amount} `);
  }
  expect(page.match(/<title>call \d+,/g)).toHaveLength(8);
  expect((await readdir(folder)).toSorted()).toEqual(['audit.html', 'claude', 'home']);
});

test('`audit --html` writes no text of a session and no whole path without `--titles`', async () => {
  const { folder, run } = await openStage(FIXTURE);
  const { texts, workspaces } = textsIn(await readFile(FIXTURE, 'utf8'));
  expect([texts.length > 5, workspaces.length]).toEqual([true, 1]);
  await run('--html', 'plain.html');
  await run('--html', 'titled.html', '--titles');
  const [plain, titled] = await Promise.all(
    ['plain.html', 'titled.html'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  expect([...texts, ...workspaces, folder].filter((text) => plain?.includes(text))).toEqual([]);
  for (const workspace of workspaces) expect(titled).toContain(workspace);
  expect(texts.some((text) => titled?.includes(text))).toBe(true);
});

/** Returns the texts of prompts, answers and tools that are long enough to be recognised, and the working folders. */
function textsIn(transcript: string): { readonly texts: readonly string[]; readonly workspaces: readonly string[] } {
  const texts = new Set<string>();
  for (const [, text = ''] of transcript.matchAll(/"(?:text|content)":"((?:[^"\\<&']|\\.)*)"/g))
    for (const part of text.split('\\n')) if (part.length >= 12 && !part.includes('\\')) texts.add(part);
  const workspaces = new Set([...transcript.matchAll(/"cwd":"([^"]+)"/g)].map(([, path = '']) => path));
  return { texts: [...texts], workspaces: [...workspaces] };
}

test('`audit --html` without a usable file, and `--titles` alone, are refused before anything is read', async () => {
  const { folder, run } = await openStage(FIXTURE);
  for (const [flags, exit, words] of [
    [['--html', '-'], 2, 'next: name a file: `--html audit.html`'],
    [['--html', 'missing/audit.html'], 3, `the folder ${join(folder, 'missing')} does not exist`],
    [['--titles'], 2, 'next: add `--html <file>`'],
  ] as const) {
    const ran = await run(...flags);
    expect([ran.exit, ran.out]).toEqual([exit, '']);
    expect(ran.err).toContain(words);
  }
  expect(await readdir(folder)).toEqual(['claude']);
});

test('`audit --html` without calls writes a page that says so', async () => {
  const { folder, run } = await openStage();
  expect(await run('--html', 'audit.html')).toMatchObject({ exit: 0 });
  expect(await readFile(join(folder, 'audit.html'), 'utf8')).toContain('No calls were found since 2020-01-01.');
});
