// Tests of a guide page. The files that the page shows are written into a temporary folder. Every `sh` block runs there
// and prints what the `text` block after it shows. Questions are answered and turns are interrupted where the page
// shows it.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ListeningSimulator } from '@tidemark/simulator';
import { createSimulator, parseScenario } from '@tidemark/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstMissing } from './printed-as-shown.ts';
import type { Block } from './read-blocks.ts';
import { blocksIn } from './read-blocks.ts';
import { BIN, ROOT } from './run-tidemark.ts';

/** Guide page to test. */
export interface Walk {
  /** Path of the page, relative to the repository. */
  readonly page: string;
  readonly text: string;
  /** Name of the working folder that the page uses. */
  readonly folder: string;
  /**
   * Commands that the page asks the reader to install. The keys are names of commands, and the values are paths of
   * programs in the repository.
   */
  readonly installed?: Readonly<Record<string, string>>;
  /** Least number of blocks with commands. Default: 9. */
  readonly fewest?: number;
}

/** URL of the simulator in the pages. The tests replace it with the URL of their own simulator, on a free port. */
const ADDRESS = 'http://127.0.0.1:8787';
/** Matches input of the user in the output that a page shows: `^C`, or `y` after a question. */
const TYPED = /\^C$|(?<=\(y\/n\)) y$/m;

interface Place {
  readonly root: string;
  readonly folder: string;
  readonly url: string;
}

/** Declares the tests of a page. */
export function testPage({ page, text, folder, installed = {}, fewest = 9 }: Walk): void {
  const blocks = blocksIn(text);
  const exercises = blocks.flatMap((block, index) =>
    block.language === 'sh' ? [{ line: block.line, block, shown: blocks[index + 1] }] : [],
  );
  let place: Place = { root: '', folder: '', url: '' };
  let listening: ListeningSimulator | undefined;
  /** Id of the last session that a command printed. It replaces `<session>` in later commands. */
  let session = '';

  beforeAll(async () => {
    const root = await mkdtemp(join(tmpdir(), 'tidemark-page-'));
    place = { root, folder: join(root, folder), url: '' };
    await mkdir(join(root, 'bin'));
    await symlink(BIN, join(root, 'bin', 'tidemark'));
    for (const [name, file] of Object.entries(installed)) await symlink(join(ROOT, file), join(root, 'bin', name));
    await writeFiles(blocks, place.folder);
    const scenario = parseScenario(JSON.parse(await readFile(join(root, 'answers.json'), 'utf8')));
    listening = await createSimulator({ scenario }).listen();
    place = { ...place, url: listening.url };
  });

  afterAll(async () => {
    await listening?.close();
    await rm(place.root, { recursive: true, force: true });
  });

  // The tests run in order, as vitest runs the tests of a file, because a later test uses the files of an earlier one.
  describe(page, () => {
    test('has commands that run', () => expect(exercises.length).toBeGreaterThanOrEqual(fewest));

    test.each(exercises)(
      'prints the output that it shows after the commands at line $line',
      async ({ block, shown }) => {
        expect(shown?.language).toBe('text');
        const expected = shown?.lines ?? [];
        const asks = expected.some((line) => line.endsWith('(y/n) y'));
        const commands = (also: readonly string[]): string => commandsOf(block, place, session, also);
        if (asks && process.platform !== 'linux') {
          process.stdout.write(`${page}: nobody is asked here: the terminal for it is made by util-linux\n`);
          await typed(commands(['--mode', 'auto']), expected, place);
          return;
        }
        const printed = asks ? await atTerminal(commands([]), place) : await typed(commands([]), expected, place);
        session = /^session (\S+);/m.exec(printed)?.[1] ?? session;
        const wanted = expected.map((line) => line.replace(TYPED, ''));
        expect(firstMissing(wanted, printed.replace(TYPED, '')), `printed:\n${printed}`).toBeUndefined();
      },
    );
  });
}

async function writeFiles(blocks: readonly Block[], folder: string): Promise<void> {
  await mkdir(folder);
  for (const { language, lines } of blocks) {
    const [, name] = language.split(' ');
    if (name === undefined) continue;
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), `${lines.join('\n')}\n`);
  }
}

/** Runs the commands without a terminal. Sends SIGINT when the output reaches the place where the page shows `^C`. */
function typed(commands: string, expected: readonly string[], place: Place): Promise<string> {
  const cut = expected.find((line) => line.endsWith('^C'))?.slice(0, -'^C'.length);
  return listen(start('sh', ['-c', `exec 2>&1 < /dev/null\n${commands}`], place), (child, output) => {
    if (cut === undefined || !output.includes(cut)) return false;
    return process.kill(-(child.pid ?? 0), 'SIGINT');
  });
}

/** Runs the commands in a terminal, where questions are asked, and answers a question with `y`. */
function atTerminal(commands: string, place: Place): Promise<string> {
  return listen(start('script', ['-qec', commands, '/dev/null'], place), (child, output) => {
    if (!output.includes('(y/n)')) return false;
    return child.stdin?.write('y\n') ?? false;
  });
}

function commandsOf({ lines }: Block, { url }: Place, session: string, also: readonly string[]): string {
  const typedLines = lines.map((line) => line.replace(ADDRESS, url).replace('<session>', session));
  return typedLines.map((line) => [line, ...also].join(' ')).join('\n');
}

function start(command: string, args: readonly string[], { root, folder }: Place): ChildProcess {
  return spawn(command, args, {
    cwd: folder,
    detached: true,
    env: {
      PATH: [join(root, 'bin'), dirname(process.execPath), process.env['PATH']].join(':'),
      HOME: root,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      SHELL: '/bin/sh',
      NO_COLOR: '1',
      TIDEMARK_HOME: join(root, 'home'),
      ANTHROPIC_API_KEY: 'not-a-real-key',
    },
    stdio: 'pipe',
  });
}

/**
 * Returns the whole output of a process when the process has ended. After each piece of output, calls `act`, until
 * `act` has returned true once.
 */
function listen(child: ChildProcess, act: (child: ChildProcess, said: string) => boolean): Promise<string> {
  let output = '';
  let acted = false;
  const hear = (chunk: Buffer): void => {
    output += chunk.toString();
    acted ||= act(child, output);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}
