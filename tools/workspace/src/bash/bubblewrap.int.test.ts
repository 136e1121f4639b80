// The sandbox for real, where there is one.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bubblewrapArguments, findBubblewrap } from './bubblewrap.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-sandbox-')));
const bwrap = findBubblewrap(folder);

it('lets a command write in the workspace, nowhere else, and read no key', (context) => {
  try {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed, or may make no namespaces here');
    const key = join(folder, 'key');
    writeFileSync(key, 'secret');
    const outside = join(homedir(), `tidemark-${process.pid}`);
    const argv = [...bubblewrapArguments({ workspace: folder, hidden: [{ path: key, as: 'file' }] }), '/bin/sh', '-c'];
    const script = `echo x > made; echo x > ${outside}; cat key; true`;
    const { stdout, status } = spawnSync(bwrap, [...argv, script], { encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
    expect([existsSync(join(folder, 'made')), existsSync(outside)]).toEqual([true, false]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
