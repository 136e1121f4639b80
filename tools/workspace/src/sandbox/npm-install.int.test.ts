// Tests a command that needs the network: `npm install` from a registry on this machine. The command runs without the
// network and with it.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NO_SANDBOX, openSandboxedBash } from '../../tests/sandboxed-bash.ts';

async function openRegistry(): Promise<string> {
  const room = mkdtempSync(join(tmpdir(), 'tidemark-registry-'));
  onTestFinished(() => rmSync(room, { recursive: true, force: true }));
  mkdirSync(join(room, 'package'));
  writeFileSync(join(room, 'package/package.json'), JSON.stringify({ name: 'wave', version: '1.0.0' }));
  execFileSync('tar', ['czf', 'wave.tgz', 'package'], { cwd: room });
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz') === true) return void response.end(readFileSync(join(room, 'wave.tgz')));
    const dist = { tarball: `http://${request.headers.host}/wave-1.0.0.tgz` };
    const versions = { '1.0.0': { name: 'wave', version: '1.0.0', dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: 'wave', 'dist-tags': { latest: '1.0.0' }, versions }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}/` : '';
}

it('`npm install` fails without the network and works with it', async (context) => {
  if (NO_SANDBOX !== undefined) return context.skip(NO_SANDBOX);
  const registry = await openRegistry();
  const bash = await openSandboxedBash();
  writeFileSync(join(bash.folder, 'package.json'), JSON.stringify({ name: 'shop', version: '1.0.0' }));
  const command = `npm install wave --registry ${registry} --no-audit --no-fund --fetch-retries 0`;
  const offline = await bash.run(command);
  expect([offline.exit === 0, existsSync(join(bash.folder, 'node_modules/wave'))]).toEqual([false, false]);
  const online = await bash.run(command, { network: true });
  expect([online.exit, online.output.includes('added 1 package')]).toEqual([0, true]);
  expect(existsSync(join(bash.folder, 'node_modules/wave/package.json'))).toBe(true);
}, 60_000);
