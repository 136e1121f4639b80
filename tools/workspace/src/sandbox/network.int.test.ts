// Tests the network of a real sandbox. It tests what the command can reach, and what can reach the command.

import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NO_SANDBOX, openSandboxedBash } from '../../tests/sandboxed-bash.ts';

beforeEach((context) => {
  if (NO_SANDBOX !== undefined) context.skip(NO_SANDBOX);
});

describe('the network of the sandbox', () => {
  it('is off by default: a name lookup fails, and the model learns how to request the network', async () => {
    const bash = await openSandboxedBash();
    const { exit, text } = await bash.run(
      `${process.execPath} -e "require('dns').lookup('example.test', (e) => { throw e })"`,
    );
    expect(exit).not.toBe(0);
    expect(text).toContain('[this sandbox has no network');
    expect((await bash.run('echo ENOTFOUND')).text).toBe('');
    expect((await bash.run('echo ENOTFOUND; exit 1', { network: true })).text).not.toContain('no network');
  });

  it('reaches no service and no abstract socket of this machine unless the call may use the network of this machine', async () => {
    const bash = await openSandboxedBash();
    const port = await listening({ port: 0, host: '127.0.0.1' });
    const abstract = `\0tidemark-test-${process.pid}`;
    await listening({ path: abstract });
    const reach = (to: string): string =>
      `${process.execPath} -e 'net.connect(${to}).on("connect", () => process.exit(0)).on("error", () => process.exit(1))'`;
    const toAbstract = reach(`{ path: "\\0${abstract.slice(1)}" }`);
    const toPort = reach(`${port}, "127.0.0.1"`);
    expect([(await bash.run(toPort)).exit, (await bash.run(toAbstract)).exit]).toEqual([1, 1]);
    expect((await bash.run(toPort, { network: true })).exit).toBe(0);
    const open = await openSandboxedBash({ network: 'on' });
    expect((await open.run(toPort)).exit).toBe(0);
  });

  it('is shared by the commands of one session and separate from another session', async () => {
    const bash = await openSandboxedBash();
    const other = await openSandboxedBash({ session: 'session-2' });
    const serving = bash.run(
      `${process.execPath} -e 'net.createServer((s) => s.end("served")).listen(4567, () => console.log("up")); setTimeout(() => process.exit(), 4000)'`,
    );
    const ask =
      'for i in $(seq 30); do exec 3<>/dev/tcp/127.0.0.1/4567 && cat <&3 && exit 0; sleep 0.1; done 2>/dev/null; exit 1';
    expect((await bash.run(ask)).output).toBe('served');
    const alien = await other.run('exec 3<>/dev/tcp/127.0.0.1/4567');
    expect(alien.exit).not.toBe(0);
    await serving;
  });

  it('opens a port on this machine only for a call that asks for it', async () => {
    const bash = await openSandboxedBash();
    const port = await freePort();
    const server = `${process.execPath} -e 'net.createServer((s) => s.end("served")).listen(${port}); setTimeout(() => process.exit(), 2500)'`;
    const closed = bash.run(server);
    await pause(1_000);
    expect(await asked(port)).toBe('refused');
    await closed;
    const open = bash.run(server, { ports: [port] });
    expect(await untilServed(port)).toBe('served');
    await open;
    expect(await asked(port)).toBe('refused');
  });

  it('does not run a command if its port is already used on this machine', async () => {
    const bash = await openSandboxedBash();
    const port = await listening({ port: 0, host: '127.0.0.1' });
    await expect(bash.run('touch ran', { ports: [port] })).rejects.toThrow(
      `port ${port} of this machine could not be opened`,
    );
    expect(existsSync(join(bash.folder, 'ran'))).toBe(false);
  });
});

async function listening(
  where: { readonly port: number; readonly host: string } | { readonly path: string },
): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).end());
  await new Promise<void>((resolve) => void server.listen(where, resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function asked(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  return textOf(socket).catch(() => 'refused');
}

async function untilServed(port: number): Promise<string> {
  for (let round = 0; round < 100; round += 1) {
    const said = await asked(port);
    if (said === 'served') return said;
    await pause(50);
  }
  return 'never';
}
