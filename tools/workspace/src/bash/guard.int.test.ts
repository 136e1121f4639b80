// Tests that a command ends when its parent process is killed and cannot clean up.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-guard-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function gone(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (process.platform !== 'linux') {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  }
  return !existsSync(stat) || / Z /.test(readFileSync(stat, 'utf8'));
}

it('the guard kills a command and its children when the process that started the command is killed', async () => {
  const guard = new URL('guard.ts', import.meta.url).href;
  const starter = join(folder, 'start.ts');
  const command = "trap '' TERM HUP; sleep 1000 & echo $! $$; wait; sleep 1000";
  writeFileSync(
    starter,
    `import { startGuarded } from ${JSON.stringify(guard)};
     const { output } = await startGuarded({ argv: ['/bin/sh', '-c', ${JSON.stringify(command)}], folder: '/', environment: { PATH: process.env.PATH ?? '' } });
     for await (const chunk of output) process.stdout.write(chunk);`,
  );
  const child = spawn(process.execPath, [starter], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = await once(child.stdout, 'data');
  const pids = String(chunk).trim().split(' ').map(Number);
  expect(pids).toHaveLength(2);
  expect(pids.filter(gone)).toEqual([]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  for (let round = 0; round < 500 && !pids.every(gone); round += 1) await pause(10);
  expect(pids.filter((pid) => !gone(pid))).toEqual([]);
});
