// Tests, on real folders, which files of a manifest are part of the digest for trust. Also tests which programs are
// listed because no manifest shows what they start.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { readBrought } from './workspace-contents.ts';
import { readManifest } from './manifests.ts';
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

describe('a manifest', () => {
  const change = (path: string): Promise<TrustState> => stateAfter(() => write(path, `${path}, evil`));

  test.each<[string, object, string]>([
    ['main', { main: 'dist/server.js' }, 'dist/server.js'],
    ['main without its ending', { main: 'dist/server' }, 'dist/server.js'],
    ['main that is a folder', { main: './dist' }, 'dist/index.js'],
    ['exports that is a path', { exports: './dist/server.js' }, 'dist/server.js'],
    ['exports with conditions', { exports: { import: './a.mjs', require: './dist/server.js' } }, 'dist/server.js'],
    ['exports by path', { exports: { '.': [{ node: './dist/server.js' }], './b': './b.js' } }, 'dist/server.js'],
    ['no entry, and so index.js', {}, 'index.js'],
  ])('run by `node .` puts its entry file under trust: %s', async (_how, manifest, entry) => {
    write('package.json', JSON.stringify(manifest));
    for (const args of [['.'], ['--enable-source-maps', './']]) {
      for (const path of ['dist/server.js', 'dist/index.js', 'index.js', 'b.js']) write(path, 'old');
      serve({ command: 'node', args });
      expect(await named()).toEqual(expect.arrayContaining(['package.json', entry]));
      expect(await named()).not.toContain('b.js');
      expect(await change('package.json')).toBe('changed');
      write('package.json', JSON.stringify(manifest));
      expect(await change(entry)).toBe('changed');
    }
  });

  test('of a named folder puts an entry file outside that folder under trust', async () => {
    write('server/package.json', JSON.stringify({ main: '../impl/main.js' }));
    write('impl/main.js', 'old');
    serve({ command: 'node', args: ['./server'] });
    expect(await named()).toEqual(['impl/main.js', 'server']);
    expect(await change('impl/main.js')).toBe('changed');
  });

  test('puts no entry file under trust if no interpreter is named, because a server may get the workspace only to read it', async () => {
    write('package.json', JSON.stringify({ main: 'dist/server.js' }));
    write('dist/server.js', 'old');
    serve({ command: 'files', args: ['.'] });
    expect(await change('dist/server.js')).toBe('trusted');
  });

  test.each<[string, Server, string]>([
    ['npm run', { command: 'npm', args: ['run', 'mcp'] }, 'package.json'],
    ['npm start', { command: 'npm', args: ['start'] }, 'package.json'],
    ['node --run', { command: 'node', args: ['--run', 'mcp'] }, 'package.json'],
    ['bun run', { command: 'bun', args: ['run', 'mcp'] }, 'package.json'],
    ['deno task', { command: 'deno', args: ['task', 'mcp'] }, 'deno.jsonc'],
    ['npm in a line for a shell', { command: 'sh', args: ['-c', 'npm run -s mcp'] }, 'package.json'],
  ])(
    'puts the files under trust that a script of %s names, also through other scripts',
    async (_how, server, manifest) => {
      const scripts = {
        start: 'npm run mcp',
        premcp: 'node ./prepare.js',
        mcp: 'npm run inner -- -v',
        inner: 'node src/s.js',
      };
      const tasks = { premcp: 'deno run prepare.js', mcp: { command: 'deno run src/s.js', dependencies: ['premcp'] } };
      const text = JSON.stringify(manifest === 'package.json' ? { scripts } : { tasks });
      write(manifest, manifest === 'deno.jsonc' ? `// Tasks.\n${text}` : text);
      for (const path of ['prepare.js', 'src/s.js', 'src/other.js']) write(path, 'old');
      serve(server);
      expect(await named()).toEqual(expect.arrayContaining([manifest, 'prepare.js', 'src/s.js']));
      expect(await change('src/s.js')).toBe('changed');
      expect(await change('prepare.js')).toBe('changed');
      expect(await change('src/other.js')).toBe('trusted');
      expect((await readBrought(folder)).namedBy[0]?.untold).toEqual([]);
    },
  );

  test.each<[string, readonly string[], string]>([
    ['cargo', ['run'], 'Cargo.toml'],
    ['cargo', ['run'], 'build.rs'],
    ['cargo', ['run'], 'src/main.rs'],
    ['cargo', ['run', '--manifest-path', 'tools/Cargo.toml'], 'tools/build.rs'],
    ['go', ['run', '.'], 'main.go'],
    ['rake', ['serve'], 'Rakefile'],
    ['make', ['serve'], 'Makefile'],
    ['make', ['-C', 'tools', 'serve'], 'tools/Makefile'],
    ['just', ['serve'], 'justfile'],
  ])('of %s %j is under trust, and the program is listed in `untold`', async (command, args, file) => {
    mkdirSync(join(folder, 'tools'));
    serve({ command, args });
    expect((await readBrought(folder)).namedBy).toEqual([{ by: 'mcp.servers.s0', paths: [], untold: [command] }]);
    expect(await change(file)).toBe('changed');
    expect(await named()).toContain(file);
  });

  test.each<[string, Server, readonly string[]]>([
    ['a script that is not there', { command: 'npm', args: ['run', 'other'] }, ['npm']],
    ['a package of a registry', { command: 'npx', args: ['-y', 'server'] }, ['npx']],
    ['a task that is not there', { command: 'deno', args: ['task', 'other'] }, ['deno']],
    ['a script that runs make', { command: 'npm', args: ['run', 'make-it'] }, ['make']],
  ])('that does not show what runs has its program listed in `untold`: %s', async (_what, server, untold) => {
    write('package.json', JSON.stringify({ scripts: { 'make-it': 'make serve' } }));
    write('Makefile', 'old');
    serve(server);
    expect((await readBrought(folder)).namedBy[0]?.untold).toEqual(untold);
    if (untold.includes('make')) expect(await change('Makefile')).toBe('changed');
  });

  test('lists nothing in `untold` if a task runner runs a file', async () => {
    write('src/server.ts', 'old');
    serve({ command: 'bun', args: ['src/server.ts'] }, { command: 'deno', args: ['run', '-A', 'src/server.ts'] });
    expect((await readBrought(folder)).namedBy.map(({ untold }) => untold)).toEqual([[], []]);
    expect(await change('src/server.ts')).toBe('changed');
  });

  test('that is damaged, or whose scripts call each other, is not followed further', async () => {
    for (const text of [
      '{',
      '[]',
      '"x"',
      '{"scripts": 1, "main": 2}',
      '{"scripts": {"a": "npm run b", "b": "npm run a"}}',
    ]) {
      write('package.json', text);
      serve({ command: 'npm', args: ['run', 'a'] }, { command: 'node', args: ['.'] });
      expect(await named()).toEqual(['package.json']);
    }
  });
});

test('a manifest of 20,000 levels is refused with its path, without a stack overflow', async () => {
  write('package.json', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
  const path = join(folder, 'package.json');
  const refused = { code: 'settings/too-much', message: expect.stringContaining(path) };
  await expect(readManifest(path)).rejects.toMatchObject(refused);
});
