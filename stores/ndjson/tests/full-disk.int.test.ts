// Tests a disk that is really full: a small tmpfs in its own namespace, or a limit on the size of files.

import { spawnSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionId } from '@tidemark/log';
import * as samples from '@tidemark/log/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectSession } from '../src/inspect-session.ts';
import { openNdjsonStore } from '../src/store.ts';
import { startChild } from '@tidemark/log/contract/child';
import { HOLD_SESSION } from './start-holder.ts';
import { temporaryHome } from './temporary-home.ts';

const MOUNT = 'mount -t tmpfs -o size=256k none "$1" && exec "$0" "$2" "$1" a';
const LIMIT = 'trap "" XFSZ; ulimit -f 128 && exec "$0" "$2" "$1" a';

function canMount(): boolean {
  const tried = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=64k none /tmp'], { stdio: 'ignore' });
  return tried.status === 0;
}

describe('a full disk', () => {
  let home = '';
  beforeEach(async () => {
    home = await temporaryHome();
    await mkdir(join(home, 'disk'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('stops the writer, keeps the acknowledged records, and accepts new ones after space is freed (tmpfs)', async (context) => {
    if (process.platform !== 'linux' || !canMount())
      return context.skip('no tmpfs can be mounted in a user namespace here');
    const args = ['-rm', 'sh', '-c', MOUNT, process.execPath, join(home, 'disk'), HOLD_SESSION];
    const child = startChild('unshare', args);
    try {
      expect(await child.ask('create')).toBe('created');
      const filled = await child.ask('fill 5000');
      expect(filled).toMatch(/^\d+ then log\/write-failed$/);
      const kept = 1 + Number.parseInt(filled, 10);
      expect(kept).toBeGreaterThan(10);
      expect(await child.ask('append more')).toBe('log/latched');
      expect(await child.ask('artifact 300000')).toBe('artifact/write-failed');
      expect(await child.ask('close')).toBe('closed');
      expect(await child.ask('open')).toBe(`opened ${kept}`);
      expect(await child.ask('append small')).toBe(`length ${kept + 1}`);
      expect(await child.ask('close')).toBe('closed');
    } finally {
      await child.kill();
    }
  });

  it('has the same effect if it is simulated by a limit on the size of files', async () => {
    const disk = join(home, 'disk');
    const child = startChild('sh', ['-c', LIMIT, process.execPath, disk, HOLD_SESSION]);
    try {
      expect(await child.ask('create')).toBe('created');
      const filled = await child.ask('fill 5000');
      expect(filled).toMatch(/^\d+ then log\/write-failed$/);
      const kept = 1 + Number.parseInt(filled, 10);
      expect(await child.ask('append more')).toBe('log/latched');
      expect(await inspectSession({ home: disk }, sessionId('a'))).toMatchObject({ records: kept, torn: 0 });
    } finally {
      await child.kill();
    }
    const writer = await openNdjsonStore({ home: disk }).open(sessionId('a'));
    await samples.appended(writer, samples.prompts(1));
    await writer.close();
  });
});
