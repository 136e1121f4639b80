// Makes ports of a session's network reachable on this machine. The user must have allowed this. Each port is opened on
// the loopback address of the machine. Its connections are forwarded to the same port in the session's namespace.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { WorkspaceError } from '../workspace-error.ts';
import { makePortFolder } from './port-folders.ts';

/** Ports that are open until `close` is called. */
export interface OpenPorts {
  close(): Promise<void>;
}

/**
 * Program that runs inside the namespace. It listens on socket files. A socket file can be reached from outside the
 * namespace, but a network address cannot.
 */
const RELAY = `
const { connect, createServer } = require('node:net');
const [folder, ...ports] = process.argv.slice(1);
let waiting = ports.length;
for (const port of ports)
  createServer((outer) => {
    const inner = connect(Number(port), '127.0.0.1');
    for (const [from, to] of [[outer, inner], [inner, outer]]) from.on('error', () => to.destroy()).pipe(to);
  }).listen(folder + '/' + port, () => --waiting || process.stdout.write('ready'));
process.stdin.resume().on('end', () => process.exit());
`;

/**
 * Opens ports on this machine.
 *
 * @param prefix Arguments that enter the namespace, from `EnteredNetwork`.
 * @throws WorkspaceError `workspace/port` when a port cannot be opened. In that case, all ports are closed.
 */
export async function openPorts(ports: readonly number[], prefix: readonly string[]): Promise<OpenPorts> {
  const folder = makePortFolder();
  const opened: OpenPort[] = [];
  const relay = startRelay(folder, ports, prefix);
  const close = async (): Promise<void> => {
    for (const port of opened) port.close();
    relay.stdin?.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await readiness(relay);
    for (const port of ports) opened.push(await openPort(port, join(folder, String(port))));
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

function startRelay(folder: string, ports: readonly number[], prefix: readonly string[]): ChildProcess {
  const [program = '', ...argv] = [...prefix, process.execPath, '-e', RELAY, '--', folder, ...ports.map(String)];
  const relay = spawn(program, argv, { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
  relay.stdin.on('error', () => undefined);
  return relay;
}

function readiness(relay: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void =>
      reject(new WorkspaceError('workspace/port', 'the ports could not be forwarded: call again'));
    relay.stdout?.once('data', () => resolve());
    relay.once('error', fail).once('exit', fail);
  });
}

interface OpenPort {
  close(): void;
}

async function openPort(port: number, path: string): Promise<OpenPort> {
  const sockets = new Set<Socket>();
  const server = createServer((outer) => {
    const inner = connect(path);
    passOn(outer, inner);
    sockets.add(outer);
    outer.once('close', () => sockets.delete(outer));
  });
  await listening(server, port);
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function passOn(outer: Socket, inner: Socket): void {
  outer.on('error', () => inner.destroy()).pipe(inner);
  inner.on('error', () => outer.destroy()).pipe(outer);
  outer.once('close', () => inner.destroy());
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(notOpened(port, cause)));
    server.listen(port, '127.0.0.1', resolve);
  });
}

function notOpened(port: number, cause: Error): WorkspaceError {
  const message = `port ${port} of this machine could not be opened (${cause.message}); the command did not run. Use another port.`;
  return new WorkspaceError('workspace/port', message, { port }, cause);
}
