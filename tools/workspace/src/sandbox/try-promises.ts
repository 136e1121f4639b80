// Tests on this machine if the sandbox gives each protection that it promises. The tests are harmless and run in a
// temporary folder. `tidemark doctor` prints the results.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBubblewrap } from './bubblewrap.ts';
import type { Sandbox } from './sandbox.ts';
import { createSandbox } from './sandbox.ts';

/** Result of the test of one protection. `promise` describes the protection in words. */
export interface TriedPromise {
  readonly promise: string;
  readonly kept: boolean;
}

/**
 * Protections that the sandbox promises. Each has a shell script that succeeds if the sandbox gives this protection.
 */
const PROBES: readonly (readonly [promise: string, script: string])[] = [
  [
    'nothing outside the workspace can be written',
    'test -w . && test ! -w /usr && test ! -w /etc && test ! -w "$OUTSIDE"',
  ],
  [
    'repositories at any depth cannot be changed, moved or replaced',
    'test ! -w .git/config && test ! -w vendor/lib/.git/config && ! mv vendor moved 2>/dev/null',
  ],
  ['settings and instructions of agents cannot be changed', 'test ! -w .tidemark/config.json && test ! -w AGENTS.md'],
  ['keys in the home folder cannot be read, even through links', 'test -d "$HOME" && test ! -e "$HOME/.ssh/key"'],
  [
    'settings of the kernel cannot be written',
    'for path in /proc/sys/kernel/hostname /proc/sysrq-trigger /sys/kernel; do test ! -w $path || exit 1; done',
  ],
  ['`/run` and `/tmp` belong to the sandbox', 'test ! -e "$SHARED" && touch /run/own /tmp/own && test ! -e /run/dbus'],
  ['processes end with their command', 'test "$(cat /proc/1/comm)" = bwrap'],
  ['a command has no special rights', '! grep -q "^Cap[EP][a-z]*:.*[1-9a-f]" /proc/self/status'],
  ['services of this machine cannot be reached', '! (: < /dev/tcp/127.0.0.1/$PORT) 2>/dev/null'],
  [
    'abstract sockets of this machine cannot be reached',
    `"$NODE" -e 'net.connect({ path: "\\0" + process.env.ABSTRACT }).on("error", () => process.exit(0)).on("connect", () => process.exit(1))'`,
  ],
];

const LOOPBACK = 'commands of a session that run at the same time can reach each other';
const TIMEOUT_MS = 10_000;
/**
 * Parent of the temporary folder for the tests. It is not `/tmp`, because the sandbox covers `/tmp`. A file in `/tmp`
 * cannot be reached even without the tested protection. Its test would therefore always succeed.
 */
const PLACE = '/var/tmp';

/** Tests each promised protection. If no sandbox works on this machine, returns an empty list. */
export async function tryPromises(): Promise<readonly TriedPromise[]> {
  const bwrap = findBubblewrap(tmpdir());
  if (bwrap === undefined) return [];
  const room = await realpath(await mkdtemp(join(PLACE, 'tidemark-promises-')));
  const shared = await mkdtemp('/tmp/tidemark-shared-');
  const [port, abstract] = [await listen({ port: 0, host: '127.0.0.1' }), `tidemark-${process.pid}`];
  const hidden = await listen({ path: `\0${abstract}` });
  try {
    const sandbox = await createProbes(room, bwrap);
    const environment = { ...environmentIn(room), SHARED: shared, ABSTRACT: abstract, PORT: String(portOf(port)) };
    const tried: TriedPromise[] = [];
    for (const [promise, script] of PROBES) tried.push({ promise, kept: await succeeds(sandbox, script, environment) });
    return [...tried, { promise: LOOPBACK, kept: await reachEachOther(sandbox, environment) }];
  } finally {
    port.close();
    hidden.close();
    for (const folder of [room, shared]) await rm(folder, { recursive: true, force: true });
  }
}

function environmentIn(room: string): Readonly<Record<string, string>> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: join(room, 'home'),
    OUTSIDE: join(room, 'outside'),
    NODE: process.execPath,
  };
}

async function createProbes(room: string, bwrap: string): Promise<Sandbox> {
  const workspace = join(room, 'work');
  for (const folder of ['.git', 'vendor/lib/.git', '.tidemark'])
    await mkdir(join(workspace, folder), { recursive: true });
  for (const folder of ['home', 'keys', 'outside']) await mkdir(join(room, folder));
  for (const file of ['.git/config', 'vendor/lib/.git/config', '.tidemark/config.json', 'AGENTS.md'])
    await writeFile(join(workspace, file), '');
  await writeFile(join(room, 'keys/key'), '');
  await symlink(join(room, 'keys'), join(room, 'home/.ssh'));
  const home = join(room, 'home');
  const nothing = { environment: {}, forbidden: [], protectedPaths: [] };
  return createSandbox({ bwrap, shell: '/bin/bash', workspace, home, repository: 'read-only', ...nothing });
}

async function succeeds(
  sandbox: Sandbox,
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { prefix, leave } = await sandbox.enter({ session: 'doctor', network: false, ports: [] });
  const [program, ...argv] = [...prefix, '/bin/bash', '-c', script];
  try {
    return await new Promise((resolve) => {
      execFile(program, argv, { env: environment, timeout: TIMEOUT_MS }, (error) => resolve(error === null));
    });
  } finally {
    await leave();
  }
}

/**
 * Returns true if two commands of a session can connect to each other. One command listens until the other command
 * connects. The other command tries to connect for a limited time.
 */
async function reachEachOther(sandbox: Sandbox, environment: Readonly<Record<string, string>>): Promise<boolean> {
  const listening = `"$NODE" -e 'net.createServer(() => process.exit(0)).listen(1234); setTimeout(() => process.exit(1), 5000)'`;
  const reaching =
    'for try in $(seq 50); do (: < /dev/tcp/127.0.0.1/1234) 2>/dev/null && exit 0; sleep 0.1; done; exit 1';
  const both = await Promise.all([listening, reaching].map((script) => succeeds(sandbox, script, environment)));
  return both.every(Boolean);
}

function listen(where: { readonly port: number; readonly host: string } | { readonly path: string }): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(where, () => resolve(server));
  });
}

function portOf(server: Server): number | undefined {
  const address: AddressInfo | string | null = server.address();
  return address === null || typeof address === 'string' ? undefined : address.port;
}
