// Logs in at a real MCP server with the command, as a user with a browser does, and uses the login afterwards.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGuardedServer } from '@tidemark/tools-mcp/guarded';
import { expect, onTestFinished, test } from 'vitest';

const TIDEMARK = fileURLToPath(new URL('../../apps/cli/bin/tidemark.cjs', import.meta.url));

interface Finished {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `tidemark mcp`. If it prints the page of a login, visits the page as a browser does. */
function tidemark(folder: string, ...args: readonly string[]): Promise<Finished> {
  const environment = {
    PATH: process.env['PATH'],
    HOME: folder,
    TIDEMARK_HOME: join(folder, 'home'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  };
  const child = spawn(process.execPath, [TIDEMARK, 'mcp', ...args], { cwd: folder, env: environment });
  child.stdin.end();
  let [out, err, visited] = ['', '', false];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    const [, page] = /^log in on this page: (\S+)\n/m.exec(err) ?? [];
    if (page === undefined || visited) return;
    visited = true;
    visit(new URL(page));
  });
  return new Promise((done) => child.on('close', (exit) => done({ exit, out, err })));
}

function visit(page: URL): void {
  get(page, (answer) => {
    answer.resume();
    const { location } = answer.headers;
    if (location !== undefined) visit(new URL(location, page));
  });
}

test('`mcp login` stores a login that `mcp test` uses and refreshes, and `mcp logout` removes it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-login-'));
  const server = await startGuardedServer();
  onTestFinished(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await tidemark(folder, 'add', 'shop', server.url);
  expect(await tidemark(folder, 'test', 'shop')).toMatchObject({
    exit: 3,
    err: expect.stringMatching(/requires a login.*\nnext: `tidemark mcp login shop`/),
  });
  expect(await tidemark(folder, 'login', 'shop')).toMatchObject({
    exit: 0,
    out: expect.stringContaining('logged in at shop'),
  });
  server.expireTokens();
  expect(await tidemark(folder, 'test', 'shop')).toMatchObject({ exit: 0, out: expect.stringContaining('shop__look') });
  expect(server.events).toEqual(['registered', 'authorized', 'exchanged', 'refreshed']);
  const [login = ''] = readdirSync(join(folder, 'home', 'logins'));
  expect(readFileSync(join(folder, 'home', 'logins', login), 'utf8')).toContain(server.url);
  expect(await tidemark(folder, 'logout', 'shop')).toMatchObject({ exit: 0 });
  expect(readdirSync(join(folder, 'home', 'logins'))).toEqual([]);
  expect(await tidemark(folder, 'test', 'shop')).toMatchObject({ exit: 3 });
});
