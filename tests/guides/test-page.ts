// A page that is walked through in a folder of its own: the files that it shows are written, every `sh` block runs there, and
// prints what the `text` block behind it shows. Questions are answered and turns interrupted where the page says so.

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

/** A page to walk through. */
export interface Walk {
  /** The page, from the clone. */
  readonly page: string;
  readonly text: string;
  /** What the page calls the folder to work in. */
  readonly folder: string;
  /** Commands that the page has the reader install, by name: files from the clone. */
  readonly installed?: Readonly<Record<string, string>>;
}

/** What a page calls the address of the simulator; here it is any that is free. */
const ADDRESS = 'http://127.0.0.1:8787';
/** What people type, as a terminal shows it. */
const TYPED = /\^C$|(?<=\(y\/n\)) y$/m;

/** Where a page is walked through. */
interface Place {
  readonly root: string;
  readonly folder: string;
  readonly url: string;
}

/** Declares the tests of a page. */
export function testPage({ page, text, folder, installed = {} }: Walk): void {
  const blocks = blocksIn(text);
  const exercises = blocks.flatMap((block, index) =>
    block.language === 'sh' ? [{ line: block.line, block, shown: blocks[index + 1] }] : [],
  );
  let place: Place = { root: '', folder: '', url: '' };
  let listening: ListeningSimulator | undefined;
  /** The session that was named last. */
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

  // One after the other, as vitest runs the tests of a file: what one does the next one finds.
  describe(page, () => {
    test('has commands that run', () => expect(exercises.length).toBeGreaterThan(8));

    test.each(exercises)('prints what it shows behind line $line', async ({ block, shown }) => {
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
    });
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

/** Types the commands; Ctrl-C once the answer stands still where the page shows it. */
function typed(commands: string, expected: readonly string[], place: Place): Promise<string> {
  const cut = expected.find((line) => line.endsWith('^C'))?.slice(0, -'^C'.length);
  return listen(start('sh', ['-c', `exec 2>&1 < /dev/null\n${commands}`], place), (child, said) => {
    if (cut === undefined || !said.includes(cut)) return false;
    return process.kill(-(child.pid ?? 0), 'SIGINT');
  });
}

/** The same at a terminal, where questions are asked. */
function atTerminal(commands: string, place: Place): Promise<string> {
  return listen(start('script', ['-qec', commands, '/dev/null'], place), (child, said) => {
    if (!said.includes('(y/n)')) return false;
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
