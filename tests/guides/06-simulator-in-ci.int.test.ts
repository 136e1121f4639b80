// Guide on the simulator in CI: the programs on the page are the files of docs/snippets and pass under Vitest, and each
// `sh` block runs and prints what the page shows.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPage } from './documents.ts';
import { firstMissing } from './printed-as-shown.ts';
import { blocksIn } from './read-blocks.ts';
import { SNIPPETS } from './run-snippet.ts';
import { BIN, ROOT } from './run-tidemark.ts';

const PAGE = join('docs', 'guides', '06-simulator-in-ci.md');
const blocks = blocksIn(await readPage(ROOT, PAGE));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-ci-'));
  await mkdir(join(folder, 'bin'));
  await symlink(BIN, join(folder, 'bin', 'tidemark'));
  for (const { language, lines } of blocks) {
    const [, name] = language.split(' ');
    if (name !== undefined) await writeFile(join(folder, name), `${lines.join('\n')}\n`);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe(PAGE, () => {
  const programs = blocks.filter(({ language }) => language.startsWith('ts '));

  test.each(programs)('shows the whole program `$language`', async ({ language, lines }) => {
    const file = join(ROOT, SNIPPETS, language.slice('ts '.length));
    expect(`${lines.join('\n')}\n`).toBe(await readFile(file, 'utf8'));
  });

  test('shows tests that pass under Vitest', async () => {
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const snippets = join(ROOT, SNIPPETS);
    const report = join(folder, 'report.json');
    const args = [vitest, 'run', '--root', snippets, '--reporter=json', `--outputFile=${report}`, '--maxWorkers=1'];
    const { exit, out } = await start(process.execPath, args, snippets);
    expect(exit, out).toBe(0);
    expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ numPassedTests: 3, numTotalTests: 3 });
  });

  const exercises = blocks.flatMap((block, index) =>
    block.language === 'sh' ? [{ line: block.line, lines: block.lines, shown: blocks[index + 1] }] : [],
  );

  test('has commands that run', () => expect(exercises).toHaveLength(4));

  // The tests run in order, because a later block reads the log of an earlier one.
  test.each(exercises)('prints the output that it shows after line $line', async ({ lines, shown }) => {
    expect(shown?.language).toBe('text');
    const commands = lines.join('\n').replaceAll('8787', String(await freePort()));
    const { out } = await start('sh', ['-c', `exec 2>&1 < /dev/null\n${commands}`], folder);
    expect(firstMissing(shown?.lines ?? [], out), `printed:\n${out}`).toBeUndefined();
  });

  test('shows a workflow whose command runs', async () => {
    const [run = ''] = blocks
      .filter(({ language }) => language.startsWith('yaml'))
      .flatMap(({ lines }) => lines.filter((line) => line.includes('tidemark')));
    const command = run.replace(/^ *- run: npx /, '').replace(/-- npm test$/, '-- sh ask.sh');
    expect(command).toMatch(/^tidemark simulate --strict .* -- sh ask\.sh$/);
    const { exit, out } = await start('sh', ['-c', `exec 2>&1 < /dev/null\n${command}`], folder);
    expect(exit, out).toBe(0);
  });
});

interface Result {
  readonly exit: number | string | null;
  readonly out: string;
}

function start(command: string, args: readonly string[], cwd: string): Promise<Result> {
  const env = {
    PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: folder,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NO_COLOR: '1',
    TIDEMARK_HOME: join(folder, 'home'),
  };
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env }, (error, out) => {
      resolve({ exit: error === null ? 0 : (error.code ?? null), out });
    });
  });
}

/** Returns a port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
