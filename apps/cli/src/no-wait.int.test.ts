// Tests every command as a process. Each file that it reads is replaced by a pipe, a folder or a device. No command may
// hang or report a bug. With `TIDEMARK_TORTURE=1`, every command is tested with every place.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { playSession } from '../tests/played-session.ts';
import { COMMANDS } from './commands.ts';

const BIN = inject('command');
/**
 * Time in milliseconds after which the test assumes that the command hangs. A start of the command takes less than one
 * second.
 */
const HANGS_MS = 60_000;
const WHOLE = process.env['TIDEMARK_TORTURE'] === '1';

let root: string;
/** Home with one session. Each case runs on a copy of this home. */
let home: string;
let session: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-no-wait-'));
  home = join(root, 'home');
  session = await playSession(openNdjsonStore({ home }));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Ended {
  readonly exit: number | null;
  readonly hangs: boolean;
  readonly out: string;
  readonly err: string;
}

interface Start {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly shell?: string;
}

function tidemark(args: readonly string[], { folder, environment, shell }: Start): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...environment };
  const line = shell === undefined ? [BIN, ...args] : ['-c', shell, process.execPath, BIN, ...args];
  const child = spawn(shell === undefined ? process.execPath : '/bin/sh', line, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    child.kill('SIGKILL');
  }, HANGS_MS);
  return new Promise((resolve) => {
    child.once('close', (exit) => {
      clearTimeout(timer);
      resolve({ exit, hangs, ...texts });
    });
  });
}

/** Command lines to test, by command. `S` is replaced by the session. */
const LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  run: [
    ['run', '--provider', 'simulator', 'hello'],
    ['run', '--provider', 'simulator', '--session', 'S', 'hello'],
    ['run', '--provider', 'simulator', '--image', 'in.json', 'hello'],
    ['run', '--provider', 'simulator', '--scenario', 'in.json', 'hello'],
  ],
  resume: [['resume', 'S', '--provider', 'simulator']],
  fork: [['fork', 'S']],
  rewind: [['rewind', 'S']],
  demo: [['demo', '--recorded']],
  audit: [['audit'], ['audit', '--html', 'in.json']],
  import: [['import', 'in.json']],
  replay: [
    ['replay', 'S'],
    ['replay', 'in.json'],
  ],
  show: [
    ['show', 'S'],
    ['show', 'S', '1'],
  ],
  completion: [
    ['completion', 'bash'],
    ['completion', 'fish', '--words', '--', 'show', ''],
    ['completion', 'fish', '--words', '--', 'mcp', 'test', ''],
    ['completion', 'fish', '--words', '--', '--model', ''],
  ],
  why: [['why', 'S']],
  cost: [['cost'], ['cost', 'S']],
  context: [['context'], ['context', 'S']],
  cache: [['cache', 'S']],
  compact: [['compact', 'S']],
  skills: [['skills', 'S'], ['skills']],
  agents: [['agents']],
  verify: [['verify', 'S']],
  sessions: [['sessions']],
  export: [['export', 'S', '--format', 'json']],
  move: [
    ['move', 'S', '--to', 'other', '--yes'],
    ['move', 'S', '--to', 'other', '--keep', '--yes'],
  ],
  serve: [
    ['serve', '--host', '0.0.0.0'],
    ['serve', '--link', '--port', '1'],
  ],
  simulate: [['simulate', '--port', '0', '--scenario', 'in.json']],
  smoke: [['smoke', '--provider', 'simulator', '--model', 'claude-opus-5-5']],
  config: [['config'], ['config', '--config', 'in.json']],
  trust: [['trust', '--yes']],
  grants: [['grants']],
  keys: [['keys', 'list']],
  doctor: [['doctor'], ['doctor', '--gc'], ['doctor', '--repair', 'S']],
  mcp: [
    ['mcp', 'add', 'shop', 'https://shop.example/mcp'],
    ['mcp', 'list'],
    ['mcp', 'remove', 'shop'],
  ],
  models: [['models']],
};

type Put = (path: string) => void;
const pipe: Put = (path) => void execFileSync('mkfifo', [path]);
const folder: Put = (path) => {
  mkdirSync(path);
};
const device: Put = (path) => symlinkSync('/dev/zero', path);
const text: Put = (path) => writeFileSync(path, 'some words\n');
const loop: Put = (path) => symlinkSync(path, path);
const deep: Put = (path) => writeFileSync(path, '{"a":['.repeat(50_000) + ']}'.repeat(50_000));

/**
 * Path relative to the folder of a case, name of the kind of file, and function that creates such a file at the path.
 * `SESSION` is replaced by the folder of the session.
 */
const PLACES: readonly (readonly [place: string, kind: string, put: Put])[] = [
  ['home', 'a pipe', pipe],
  ['home', 'a file', text],
  ['home', 'a device', device],
  ['home', 'a loop of links', loop],
  ['home/sessions', 'a pipe', pipe],
  ['home/artifacts', 'a pipe', pipe],
  ['SESSION/log.ndjson', 'a pipe', pipe],
  ['SESSION/log.ndjson', 'a folder', folder],
  ['SESSION/log.ndjson', 'a device', device],
  ['SESSION/snapshot', 'a pipe', pipe],
  ['SESSION/lease.db', 'a pipe', pipe],
  ['SESSION/lease.db', 'a text', text],
  ['home/catalog.json', 'a pipe', pipe],
  ['home/catalog.json', 'nested deep', deep],
  ['home/audit.sqlite', 'a pipe', pipe],
  ['home/audit.sqlite', 'a text', text],
  ['.claude/projects/x/1.jsonl', 'a pipe', pipe],
  ['.claude/projects/x/1.jsonl', 'a device', device],
  ['home/trust', 'a pipe', pipe],
  ['home/grants', 'a pipe', pipe],
  ['.config/tidemark/tidemark.config.json', 'a pipe', pipe],
  ['.config/tidemark/tidemark.config.json', 'a device', device],
  ['.config/tidemark/tidemark.config.json', 'nested deep', deep],
  ['.config/tidemark/tidemark.config.ts', 'a pipe', pipe],
  ['.tidemark/config.json', 'a pipe', pipe],
  ['.tidemark/config.json', 'a device', device],
  ['in.json', 'a pipe', pipe],
  ['in.json', 'a device', device],
  ['in.json', 'a folder', folder],
  ['in.json', 'nested deep', deep],
];

const commandLines = Object.values(LINES).flat();
const ALL = commandLines.flatMap((line) => PLACES.map((place) => [line, ...place] as const));
/**
 * Without `TIDEMARK_TORTURE=1`, only every 37th combination runs. This covers each place at least one time. A
 * combination always runs if its command line reads `in.json` and that file is replaced.
 */
const STRIDE = 37;
const CASES = WHOLE ? ALL : ALL.filter((_, index) => index % STRIDE === 0 || readsInput(ALL[index]));

function readsInput(one: (typeof ALL)[number] | undefined): boolean {
  return one?.[1] === 'in.json' && one[0].includes('in.json');
}

test('every command in `--help` has a command line here', () => {
  expect(Object.keys(LINES).toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
});

describe.skipIf(process.platform !== 'linux')(
  'a command (skipped on other systems: only Linux has all these kinds of files)',
  () => {
    test.concurrent.each(CASES)(
      '%j succeeds or ends with a typed error if %s is %s',
      async (line, place, _kind, put) => {
        const own = mkdtempSync(join(root, 'case-'));
        if (place !== 'home') cpSync(home, join(own, 'home'), { recursive: true });
        const path = join(own, place.replace('SESSION', `home/sessions/${session}`));
        rmSync(path, { recursive: true, force: true });
        mkdirSync(dirname(path), { recursive: true });
        put(path);
        if (place !== 'in.json') text(join(own, 'in.json'));
        const args = line.map((word) => (word === 'S' ? session : word));
        const environment = {
          TIDEMARK_HOME: join(own, 'home'),
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        };
        const ended = await tidemark(args, { folder: own, environment });
        expect(ended, ended.err).toMatchObject({ hangs: false });
        expect([0, 1, 2, 3, 4, 6], ended.err).toContain(ended.exit);
        // A failed check of `doctor` is a line of its report.
        const failure = line[0] === 'doctor' ? /^(?:.*\n)*(?:error: |failed ).+/ : /^(?:.*\n)*error: .+/;
        if (ended.exit !== 0 && ended.exit !== 1) expect(ended.out + ended.err).toMatch(failure);
        expect(ended.err).not.toMatch(/ {4}at .+:\d+:\d+|Maximum call stack/);
        rmSync(own, { recursive: true, force: true });
      },
      4 * HANGS_MS,
    );
  },
);

/**
 * Start of a shell line that makes the home read-only in a separate mount namespace. The home is read-only even for
 * root.
 */
const READ_ONLY = `exec unshare -rm sh -c 'mount --bind "$TIDEMARK_HOME" "$TIDEMARK_HOME" && mount -o remount,bind,ro "$TIDEMARK_HOME" &&`;
const MAY_MOUNT = spawnSync('unshare', ['-rm', 'true']).status === 0;

/**
 * Each entry has the name of an environment for the command, the shell line that creates it, the expected exit code,
 * and the expected text on stderr.
 */
const AROUND: readonly (readonly [name: string, shell: string, exit: number, words: RegExp])[] = [
  ['stdin that is closed', 'exec "$0" "$@" <&-', 0, /^$/],
  ['stdout that is full', 'exec "$0" "$@" --help >/dev/full', 3, /error: ENOSPC[^]*\nnext: free space/],
  ['stdout and stderr that are full', 'exec "$0" "$@" --help >/dev/full 2>/dev/full', 3, /^$/],
  ['a reader that leaves', '"$0" "$@" --help | :', 0, /^$/],
  [
    'a folder that was deleted',
    'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"',
    3,
    /error: the (current )?folder .*does not exist\nnext: /,
  ],
  ['HOME that is unset', 'unset HOME; exec "$0" "$@"', 0, /^$/],
  [
    'HOME that is /dev/null',
    'unset TIDEMARK_HOME; HOME=/dev/null exec "$0" "$@"',
    3,
    /error: [^]*a part of this path is a file[^]*\nnext: /,
  ],
  [
    'a home that cannot be made',
    'TIDEMARK_HOME=/proc/tidemark exec "$0" "$1" run --provider simulator hi',
    3,
    /error: [^]*\nnext: /,
  ],
  [
    'a home on a file system that is read-only',
    `${READ_ONLY} exec "$0" "$1" run --provider simulator hi' "$0" "$@"`,
    3,
    /error: [^]*\nnext: /,
  ],
  ['a home to read on a file system that is read-only', `${READ_ONLY} exec "$0" "$@"' "$0" "$@"`, 0, /^$/],
  [
    'a name of 300 letters',
    `TIDEMARK_HOME=/tmp/${'a'.repeat(300)} exec "$0" "$@"`,
    3,
    /error: ENAMETOOLONG[^]*\nnext: /,
  ],
  ['a cache folder that cannot be made', 'XDG_CACHE_HOME=/proc/tidemark exec "$0" "$@"', 0, /^$/],
  ['TMPDIR that is not there', 'TMPDIR=/proc/nowhere exec "$0" "$@"', 0, /^$/],
];

describe.skipIf(process.platform !== 'linux')(
  '`tidemark sessions` (skipped on other systems: only Linux has all these surroundings)',
  () => {
    if (!MAY_MOUNT) console.warn('skipped: rows that mount, as `unshare -rm` is not allowed here');
    const rows = AROUND.filter(([, shell]) => MAY_MOUNT || !shell.includes('unshare'));
    test.each(rows)(
      'with %s ends with the documented exit code',
      async (_name, shell, exit, words) => {
        const own = mkdtempSync(join(root, 'around-'));
        const ended = await tidemark(['sessions'], { folder: own, environment: { TIDEMARK_HOME: home }, shell });
        expect(ended, ended.err).toMatchObject({ hangs: false, exit });
        expect(ended.err).toMatch(words);
      },
      2 * HANGS_MS,
    );
  },
);
