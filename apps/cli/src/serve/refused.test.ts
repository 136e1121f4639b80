// Tests the refusals of `tidemark serve`: each has a reason and a next step, and none is reported as a bug.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';

let root: string;
let other: Server;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-serve-'));
  other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
});

afterEach(() => {
  other.close();
  rmSync(root, { recursive: true, force: true });
});

function usedPort(): string {
  const address = other.address();
  if (typeof address !== 'object' || address === null) throw new Error('the other server has no port');
  return String(address.port);
}

test.each([
  ['a port that is used', () => ['--port', usedPort()], {}, /cannot listen on port/],
  ['an address of the network', () => ['--host', '0.0.0.0'], {}, /can be reached by other machines/],
  ['an exposed address without an own token', () => ['--host', '0.0.0.0', '--expose'], {}, /TIDEMARK_SERVER_TOKEN/],
  ['a short token', () => ['--port', '0'], { TIDEMARK_SERVER_TOKEN: 'short' }, /at least 32/],
  ['a folder that does not exist', () => ['--folder', join(root, 'missing')], {}, /does not exist/],
  ['a link of a server that does not run', () => ['--link', '--port', '1'], {}, /no server answers/],
] as const)('%s is refused', async (_title, args, environment, reason) => {
  const ran = await pretendRun(['serve', ...args()], {
    environment: { TIDEMARK_HOME: join(root, 'home'), ...environment },
    folder: root,
  });
  expect(ran.err).toMatch(reason);
  expect(ran.err).toContain('next: ');
  expect(ran.err).not.toContain('bug in Tidemark');
  expect([2, 3]).toContain(ran.exit);
});
