// Tests, on real folders, which files are part of the digest for trust because of a setting that starts a program. The
// setting names these files.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { readBrought } from './workspace-contents.ts';
import { readNamedFiles } from './named-files.ts';
import type { TrustState } from './trust.ts';
import { judgeTrust, recordTrust } from './trust.ts';

let root: string;
let folder: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-named-')));
  folder = join(root, 'work');
  mkdirSync(folder);
});

afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  symlinkSync(target, join(folder, path));
}

interface Server {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

function serve(...servers: readonly Server[]): void {
  const entries = servers.map((server, index) => [`s${index}`, server]);
  write('.tidemark/config.json', JSON.stringify({ mcp: { servers: Object.fromEntries(entries) } }));
}

async function stateAfter(change: () => void): Promise<TrustState> {
  const home = join(root, 'home');
  await recordTrust(home, await readBrought(folder), { decision: 'trusted', at: '2026-11-21T10:00:00.000Z' });
  expect(await judgeTrust(home, await readBrought(folder))).toBe('trusted');
  change();
  return judgeTrust(home, await readBrought(folder));
}

async function named(): Promise<readonly string[]> {
  return (await readBrought(folder)).named.map((path) => path.slice(folder.length + 1));
}

describe('trust is asked for again if a file changes that a trusted server names', () => {
  test.each<[string, Server]>([
    ['as an argument', { command: 'node', args: ['tools/server.js'] }],
    ['as an argument with ./', { command: 'node', args: ['./tools/server.js'] }],
    ['as the command', { command: './tools/server.js' }],
    ['by an option with =', { command: 'node', args: ['--require=./tools/server.js', 'other.js'] }],
    ['after an option', { command: 'node', args: ['--require', './tools/server.js'] }],
    ['attached to an option of one letter', { command: 'ruby', args: ['-r./tools/server.js'] }],
    ['in a list with commas', { command: 'load', args: ['other.js,tools/server.js'] }],
    ['in a list with colons', { command: 'java', args: ['-cp', 'lib.jar:tools/server.js'] }],
    ['in a list of a variable', { command: 'node', env: { NODE_OPTIONS: '--no-warnings --import=./tools/server.js' } }],
    ['in a line for a shell', { command: 'sh', args: ['-c', 'cd /tmp; exec node "tools/server.js" >log 2>&1'] }],
    ['after a variable of the shell', { command: 'sh', args: ['-c', 'exec node "$PWD/tools/server.js"'] }],
    ['by its folder in a line for a shell', { command: 'sh', args: ['-c', 'cd tools && node server.js'] }],
    ['by a pattern of the shell', { command: 'sh', args: ['-c', 'cat ./tools/*.js | node'] }],
    ['from its own folder', { command: 'node', args: ['server.js'], cwd: 'tools' }],
    ['by a path that goes up', { command: 'node', args: ['../tools/server.js'], cwd: 'docs' }],
    ['without its ending', { command: 'node', args: ['tools/server'] }],
    ['by its folder', { command: 'node', args: ['tools'] }],
    ['as a module', { command: 'python', args: ['-m', 'tools.main'] }],
    ['by a response file', { command: 'java', args: ['@tools/server.js'] }],
  ])('%s', async (_how, server) => {
    for (const path of ['tools/server.js', 'tools/main.py', 'docs/a.md']) write(path, 'old');
    serve(server);
    expect(
      await stateAfter(() => {
        write('tools/server.js', 'new');
        write('tools/main.py', 'new');
      }),
    ).toBe('changed');
    expect(await named()).not.toEqual([]);
  });

  test('by an absolute path', async () => {
    write('tools/server.js', 'old');
    serve({ command: 'node', args: [join(folder, 'tools/server.js')] });
    expect(await stateAfter(() => write('tools/server.js', 'new'))).toBe('changed');
    expect(await named()).toEqual(['tools/server.js']);
  });

  test('by a file URL', async () => {
    write('my tools/server.js', 'old');
    serve({ command: 'node', args: [`--import=${pathToFileURL(join(folder, 'my tools/server.js')).href}`] });
    expect(await stateAfter(() => write('my tools/server.js', 'new'))).toBe('changed');
    expect(await named()).toEqual(['my tools/server.js']);
  });

  test.each<[string, Server, string]>([
    ['npm', { command: 'npm', args: ['run', 'mcp'] }, 'package.json'],
    ['npm by a full path', { command: '/usr/bin/npm', args: ['run', 'mcp'] }, '.npmrc'],
    ['npm in a folder below, whose file lies above', { command: 'npm', args: ['start'], cwd: 'docs' }, 'package.json'],
    ['npm with a prefix', { command: 'npm', args: ['--prefix', 'tools', 'start'] }, 'tools/package.json'],
    ['npm in a line for a shell', { command: 'sh', args: ['-c', 'exec npm start'] }, 'package.json'],
    ['pnpm', { command: 'pnpm', args: ['run', 'mcp'] }, '.pnpmfile.cjs'],
    ['yarn', { command: 'yarn', args: ['mcp'] }, '.yarnrc.yml'],
    ['bun', { command: 'bun', args: ['run', 'mcp'] }, 'bunfig.toml'],
    ['npx', { command: 'npx', args: ['-y', '@shop/server@2'] }, 'node_modules/.bin/server'],
    ['node --run', { command: 'node', args: ['--run', 'mcp'] }, 'package.json'],
    ['make', { command: 'make', args: ['serve'] }, 'Makefile'],
    ['just', { command: 'just', args: ['serve'] }, 'justfile'],
    ['uv', { command: 'uv', args: ['run', 'serve'] }, 'pyproject.toml'],
  ])('because %s reads it, even if the file did not exist before', async (_runner, server, file) => {
    mkdirSync(join(folder, 'docs'));
    mkdirSync(join(folder, 'tools'));
    serve(server);
    expect(await stateAfter(() => write(file, 'new'))).toBe('changed');
    expect(await stateAfter(() => write(file, 'newer'))).toBe('changed');
    expect(await named()).toContain(file);
  });
});

describe('a link', () => {
  beforeEach(() => {
    write('impl/server.js', 'old');
    write('impl/evil.js', 'evil');
    link('bin/server', '../impl/server.js');
    link('tools', 'impl');
    serve({ command: 'node', args: ['bin/server', 'tools/server.js'] });
  });

  test('on the way to a named file is named together with its target', async () => {
    expect(await named()).toEqual(['bin/server', 'impl/server.js', 'tools']);
  });

  test.each<[string, () => void]>([
    ['leads elsewhere', () => [rmSync(join(folder, 'bin/server')), link('bin/server', '../impl/evil.js')]],
    ['that is a folder leads elsewhere', () => [rmSync(join(folder, 'tools')), link('tools', 'bin')]],
    ['leads to a file that was rewritten', () => write('impl/server.js', 'new')],
  ])('that %s asks for trust again', async (_what, change) => {
    expect(await stateAfter(change)).toBe('changed');
  });

  test('in a named folder is under trust together with its target', async () => {
    write('mcp/index.js', 'old');
    link('mcp/server.js', '../impl/server.js');
    serve({ command: 'node', args: ['./mcp'] });
    expect(await named()).toEqual(['impl/server.js', 'mcp']);
    expect(await stateAfter(() => write('impl/server.js', 'new'))).toBe('changed');
  });

  test('out of the workspace is under trust, but its target is not read', async () => {
    mkdirSync(join(root, 'outside'));
    writeFileSync(join(root, 'outside/server.js'), 'old');
    link('out', join(root, 'outside'));
    serve({ command: 'node', args: ['out/server.js'] });
    expect(await named()).toEqual(['out']);
    expect(await stateAfter(() => writeFileSync(join(root, 'outside/server.js'), 'new'))).toBe('trusted');
    expect(await stateAfter(() => [rmSync(join(folder, 'out')), link('out', 'impl')])).toBe('changed');
  });

  test('from outside into the workspace puts its target under trust', async () => {
    symlinkSync(folder, join(root, 'other'));
    serve({ command: 'node', args: [join(root, 'other/impl/server.js')] });
    expect(await named()).toEqual(['impl/server.js']);
  });

  test('to itself or to the whole workspace is not followed further', async () => {
    link('loop', 'loop');
    link('mcp/all', '..');
    serve({ command: 'node', args: ['loop', './mcp'] });
    expect(await named()).toEqual(['loop', 'mcp']);
  });
});

describe('the files that a server names', () => {
  test('ask for trust again when a missing one is created', async () => {
    serve({ command: 'node', args: ['tools/server.js'] });
    expect(await named()).toEqual([]);
    expect(await stateAfter(() => write('tools/server.js', 'new'))).toBe('changed');
  });

  test('do not include the whole workspace', async () => {
    write('src/main.ts', 'old');
    serve({ command: 'files', args: ['.', folder, root, './'] });
    expect(await named()).toEqual([]);
    expect(await stateAfter(() => write('src/main.ts', 'new'))).toBe('trusted');
  });

  test('do not include a folder that only has the name of a task', async () => {
    write('build/out.js', 'old');
    serve({ command: 'npm', args: ['run', 'build'] });
    expect(await stateAfter(() => write('build/out.js', 'new'))).toBe('trusted');
    expect(await stateAfter(() => write('build.js', 'new'))).toBe('changed');
  });

  test('include a folder, but a change in its installed packages does not ask for trust again', async () => {
    write('mcp/server.js', 'old');
    write('mcp/node_modules/a/index.js', 'old');
    serve({ command: 'node', args: ['server.js'], cwd: 'mcp' });
    expect(await named()).toEqual(['mcp']);
    expect(await stateAfter(() => write('mcp/node_modules/a/index.js', 'new'))).toBe('trusted');
    expect(await stateAfter(() => write('mcp/extra.js', 'new'))).toBe('changed');
  });

  test('do not include other files or the path of a URL', async () => {
    write('src/main.ts', 'old');
    write('.tidemark/config.json', '{"mcp": {"servers": {"a": {"url": "https://example.org/src/main.ts"}}}}');
    expect(await named()).toEqual([]);
    expect(await stateAfter(() => write('src/main.ts', 'new'))).toBe('trusted');
  });

  test('are listed with each server that names them', async () => {
    write('a.js', 'a');
    write('b.js', 'b');
    serve({ command: 'node', args: ['a.js'] }, { command: 'node', args: ['-r', './a.js', 'b.js'] });
    expect((await readBrought(folder)).namedBy).toEqual([
      { by: 'mcp.servers.s0', paths: [join(folder, 'a.js')], untold: [] },
      { by: 'mcp.servers.s1', paths: [join(folder, 'a.js'), join(folder, 'b.js')], untold: [] },
    ]);
  });

  test.each<[string, Server]>([
    [
      'more words than can be looked through',
      { command: 'a', args: Array.from({ length: 10_001 }, (_, at) => `w${at}`) },
    ],
    ['a folder with more files than can be looked through', { command: 'node', args: ['./many'] }],
  ])('are refused with an error for %s', async (_what, server) => {
    for (let at = 0; server.args?.[0] === './many' && at < 5_001; at += 1) write(`many/${at}`, '');
    serve(server);
    await expect(readBrought(folder)).rejects.toMatchObject({ code: 'settings/too-much' });
  });

  test('do not include words that cannot be a path', async () => {
    serve({ command: 'node', args: ['a\0b', 'x'.repeat(5_000), '', '-', '%%', 'file://host/x', '${'] });
    expect(await named()).toEqual([]);
  });
});

describe('a named file that is replaced', () => {
  beforeEach(() => write('tools/server.js', 'old'));

  test.each<[string, Server]>([
    ['with a path', { command: 'node', args: ['./tools/server.js'] }],
    ['as a bare command of its folder', { command: 'server.js', cwd: 'tools' }],
    ['with a runner', { command: 'npm', args: ['run', 'tools/server.js'] }],
  ])('asks for trust again after it is removed and after a folder replaces it: %s', async (_how, server) => {
    serve(server);
    expect(await stateAfter(() => rmSync(join(folder, 'tools/server.js')))).toBe('changed');
    write('tools/server.js', 'old');
    expect(
      await stateAfter(() => [rmSync(join(folder, 'tools/server.js')), mkdirSync(join(folder, 'tools/server.js'))]),
    ).toBe('changed');
  });
});

describe('a word of a command line', () => {
  test('with .. after a link names both the path that the system follows and the path without the link', async () => {
    for (const path of ['deep/server.js', 'server.js']) write(path, 'old');
    mkdirSync(join(folder, 'deep/er'));
    link('to', 'deep/er');
    serve({ command: 'node', args: ['to/../server.js'] });
    expect(await named()).toEqual(['deep/server.js', 'server.js', 'to']);
    expect(await stateAfter(() => write('deep/server.js', 'new'))).toBe('changed');
    expect(await stateAfter(() => write('server.js', 'new'))).toBe('changed');
  });

  test('that is the name of a task may also be a folder if a shell runs the task', async () => {
    write('build/out.js', 'old');
    serve({ command: 'sh', args: ['-c', 'npm run build && node build/out.js; ls build'] });
    expect(await named()).toContain('build');
    expect(await stateAfter(() => write('build/more.js', 'new'))).toBe('changed');
  });

  test.each(['npm.cmd', 'npm.exe', 'C:\\tools\\npm.CMD'])(
    'is recognised as a task runner by its Windows name: %s',
    async (command) => {
      write('package.json', '{"scripts": {"serve": "node server.js"}}');
      serve({ command, args: ['run', 'serve'] });
      expect(await named()).toContain('package.json');
      expect(await stateAfter(() => write('package.json', '{}'))).toBe('changed');
    },
  );
});

test.each(['./secret', './secret/server.js', 'secret/../secret/x'])(
  'a named file that the system does not allow to be read is refused: %s',
  async (path) => {
    const program = { by: 'mcp.servers.a', command: 'node', args: [path], env: {} };
    // Root can read everything. Therefore the test passes the state `hidden` and does not read the state from the
    // system.
    const known = new Map([[join(folder, 'secret'), 'hidden' as const]]);
    await expect(readNamedFiles([program], folder, known)).rejects.toMatchObject({
      code: 'settings/unreadable',
      message: expect.stringContaining('which a setting names, cannot be read'),
    });
  },
);

test('a folder that is named both as a file and as a folder is recorded as a folder', async () => {
  write('tools/a.js', 'a');
  const program = { by: 'mcp.servers.a', command: 'tools', args: ['./tools'], env: {} };
  const { states } = await readNamedFiles([program], folder);
  expect(states.filter(({ path }) => path === 'tools')).toEqual([{ path: 'tools', kind: 'folder', digest: '' }]);
});
