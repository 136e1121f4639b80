// The first session, as its page tells it: the files that it shows are written, every command runs in their folder, and
// prints what the page shows. Questions are answered and turns interrupted where the page says so.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Listening } from '@tidemark/simulator';
import { createSimulator, parseScenario } from '@tidemark/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPage } from './documents.ts';
import { firstMissing } from './printed-as-shown.ts';
import type { Block } from './read-blocks.ts';
import { blocksIn } from './read-blocks.ts';
import { BIN, ROOT } from './run-tidemark.ts';

const PAGE = join('docs', 'guides', '02-first-session.md');
const blocks = blocksIn(await readPage(ROOT, PAGE));
const exercises = blocks.flatMap((block, index) =>
  block.language === 'sh' ? [{ line: block.line, block, shown: blocks[index + 1] }] : [],
);

/** What the page calls the address of the simulator; here it is any that is free. */
const ADDRESS = 'http://127.0.0.1:8787';
/** What people type, as a terminal shows it. */
const TYPED = /\^C$|(?<=\(y\/n\)) y$/m;

let root = '';
let folder = '';
let listening: Listening | undefined;
/** The session that was named last. */
let session = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-first-'));
  folder = join(root, 'hello');
  await mkdir(folder);
  await mkdir(join(root, 'bin'));
  await symlink(BIN, join(root, 'bin', 'tidemark'));
  for (const { language, lines } of blocks) {
    const [, name] = language.split(' ');
    if (name !== undefined) await writeFile(join(folder, name), `${lines.join('\n')}\n`);
  }
  const scenario = parseScenario(JSON.parse(await readFile(join(root, 'answers.json'), 'utf8')));
  listening = await createSimulator({ scenario }).listen();
});

afterAll(async () => {
  await listening?.close();
  await rm(root, { recursive: true, force: true });
});

// One after the other, as vitest runs the tests of a file: they are one session.
describe(PAGE, () => {
  test('has commands that run', () => expect(exercises.length).toBeGreaterThan(8));

  test.each(exercises)('prints what it shows behind line $line', async ({ block, shown }) => {
    expect(shown?.language).toBe('text');
    const expected = shown?.lines ?? [];
    const asks = expected.some((line) => line.endsWith('(y/n) y'));
    if (asks && process.platform !== 'linux') {
      process.stdout.write(`${PAGE}: nobody is asked here: the terminal for it is made by util-linux\n`);
      await typed(block, ['--mode', 'auto']);
      return;
    }
    const printed = asks ? await atTerminal(block) : await typed(block, []);
    session = /^session (\S+);/m.exec(printed)?.[1] ?? session;
    const wanted = expected.map((line) => line.replace(TYPED, ''));
    expect(firstMissing(wanted, printed.replace(TYPED, '')), `printed:\n${printed}`).toBeUndefined();
  });
});

/** Types the commands; Ctrl-C once the answer stands still where the page shows it. */
function typed(block: Block, also: readonly string[]): Promise<string> {
  const expected = blocks[blocks.indexOf(block) + 1]?.lines ?? [];
  const cut = expected.find((line) => line.endsWith('^C'))?.slice(0, -'^C'.length);
  return listen(start('sh', ['-c', `exec 2>&1\n${commandsOf(block, also)}`]), (child, said) => {
    if (cut === undefined || !said.includes(cut)) return false;
    return process.kill(-(child.pid ?? 0), 'SIGINT');
  });
}

/** The same at a terminal, where questions are asked. */
function atTerminal(block: Block): Promise<string> {
  return listen(start('script', ['-qec', commandsOf(block, []), '/dev/null']), (child, said) => {
    if (!said.includes('(y/n)')) return false;
    return child.stdin?.write('y\n') ?? false;
  });
}

function commandsOf({ lines }: Block, also: readonly string[]): string {
  const typedLines = lines.map((line) => line.replace(ADDRESS, listening?.url ?? '').replace('<session>', session));
  return typedLines.map((line) => [line, ...also].join(' ')).join('\n');
}

function start(command: string, args: readonly string[]): ChildProcess {
  return spawn(command, args, {
    cwd: folder,
    detached: true,
    env: {
      PATH: [join(root, 'bin'), dirname(process.execPath), process.env['PATH']].join(':'),
      HOME: root,
      NODE_COMPILE_CACHE: join(root, 'compiled'),
      SHELL: '/bin/sh',
      NO_COLOR: '1',
      TIDEMARK_HOME: join(root, 'home'),
      ANTHROPIC_API_KEY: 'not-a-real-key',
    },
    stdio: 'pipe',
  });
}

/** All that it says. `act` is asked until it has done what it wants, whenever something was said. */
function listen(child: ChildProcess, act: (child: ChildProcess, said: string) => boolean): Promise<string> {
  let said = '';
  let acted = false;
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
    acted ||= act(child, said);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(said));
  });
}
