// Guide on the server: its commands run in one shell against a real server, and print what the page shows.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPage } from './documents.ts';
import { firstMissing } from './printed-as-shown.ts';
import { blocksIn } from './read-blocks.ts';
import { SNIPPETS } from './run-snippet.ts';
import { BIN, ROOT } from './run-tidemark.ts';

const PAGE = join('docs', 'guides', '15-server.md');
const blocks = blocksIn(await readPage(ROOT, PAGE));
const exercises = blocks.flatMap((block, index) =>
  block.language === 'sh' ? [{ line: block.line, lines: block.lines, shown: blocks[index + 1] }] : [],
);
/** Line that is printed after each block. */
const MARK = '=== end of a block ===';

let folder: string;
let server: ReturnType<typeof spawn>;
let printed: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-server-'));
  const env = { HOME: folder, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
  server = spawn(process.execPath, [BIN, 'serve', '--provider', 'simulator', '--port', '0'], { cwd: folder, env });
  const url = await addressOf(server);
  const commands = exercises.map(({ lines }) => `${lines.join('\n')}\necho '${MARK}'`).join('\n');
  const script = commands
    .replace('URL=http://127.0.0.1:7440', `URL=${url}`)
    .replace('node follow-server.ts', `node ${join(ROOT, SNIPPETS, 'follow-server.ts')}`);
  printed = (await outputOf(script, env)).split(`${MARK}\n`);
});

afterAll(async () => {
  const ended = once(server, 'exit');
  server.kill();
  // Node writes its cache of compiled modules when the process ends.
  await ended;
  await rm(folder, { recursive: true, force: true });
});

describe(PAGE, () => {
  test('has commands that run', () => expect(exercises.length).toBeGreaterThanOrEqual(8));

  test('shows the whole program `follow-server.ts`', async () => {
    const lines = blocks.find(({ language }) => language === 'ts follow-server.ts')?.lines ?? [];
    expect(`${lines.join('\n')}\n`).toBe(await readFile(join(ROOT, SNIPPETS, 'follow-server.ts'), 'utf8'));
  });

  test.each(exercises.map((exercise, index) => ({ ...exercise, index })))(
    'prints the output that it shows after line $line',
    ({ shown, index }) => {
      expect(shown?.language).toBe('text');
      expect(firstMissing(shown?.lines ?? [], printed[index] ?? ''), `printed:\n${printed[index]}`).toBeUndefined();
    },
  );
});

/** Waits for the address that the server prints. */
async function addressOf({ stdout }: ReturnType<typeof spawn>): Promise<string> {
  let text = '';
  if (stdout === null) throw new Error('the server has no output');
  stdout.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    stdout.on('data', (piece: string) => {
      text += piece;
      const address = /listening on (\S+)\n/.exec(text)?.[1];
      if (address !== undefined) resolve(address);
    });
    stdout.once('end', () => reject(new Error(`the server ended:\n${text}`)));
  });
}

async function outputOf(script: string, env: NodeJS.ProcessEnv): Promise<string> {
  const shell = spawn('sh', ['-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  shell.stdout.setEncoding('utf8');
  for await (const piece of shell.stdout) text += String(piece);
  return text;
}
