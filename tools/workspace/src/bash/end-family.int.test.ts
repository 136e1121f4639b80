// Tests the time between SIGTERM and SIGKILL with a process that ignores SIGTERM.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { endFamily } from './end-family.ts';

it('a process that ignores SIGTERM is killed when the clock has passed the waiting time', async () => {
  const child = spawn('/bin/bash', ['-c', "trap '' TERM; echo ready; while :; do read -rt 1 <> <(:); done"], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const ended = once(child, 'exit');
  let looks = 0;
  const clock = (): number => (looks += 1) * 1_000;
  expect(await endFamily({ leader: child.pid ?? 0, mark: 'none' }, 2_000, clock)).toEqual([]);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(looks).toBe(3);
});
