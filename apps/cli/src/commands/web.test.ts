// Tests the tools for the web in the command: which sessions have them, the settings, and the key of the search.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';

import type { ScenarioStep } from '@tidemark/simulator';
import type { Keyring } from '@tidemark/settings';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

const KEY = 'key-of-the-search-0123456789';

let stage: Stage;
let server: Server;
let host: string;
let heard: IncomingHttpHeaders[];

beforeAll(async () => {
  server = createServer(({ url = '', headers }, response) => {
    heard.push(headers);
    const found = { web: { results: [{ title: 'Found', url: 'https://example.com/', description: `for ${KEY}` }] } };
    if (url.startsWith('/v1/web/search')) response.end(JSON.stringify(found));
    else response.setHeader('content-type', 'text/plain').end('the page of a server');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});

afterAll(
  () =>
    new Promise((resolve) => {
      server.close(resolve).closeAllConnections();
    }),
);

beforeEach(() => {
  stage = openStage();
  heard = [];
});

afterEach(() => stage.clear());

function tidemark(args: readonly string[], { environment = {}, ...rest }: Choices = {}): Promise<Ran> {
  const around = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, XDG_CONFIG_HOME: `${stage.home}-own` };
  return pretendRun(args, { folder: stage.folder, environment: { ...around, ...environment }, ...rest });
}

/** Sends a prompt to the simulator, which answers with these steps. */
function ask(steps: readonly ScenarioStep[], choices: Choices = {}, ...flags: readonly string[]): Promise<Ran> {
  const scenario = stage.scenario(...steps);
  return tidemark(['go on', '--provider', 'simulator', '--scenario', scenario, '--mode', 'auto', ...flags], choices);
}

const DONE: ScenarioStep = { answer: { text: 'done' } };
const fetching = (): ScenarioStep => ({ answer: calls('fetch', { url: `http://${host}/a` }) });
const searching: ScenarioStep = { answer: calls('web_search', { query: 'tide' }) };
const allowing = (tool: string): object => ({
  permissions: { rules: [{ decision: 'allow', tool, hosts: ['127.0.0.1'] }] },
});

function own(settings: object): void {
  write(join(`${stage.home}-own`, 'tidemark', 'tidemark.config.json'), settings);
}

function write(path: string, settings: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(settings));
}

/** Returns all stored text of the home. */
function stored(): string {
  return readdirSync(stage.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

const count = (text: string): number => stored().split(text).length - 1;

function ringOf(keys: Map<string, string>): Keyring {
  return {
    get: async (name) => keys.get(name),
    set: async (name, key) => void keys.set(name, key),
    remove: async (name) => keys.delete(name),
  };
}

describe('`fetch`', () => {
  test('is a tool of each new session, unless `web.fetch` is false', async () => {
    await ask([DONE]);
    expect(count('"name":"fetch"')).toBeGreaterThan(0);
    stage.clear();
    stage = openStage();
    own({ web: { fetch: false } });
    await ask([DONE]);
    expect(count('"name":"fetch"')).toBe(0);
  });

  test('joins an existing session without an epoch', async () => {
    own({ web: { fetch: false } });
    await ask([DONE], {}, '--model', 'claude-sonnet-4-5');
    own({});
    await ask([DONE], {}, '--continue');
    expect([count('"kind":"epoch.opened"'), count('"kind":"tools.changed"')]).toEqual([1, 1]);
  });

  test('reads a page on loopback only if the user allows the host', async () => {
    own(allowing('fetch'));
    const refused = await ask([fetching(), { ...DONE, expect: { toolResult: 'not on the public internet' } }]);
    expect([refused.exit, heard.length]).toEqual([0, 0]);
    own({ ...allowing('fetch'), web: { allowPrivate: [host] } });
    const read = await ask([fetching(), { ...DONE, expect: { toolResult: 'the page of a server' } }]);
    expect([read.exit, heard.length]).toEqual([0, 1]);
  });

  test('does not read a page on loopback that only a trusted folder allows', async () => {
    own(allowing('fetch'));
    write(join(stage.folder, '.tidemark', 'config.json'), { web: { allowPrivate: [host] } });
    const ran = await ask(
      [fetching(), { ...DONE, expect: { toolResult: 'not on the public internet' } }],
      {},
      '--trust',
    );
    expect([ran.exit, heard.length]).toEqual([0, 0]);
    const { out } = await tidemark(['config', '--trust']);
    expect(out).toContain('not in effect: web.allowPrivate');
    expect(out).toContain("only the user's own settings can allow private addresses");
  });
});

describe('`web_search`', () => {
  const searched = (): object => ({
    ...allowing('web_search'),
    web: { search: 'brave', searchUrl: `http://${host}/v1` },
  });

  test('is a tool only if a service is set', async () => {
    await ask([DONE]);
    expect(count('"name":"web_search"')).toBe(0);
  });

  test('uses the key of the keyring, which appears in no output and no file', async () => {
    own(searched());
    const keyring = ringOf(new Map());
    const set = await tidemark(['keys', 'set', 'brave'], { keyring, piped: `${KEY}\n` });
    expect(set.out).toContain('the key of brave is now in the keyring');
    const ran = await ask([searching, { ...DONE, expect: { toolResult: '1. Found' } }], { keyring });
    expect(ran.exit).toBe(0);
    expect(heard.map((headers) => headers['x-subscription-token'])).toEqual([KEY]);
    const listed = await tidemark(['keys', 'list'], { keyring });
    expect(listed.out).toContain('brave: BRAVE_API_KEY is not set, a key is in the keyring');
    expect([ran, set, listed].map(({ out, err }) => out + err).join() + stored()).not.toContain(KEY);
    await tidemark(['keys', 'remove', 'brave'], { keyring });
    expect(await keyring.get('brave')).toBeUndefined();
  });

  test('uses the key of the variable first', async () => {
    own(searched());
    const keyring = ringOf(new Map([['brave', 'another-key-0123']]));
    await ask([searching, DONE], { keyring, environment: { BRAVE_API_KEY: KEY } });
    expect(heard.map((headers) => headers['x-subscription-token'])).toEqual([KEY]);
    expect(stored()).not.toContain(KEY);
  });

  test('without a key stays a tool, and the user and the model are told', async () => {
    own(searched());
    const ran = await ask([searching, { ...DONE, expect: { toolResult: 'There is no key for Brave Search' } }]);
    expect(ran).toMatchObject({
      exit: 0,
      err: expect.stringContaining('the web search has no key: set BRAVE_API_KEY'),
    });
    expect(heard).toEqual([]);
  });

  test('never sends the key to an address that a folder sets', async () => {
    own({ ...allowing('web_search'), web: { search: 'brave' } });
    write(join(stage.folder, '.tidemark', 'config.json'), { web: { searchUrl: `http://${host}/v1` } });
    const { out } = await tidemark(['config', '--trust']);
    expect(out).toContain('not in effect: web.searchUrl');
    expect(out).toMatch(/^web\.searchUrl\s+the public address of the service/m);
  });
});

test('a key of the search is not bound to an address', async () => {
  const ran = await tidemark(['keys', 'set', 'brave', '--base-url', 'https://a.example'], { piped: KEY });
  expect(ran).toMatchObject({ exit: 2, err: expect.stringContaining('a key of brave is not bound to an address') });
});

test.each([
  [{ allowPrivate: ['http://a.example'] }, 'expected a host, such as wiki.corp.example'],
  [{ search: 'google' }, 'web.search'],
  [{ searchUrl: 'nowhere' }, 'expected an address'],
  [{ fetch: 'yes' }, 'web.fetch'],
])('the settings %j are refused', async (web, words) => {
  own({ web });
  expect(await tidemark(['config'])).toMatchObject({ exit: 3, err: expect.stringContaining(words) });
});
