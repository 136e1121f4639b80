// Tests, on real folders, which programs of a command line are listed in `untold` because no file shows what they
// start. Also tests which files are part of the digest for trust. These files come from shell lines and from programs
// of packages.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { readBrought } from './workspace-contents.ts';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-untold-')));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  symlinkSync(target, join(folder, path));
}

interface Server {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function serve(server: Server): void {
  write('.tidemark/config.json', JSON.stringify({ mcp: { servers: { one: server } } }));
}

function shell(line: string): Server {
  return { command: 'sh', args: ['-c', line] };
}

async function untold(server: Server): Promise<readonly string[]> {
  serve(server);
  return (await readBrought(folder)).namedBy[0]?.untold ?? [];
}

async function digest(): Promise<string> {
  return (await readBrought(folder)).digest;
}

async function isAskedAfter(change: () => void): Promise<boolean> {
  const before = await digest();
  change();
  return (await digest()) !== before;
}

async function named(): Promise<readonly string[]> {
  return (await readBrought(folder)).named.map((path) => path.slice(folder.length + 1));
}

describe('a program is listed in `untold` if no file shows what it starts', () => {
  test.each([
    'docker compose run --rm mcp',
    'docker run -v .:/work image',
    'pipenv run mcp',
    'hatch run mcp',
    'pdm run mcp',
    'poetry run mcp',
    'dotnet run',
    'gradle run',
    'mvn -q exec:java',
    'mix mcp.server',
    'task mcp',
    'mise run mcp',
    'nix run',
    'swift run',
    'dart run',
    'bundle exec mcp',
    'turbo run mcp',
    'nx serve mcp',
    'run-s inner',
    'run-p inner',
    'git mcp',
    'a-tool-of-next-year serve',
    '/opt/tools/a-tool-of-next-year serve',
  ])('%s', async (line) => {
    const [command = '', ...args] = line.split(' ');
    const name = command.replace(/^.*\//, '');
    expect(await untold({ command, args })).toEqual([name]);
    expect(await untold(shell(`cd /tmp && exec env LEVEL=1 ${line}`))).toEqual([name]);
    write('package.json', JSON.stringify({ scripts: { mcp: line } }));
    expect(await untold({ command: 'npm', args: ['run', 'mcp'] })).toEqual([name]);
  });

  test.each(['gradlew', 'mvnw'])('%s, which is covered itself but runs what a build file names', async (name) => {
    write(name, 'old');
    expect(await untold({ command: `./${name}`, args: ['run'] })).toEqual([name]);
    expect(await isAskedAfter(() => write(name, 'new'))).toBe(true);
  });

  test.each<[string, Server]>([
    ['node', { command: 'node', args: ['-e', 'import(name)'] }],
    ['node', { command: 'node', args: ['--require', './a.js', '-p', '1'] }],
    ['node', { command: 'node', args: ['--import', 'loader', 'a.js'] }],
    ['node', { command: 'node' }],
    ['python3', { command: 'python3', args: ['-m', 'flask', 'run'] }],
    ['python3', { command: 'python3', args: ['-c', 'import shop'] }],
    ['ruby', { command: 'ruby', args: ['-e', 'load name'] }],
    ['deno', { command: 'deno', args: ['run', '-A', 'jsr:@shop/server'] }],
    ['java', { command: 'java', args: ['shop.Main'] }],
  ])('%s, an interpreter without a file: %j', async (name, server) => {
    write('a.js', '');
    expect(await untold(server)).toEqual([name]);
  });

  test.each([
    'sh $X.sh',
    '$X',
    'sh tool?/run.sh',
    'cat a.sh | sh',
    'cd "$X" && ./run.sh',
    'cd - && ./run.sh',
    'PATH=./bin:$PATH; node a.js',
    'node() { ./b; }; node a.js',
    'eval "$X"',
    'export PATH=./bin:$PATH && node a.js',
    '. "$X/env.sh"; node a.js',
    'trap "$X" EXIT; node a.js',
    'echo "unfinished',
  ])('the shell, for a line that only the running shell can interpret: %s', async (line) => {
    write('a.js', '');
    expect(await untold(shell(line))).toEqual(['sh']);
  });

  test('a program after another program that runs its arguments', async () => {
    expect(await untold(shell('timeout -k 5 10 nohup nice -n 5 bash -lc "hatch run mcp"'))).toEqual(['hatch']);
    expect(await untold({ command: 'env', args: ['-u', 'X', '--odd', 'hatch'] })).toEqual(['env']);
    expect(await untold({ command: 'cmd', args: ['/c', 'hatch', 'run'] })).toEqual(['hatch']);
  });

  test.each([
    ['npm', ['run', 'mcp', '-w', 'a']],
    ['npm', ['run', 'mcp', '--workspace=a']],
    ['npm', ['run', 'mcp', '--workspaces']],
    ['npm', ['-wa', 'run', 'mcp']],
    ['pnpm', ['--filter', 'a', 'mcp']],
    ['pnpm', ['-r', 'run', 'mcp']],
    ['yarn', ['workspace', 'a', 'mcp']],
    ['npm', ['exec', 'mcp']],
  ])('%s %j, even if the root package has a script of that name', async (command, args) => {
    write('package.json', JSON.stringify({ workspaces: ['packages/*'], scripts: { mcp: 'node root.js' } }));
    write('packages/a/package.json', JSON.stringify({ name: 'a', scripts: { mcp: 'node a.js' } }));
    expect(await untold({ command, args })).toEqual([command]);
    expect(await untold({ command: 'npm', args: ['run', 'mcp'] })).toEqual([]);
    expect(await untold({ command: 'npm', args: ['run', 'mcp', '--', '-w', 'a'] })).toEqual([]);
  });

  test.each(['bun', 'deno'])('%s test, which runs no script of a manifest', async (command) => {
    write('package.json', JSON.stringify({ scripts: { test: 'node a.js' } }));
    expect(await untold({ command, args: ['test'] })).toEqual([command]);
    expect(await untold({ command: 'npm', args: ['test'] })).toEqual([]);
  });

  test('npm, if one of two scripts in a line does not exist', async () => {
    write('package.json', JSON.stringify({ scripts: { mcp: 'node root.js' } }));
    expect(await untold(shell('npm run other; npm run mcp'))).toEqual(['npm']);
  });
});

describe('no program is listed in `untold` for', () => {
  test.each<[string, Server]>([
    ['an interpreter with a file', { command: 'node', args: ['--enable-source-maps', 'a.js', '-e'] }],
    ['an interpreter with a file that is not there yet', { command: 'node', args: ['dist/server.js'] }],
    ['an interpreter with a module of the workspace', { command: 'python3', args: ['-u', '-m', 'shop.server'] }],
    ['an interpreter with a file outside of the workspace', { command: 'python3', args: ['/opt/server.py'] }],
    ['a program of the workspace', { command: './run' }],
    ['a script for a shell', { command: 'bash', args: ['-o', 'pipefail', 'run'] }],
    ['a container without a folder of this machine', { command: 'docker', args: ['run', '-i', '--rm', 'image'] }],
    ['programs that start none', shell('set -e; mkdir -p out; cat a.js >out/b.js; exec node "$PWD/a.js" "$@"')],
    ['a file that the shell reads', shell('[ -f ./run ] && . ./run')],
    ['a trap that starts none', shell("trap - INT; trap 'kill 0' EXIT; node a.js")],
  ])('%s', async (_what, server) => {
    for (const path of ['a.js', 'run', 'shop/server.py']) write(path, '');
    expect(await untold(server)).toEqual([]);
  });
});

describe('a program in node_modules/.bin', () => {
  const scripts = { mcp: 'mcp-a --stdio', known: 'node tools/s.js' };
  beforeEach(() => {
    write('package.json', JSON.stringify({ scripts }));
    write('packages/a/cli.js', 'old');
  });

  test('that leads into a package of the workspace is covered if a script runs it', async () => {
    link('node_modules/.bin/mcp-a', '../../packages/a/cli.js');
    expect(await untold({ command: 'npm', args: ['run', 'mcp'] })).toEqual([]);
    expect(await named()).toEqual(['node_modules/.bin/mcp-a', 'package.json', 'packages/a/cli.js']);
    expect(await isAskedAfter(() => write('packages/a/cli.js', 'new'))).toBe(true);
  });

  test('is covered through the link of its package, if a script of a folder below runs it, and if a server runs it', async () => {
    link('node_modules/@shop/a', '../../packages/a');
    link('node_modules/.bin/mcp-a', '../@shop/a/cli.js');
    write('packages/b/package.json', JSON.stringify({ scripts }));
    for (const server of [
      { command: 'npm', args: ['--prefix', 'packages/b', 'run', 'mcp'] },
      { command: './node_modules/.bin/mcp-a' },
      { command: 'npx', args: ['mcp-a'] },
    ]) {
      serve(server);
      expect(await isAskedAfter(() => write('packages/a/cli.js', `new ${server.command}`))).toBe(true);
    }
  });

  test('is listed in `untold` if it leads into an installed package, and asks for trust again if it later leads into the workspace', async () => {
    write('node_modules/x/cli.js', 'old');
    link('node_modules/.bin/mcp-a', '../x/cli.js');
    expect(await untold({ command: 'npm', args: ['run', 'mcp'] })).toEqual(['mcp-a']);
    expect(await isAskedAfter(() => write('node_modules/x/cli.js', 'new'))).toBe(false);
    rmSync(join(folder, 'node_modules/.bin/mcp-a'));
    expect(await isAskedAfter(() => link('node_modules/.bin/mcp-a', '../../packages/a/cli.js'))).toBe(true);
  });

  test('with the name of a known program asks for trust again and is listed in `untold`', async () => {
    const server = { command: 'npm', args: ['run', 'known'] };
    expect(await untold(server)).toEqual([]);
    write('node_modules/x/node', 'evil');
    expect(await isAskedAfter(() => link('node_modules/.bin/node', '../x/node'))).toBe(true);
    expect(await untold(server)).toEqual(['node']);
  });
});

describe('a file that a shell line names is covered', () => {
  test.each<[string, string, string]>([
    ['after a change of the folder', 'cd sub && ../tools/run.sh', 'tools/run.sh'],
    ['after two changes of the folder', 'cd sub && cd deep && ../../tools/run.sh', 'tools/run.sh'],
    ['after a change back', '(cd sub/deep && cd .. && ./in.sh)', 'sub/in.sh'],
    ['after a change to a folder with a quoted name', 'pushd "$PWD/my tools" && ../tools/run.sh', 'tools/run.sh'],
    ['with an escaped space', 'sh my\\ tools/run.sh', 'my tools/run.sh'],
    ['with quotes inside of a word', "sh to''ols/'r'un.sh", 'tools/run.sh'],
    ['with an escape of the letters', "sh $'tools/\\x72un.sh'", 'tools/run.sh'],
    ['in an option with a quoted name', 'node --require="my tools/run.sh"', 'my tools/run.sh'],
  ])('%s', async (_how, line, path) => {
    for (const each of ['tools/run.sh', 'my tools/run.sh', 'sub/in.sh', 'sub/deep/x']) write(each, 'old');
    for (const server of [shell(line), { command: 'npm', args: ['run', 'mcp'] }]) {
      write('package.json', JSON.stringify({ scripts: { mcp: line } }));
      serve(server);
      expect(await isAskedAfter(() => write(path, `new for ${server.command}`))).toBe(true);
    }
  });

  test('in the folder to which `env` changes', async () => {
    write('tools/run.sh', 'old');
    mkdirSync(join(folder, 'sub'));
    expect(await untold({ command: 'env', args: ['-C', 'sub', '../tools/run.sh'] })).toEqual([]);
    expect(await isAskedAfter(() => write('tools/run.sh', 'new'))).toBe(true);
  });

  test('and a line with too many words for its folders is refused', async () => {
    const wordsOf = (length: number): string => Array.from({ length }, (_, at) => `w${at}`).join(' ');
    const folders = Array.from({ length: 5 }, (_, at) => `cd d${at}`).join(' && ');
    serve(shell(`${folders} && echo ${wordsOf(5)}`));
    expect(await named()).toEqual([]);
    serve(shell(`${folders} && echo ${wordsOf(2_000)}`));
    await expect(readBrought(folder)).rejects.toMatchObject({ code: 'settings/too-much' });
  });

  test('and `cd` is listed in `untold` if the folder changes more often than is followed', async () => {
    const line = Array.from({ length: 12 }, (_, at) => `cd d${at}`).join('; ');
    expect(await untold(shell(line))).toEqual(['cd']);
  });
});

// The expected digests come from the last version without `untold`. They must not change. Otherwise the user would be
// asked again about folders that were trusted with that version.
test.each<[string, Server, string]>([
  [
    'an interpreter with a file',
    { command: 'node', args: ['tools/server.js'] },
    'ed5aa243b631a31f6daccfcff87fb399256cafd6aa0a171fe6164a5b39177bb9',
  ],
  [
    'a task runner',
    { command: 'make', args: ['serve'] },
    '5410880f9d1859b61d973532cda6048111143b0d9681576b05b0daaad192f1ca',
  ],
  [
    'a script that runs a program of a package',
    { command: 'npm', args: ['run', 'mcp'] },
    '5cdfc1a2eebfcb62446e33b9820e64e1c47d473475f9602f5ff3a74020142f8d',
  ],
  [
    'a plain line for a shell',
    shell('exec node "$PWD/tools/server.js" --flag=\'a b\''),
    '3730372499b37f1ef76f7fabf0e4844daf0da7cce9b1cdc639d605da1816bdd3',
  ],
  [
    'a program that is named since',
    { command: 'docker', args: ['compose', 'up'] },
    '9777723f4d450fa05a9d24462571f884ef50d5b6e45b320cc42726331ebec888',
  ],
])('trust that was given by an earlier version remains valid if a server is %s', async (_what, server, pinned) => {
  write('tools/server.js', 'server');
  write('Makefile', 'serve:');
  write('package.json', JSON.stringify({ scripts: { mcp: 'tsc -b && node tools/server.js', build: 'vite build' } }));
  write('node_modules/tsc/tsc.js', '');
  link('node_modules/.bin/tsc', '../tsc/tsc.js');
  serve(server);
  expect(await digest()).toBe(pinned);
});
