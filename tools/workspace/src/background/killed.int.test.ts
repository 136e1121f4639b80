// Kills a program with background processes by SIGKILL, at random moments. No process may be left.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { sandboxState } from '../sandbox/bubblewrap.ts';
import { removeLeftTemps } from '../sandbox/session-temps.ts';

const KILLED = fileURLToPath(new URL('../../tests/background-until-killed.ts', import.meta.url));
const works = sandboxState('/') === 'works';
const folder = realpathSync(mkdtempSync('/var/tmp/tidemark-killed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function running(words: string): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isRunning(name, words));
}

function isRunning(pid: string, words: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return (
      command.startsWith('sleep') &&
      command.endsWith(words) &&
      !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    );
  } catch {
    return false;
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000 && !isTrue(); round += 1) await pause(10);
}

it.skipIf(process.platform !== 'linux').for([
  { place: 'without a sandbox', sandbox: 'never', time: 4_000_000 + process.pid, here: true },
  { place: 'in a sandbox', sandbox: 'auto', time: 5_000_000 + process.pid, here: works },
])(
  'a killed program leaves no background process $place, and no process that left the group',
  async ({ sandbox, time, here }, { skip }) => {
    if (!here) skip('bubblewrap does not work here');
    const command = `trap '' TERM HUP; (setsid nohup sleep ${time} >/dev/null 2>&1 &); (sleep ${time} &); sleep ${time}; sleep ${time}`;
    const child = spawn(process.execPath, [KILLED, folder, sandbox, command], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    await until(() => running(String(time)).length >= 3);
    expect(running(String(time)).length).toBeGreaterThanOrEqual(3);
    const temps = (): readonly string[] =>
      readdirSync('/tmp').filter((name) => name.startsWith(`tidemark-tmp-${child.pid}-`));
    // After the kill, any other program that starts a sandbox can remove the folder first.
    expect(temps()).toHaveLength(sandbox === 'auto' ? 1 : 0);
    child.kill('SIGKILL');
    await exited;
    await until(() => running(String(time)).length === 0);
    expect(running(String(time))).toEqual([]);
    await removeLeftTemps();
    expect(temps()).toEqual([]);
  },
);

it.skipIf(process.platform !== 'linux')('a program that is killed while it starts processes leaves none', async () => {
  const time = 6_000_000 + process.pid;
  for (const [round, moment] of [0, 7, 19, 40, 75, 130].entries()) {
    const argv = [KILLED, folder, round % 2 === 0 && works ? 'auto' : 'never', `sleep ${time}`, '8'];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    await pause(moment);
    child.kill('SIGKILL');
    await exited;
  }
  await pause(300);
  await until(() => running(String(time)).length === 0);
  expect(running(String(time))).toEqual([]);
  await removeLeftTemps();
});
