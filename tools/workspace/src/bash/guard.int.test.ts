// Tests that a command ends when its parent process is killed and cannot clean up.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { bubblewrapArguments, findBubblewrap } from '../sandbox/bubblewrap.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-guard-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SHELL = ['/bin/sh'];
const bwrap = findBubblewrap('/');
if (bwrap === undefined) console.warn('skipped: the guard of a sandbox, because bubblewrap does not work here');
const SANDBOX =
  bwrap === undefined
    ? []
    : [bwrap, ...bubblewrapArguments({ workspace: folder, hidden: [], network: 'none' }), ...SHELL];

/** Returns the processes that run this command line. */
function running(words: string): readonly string[] {
  const listed = spawnSync('ps', ['-A', '-o', 'pid=,stat=,args='], { encoding: 'utf8' }).stdout.split('\n');
  return listed.filter((line) => line.endsWith(words) && !/^\s*\d+\s+Z/.test(line));
}

it.for([
  { name: 'a command', seconds: 1_000_000 + process.pid, argv: SHELL, starts: '' },
  // In a sandbox, a child with a session of its own is killed too.
  { name: 'a command in a sandbox', seconds: 2_000_000 + process.pid, argv: SANDBOX, starts: 'setsid ' },
])(
  'the guard kills $name and its children when the process that started the command is killed',
  async ({ seconds, argv, starts }, { skip }) => {
    if (argv.length === 0) skip('bubblewrap does not work here');
    const guard = new URL('guard.ts', import.meta.url).href;
    const starter = join(folder, `start-${seconds}.ts`);
    const command = `trap '' TERM HUP; ${starts}sleep ${seconds} & sleep ${seconds} & echo begun; wait; sleep ${seconds}`;
    writeFileSync(
      starter,
      `import { startGuarded } from ${JSON.stringify(guard)};
     const { output } = await startGuarded({ argv: ${JSON.stringify([...argv, '-c', command])}, folder: '/', environment: { PATH: process.env.PATH ?? '' } });
     for await (const chunk of output) process.stdout.write(chunk);`,
    );
    const child = spawn(process.execPath, [starter], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const words = `sleep ${seconds}`;
    for (let round = 0; round < 500 && running(words).length < 2; round += 1) await pause(10);
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (let round = 0; round < 500 && running(words).length > 0; round += 1) await pause(10);
    expect(running(words)).toEqual([]);
  },
);
