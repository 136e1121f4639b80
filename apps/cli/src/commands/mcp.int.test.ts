// Tests `tidemark mcp` with the real test server of the protocol's maintainers.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, expect, onTestFinished, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

const EVERYTHING = join(import.meta.dirname, '../../../../node_modules/.bin/mcp-server-everything');

let stage: Stage;
let own: string;

beforeEach(() => {
  stage = openStage();
  onTestFinished(() => stage.clear());
  own = join(stage.home, '..', 'config');
});

function tidemark(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, XDG_CONFIG_HOME: own, ...variables };
  return pretendRun(['mcp', ...args], { folder: stage.folder, environment });
}

function ownSettings(): unknown {
  return JSON.parse(readFileSync(join(own, 'tidemark', 'tidemark.config.json'), 'utf8'));
}

function workspaceSettings(): unknown {
  return JSON.parse(readFileSync(join(stage.folder, '.tidemark', 'config.json'), 'utf8'));
}

test('`add` writes a program into the settings of the user, `test` connects to it, and `remove` removes it', async () => {
  expect(await tidemark(['add', 'all', '--env', 'GREETING=hello', '--', EVERYTHING, 'stdio'])).toMatchObject({
    exit: 0,
    out: expect.stringContaining('added all'),
  });
  expect(ownSettings()).toEqual({
    mcp: { servers: { all: { command: EVERYTHING, args: ['stdio'], env: { GREETING: 'hello' } } } },
  });
  const tested = await tidemark(['test', 'all']);
  expect(tested).toMatchObject({ exit: 0, err: '' });
  expect(tested.out).toMatch(/^all is connected: \d+ tools, about [\d,]+ tokens in each request$/m);
  expect(tested.out).toMatch(/^tool\tall__echo\t\d+\t/m);
  expect(tested.out).toMatch(/^prompt\tsimple-prompt\t/m);
  expect(tested.out).toMatch(/^resource\tdemo:\/\/resource/m);
  expect(await tidemark(['remove', 'all'])).toMatchObject({ exit: 0 });
  expect(ownSettings()).toEqual({ mcp: { servers: {} } });
  expect(await tidemark(['remove', 'all'])).toMatchObject({ exit: 3, err: expect.stringContaining('name no MCP') });
});

test('`list` shows each server with its state, its tools and their size', async () => {
  await tidemark(['add', 'all', '--', EVERYTHING, 'stdio']);
  await tidemark(['add', 'gone', '--', 'no-such-program-here']);
  const { exit, out } = await tidemark(['list', '--json']);
  const { servers } = JSON.parse(out);
  expect(exit).toBe(0);
  expect(servers).toMatchObject([
    { name: 'all', source: 'user', state: 'connected' },
    { name: 'gone', state: 'failed', next: expect.stringContaining('install no-such-program-here') },
  ]);
  expect(servers[0].tools).toBeGreaterThan(5);
  expect(servers[0].tokens).toBeGreaterThan(300);
});

test('a secret is stored as the name of its variable, and never as its value', async () => {
  const token = 'Bearer-value-of-my-token-0123456789';
  expect(
    await tidemark(['add', 'hub', 'http://127.0.0.1:1/mcp', '--header', 'Authorization: Bearer $HUB_TOKEN']),
  ).toMatchObject({ exit: 0 });
  expect(await tidemark(['add', 'tax', '--env', 'TAX_KEY', '--', 'tax-server'])).toMatchObject({ exit: 0 });
  expect(ownSettings()).toEqual({
    mcp: {
      servers: {
        hub: {
          url: 'http://127.0.0.1:1/mcp',
          headers: { Authorization: { variable: 'HUB_TOKEN', prefix: 'Bearer ' } },
        },
        tax: { command: 'tax-server', env: { TAX_KEY: { variable: 'TAX_KEY' } } },
      },
    },
  });
  for (const flags of [
    ['--header', `Authorization: Bearer ${token}`],
    ['--header', `X-Team: ghp_${'a1B2'.repeat(9)}`],
  ]) {
    const refused = await tidemark(['add', 'other', 'http://127.0.0.1:1/mcp', ...flags]);
    expect(refused).toMatchObject({ exit: 2, err: expect.stringContaining('other programs can read a command line') });
    expect(refused.err).not.toMatch(/a1B2|my-token/);
  }
  const refused = await tidemark(['add', 'other', '--env', `TAX_TOKEN=${token}`, '--', 'tax-server']);
  expect([refused.exit, refused.err.includes(token)]).toEqual([2, false]);
});

test('a server whose variable is missing is named with the variable', async () => {
  await tidemark(['add', 'all', '--env', 'TAX_KEY', '--', EVERYTHING, 'stdio']);
  expect(await tidemark(['test', 'all'])).toMatchObject({
    exit: 3,
    err: expect.stringMatching(/needs the variable TAX_KEY, which is not set\nnext: set the variable/),
  });
  expect(await tidemark(['test', 'all'], { TAX_KEY: 'a-value-of-the-key' })).toMatchObject({ exit: 0 });
});

test('a server of the folder is not started before the folder is trusted', async () => {
  const added = await tidemark(['add', 'all', '--scope', 'workspace', '--', EVERYTHING, 'stdio']);
  expect(added.out).toContain('`tidemark trust`');
  expect(workspaceSettings()).toEqual({ mcp: { servers: { all: { command: EVERYTHING, args: ['stdio'] } } } });
  expect(existsSync(own)).toBe(false);
  expect(await tidemark(['test', 'all'])).toMatchObject({
    exit: 3,
    err: expect.stringContaining('the folder is not trusted'),
  });
  expect((await tidemark(['list'])).out).toContain('not used: the folder is not trusted');
  expect(await tidemark(['test', 'all', '--trust'])).toMatchObject({ exit: 0 });
});

test('the servers of the user and of a trusted folder are used together, and of two with one name that of the folder', async () => {
  await tidemark(['add', 'mine', '--', 'no-such-program-here']);
  await tidemark(['add', 'both', '--', 'no-such-program-of-mine']);
  await tidemark(['add', 'theirs', '--scope', 'workspace', '--', 'no-such-program-here']);
  await tidemark(['add', 'both', '--scope', 'workspace', '--', 'no-such-program-of-theirs']);
  const { servers } = JSON.parse((await tidemark(['list', '--trust', '--json'])).out);
  expect(servers).toMatchObject([
    { name: 'both', source: 'workspace', state: 'failed', setting: { command: 'no-such-program-of-theirs' } },
    { name: 'mine', source: 'user', state: 'failed', place: expect.stringContaining('tidemark.config.json') },
    { name: 'theirs', source: 'workspace', state: 'failed', place: expect.stringContaining('.tidemark') },
    { name: 'both', source: 'user', state: 'unused', setting: { command: 'no-such-program-of-mine' } },
  ]);
  const { out } = await tidemark(['list', '--trust']);
  expect(out).toMatch(/^both\tuser\tnot used: nearer settings name a server with this name/m);
  const variables = { TIDEMARK_MCP_SERVERS: JSON.stringify({ mine: { command: 'no-such-program-of-the-variable' } }) };
  expect(JSON.parse((await tidemark(['list', 'mine', '--json'], variables)).out).servers).toMatchObject([
    { source: 'environment', place: 'TIDEMARK_MCP_SERVERS', state: 'failed' },
    { source: 'user', state: 'unused' },
  ]);
  expect((await tidemark(['test', 'both', '--trust'])).err).toContain('no-such-program-of-theirs');
  expect((await tidemark(['add', 'theirs', '--', 'x'])).out).toContain('which is used in this folder instead');
  expect((await tidemark(['add', 'other', '--', 'x'])).out).not.toContain('instead');
});

test('`test` and `list` report tools that exceed the budget as deferred', async () => {
  await tidemark(['add', 'all', '--', EVERYTHING, 'stdio']);
  const file = join(own, 'tidemark', 'tidemark.config.json');
  const { mcp } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ mcp: { ...mcp, toolBudget: 100 } }));
  const tested = await tidemark(['test', 'all']);
  expect(tested.out).toMatch(/^all is connected: \d+ tools, about [\d,]+ tokens\nthey exceed the budget of 100 tokens/);
  expect(JSON.parse((await tidemark(['test', 'all', '--json'])).out)).toMatchObject({ deferred: true });
  const { out } = await tidemark(['list']);
  expect(out).toMatch(/^all\tuser\tconnected, deferred\t/m);
  expect(out).toContain('finds these with tool_search');
});

test('a name that is taken is refused, and a TypeScript configuration is not edited', async () => {
  await tidemark(['add', 'all', 'https://all.example/mcp']);
  expect(await tidemark(['add', 'all', 'https://other.example/mcp'])).toMatchObject({
    exit: 3,
    err: expect.stringContaining('already name an MCP server all'),
  });
  expect(ownSettings()).toEqual({ mcp: { servers: { all: { url: 'https://all.example/mcp' } } } });
  const folder = join(stage.home, '..', 'typed', 'tidemark');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tidemark.config.ts'), 'export default {};\n');
  const typed = await tidemark(['add', 'all', 'https://all.example/mcp'], { XDG_CONFIG_HOME: join(folder, '..') });
  expect(typed).toMatchObject({
    exit: 3,
    err: expect.stringContaining('add this to `mcp.servers`: "all": {"url":"https://all.example/mcp"}'),
  });
});

test.each([
  [['add'], 'needs the name'],
  [['add', 'shop'], 'the address or the command of the server is missing'],
  [['add', 'a__b', 'https://shop.example/mcp'], 'expected a server name'],
  [['add', 'a__b', 'https://shop.example/mcp'], '"a__b" cannot be the name'],
  [['add', '__proto__', 'https://shop.example/mcp'], '"__proto__" cannot be the name'],
  [['add', 'constructor', 'https://shop.example/mcp'], '"constructor" cannot be the name'],
  [['add', 'prototype', 'https://shop.example/mcp'], '"prototype" cannot be the name'],
  [['add', 'shop', 'ftp://shop.example/mcp'], '"ftp://shop.example/mcp" is neither'],
  [['list', 'shop'], 'name no MCP server shop'],
  [['add', 'shop', 'https://shop.example/mcp', '--env', 'KEY'], '`--env` is for a program'],
  [['add', 'shop', '--header', 'X-Team: a', '--', 'serve'], '`--header` is for an address'],
  [['test', 'shop'], 'name no MCP server shop'],
])('`mcp %s` is refused: %s', async (args, message) => {
  const ran = await tidemark(args);
  expect(ran.exit).toBeGreaterThan(1);
  expect(ran.err).toContain(message);
  expect(existsSync(own)).toBe(false);
});

test('`prompt` and `resource` print texts of a server, and name what is missing', async () => {
  await tidemark(['add', 'all', '--', EVERYTHING, 'stdio']);
  expect(await tidemark(['prompt', 'all', 'args-prompt', 'city=Delft'])).toMatchObject({
    exit: 0,
    out: expect.stringContaining('Delft'),
    err: '',
  });
  const { resources } = JSON.parse((await tidemark(['test', 'all', '--json'])).out);
  const read = await tidemark(['resource', 'all', resources[0].uri]);
  expect(read).toMatchObject({ exit: 0, err: '' });
  expect(read.out.length).toBeGreaterThan(20);
  expect(await tidemark(['prompt', 'all', 'no-such-prompt'])).toMatchObject({
    exit: 3,
    err: expect.stringContaining('the MCP server all cannot be used'),
  });
  for (const [index, { uri }] of resources.slice(0, 2).entries()) {
    const written = await tidemark(['resource', 'all', uri, '--out', `r${index}`]);
    expect(written).toMatchObject({ exit: 0, err: '', out: expect.stringMatching(/^wrote .*r\d \([\d,]+ bytes\)/) });
    expect(readFileSync(join(stage.folder, `r${index}`)).length).toBeGreaterThan(20);
    expect(await tidemark(['resource', 'all', uri, '--out', `r${index}`])).toMatchObject({
      exit: 3,
      err: expect.stringContaining('exists already'),
    });
  }
  expect((await tidemark(['test', 'all', '--out', 'x'])).err).toContain('does not accept --out');
  expect(await tidemark(['resource', 'all'])).toMatchObject({ exit: 2, err: expect.stringContaining('is missing') });
  expect(await tidemark(['prompt', 'all', 'args-prompt', 'Delft'])).toMatchObject({ exit: 2 });
});
