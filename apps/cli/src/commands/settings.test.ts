// Tests `tidemark config`, `trust` and `keys`, and how a turn applies the settings.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';

import type { ListeningSimulator, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { Keyring } from '@tidemark/settings';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;
let door: ListeningSimulator;
let sent: ReceivedRequest[];

beforeEach(async () => {
  stage = openStage();
  sent = [];
  const simulator = createSimulator({
    onRequest: (request) => {
      sent.push(request);
      return undefined;
    },
  });
  door = await simulator.listen();
});

afterEach(async () => {
  await door.close();
  stage.clear();
});

const KEY = 'key-from-the-ring-0123456789';

function ringOf(keys: Map<string, string>): Keyring {
  return {
    get: async (provider) => keys.get(provider),
    set: async (provider, key) => void keys.set(provider, key),
    remove: async (provider) => keys.delete(provider),
  };
}

function tidemark(args: readonly string[], { environment = {}, ...rest }: Choices = {}): Promise<Ran> {
  const around = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, XDG_CONFIG_HOME: `${stage.home}-own` };
  return pretendRun(args, { folder: stage.folder, environment: { ...around, ...environment }, ...rest });
}

function own(settings: object): void {
  write(join(`${stage.home}-own`, 'tidemark', 'tidemark.config.json'), settings);
}

function write(path: string, settings: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(settings));
}

/**
 * Starts a server that records the headers of each request and answers with this status. The server's error message
 * quotes the headers, including the API key.
 */
async function answering(
  status: number,
  location?: string,
): Promise<{ readonly url: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const headers = JSON.stringify(request.headers);
    heard.push(headers);
    const error = { type: 'authentication_error', message: `bad key: ${headers}` };
    response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
    response.end(JSON.stringify({ type: 'error', error }));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => server.close().closeAllConnections());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}`, heard };
}

/**
 * Source of a minimal MCP server that exchanges one JSON line per message. The server says that its two tools only
 * read.
 */
const SHOP = `
const annotations = { readOnlyHint: true };
const tools = ['look', 'buy'].map((name) => ({ name, annotations, inputSchema: { type: 'object' } }));
const results = {
  initialize: ({ protocolVersion }) =>
    ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '0' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: name + ' was called' }] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) }));
});`;

function recorded(ran: Ran, kind: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = ran.out.trimEnd().split('\n');
  const events = lines.map(
    (line): { readonly record?: { readonly kind: string; readonly data: Readonly<Record<string, unknown>> } } =>
      JSON.parse(line),
  );
  return events.flatMap(({ record }) => (record?.kind === kind ? [record.data] : []));
}

function sessionOf(ran: Ran): string {
  return JSON.parse(ran.out.split('\n', 1)[0] ?? '').session;
}

describe('a setting', () => {
  test('determines the model, address, cache lifetime, mode and limits of a new session', async () => {
    own({
      model: 'claude-haiku-4-5',
      baseUrl: { anthropic: door.url },
      cache: { ttl: '1h' },
      mode: 'auto',
      limits: { maxSteps: 1 },
    });
    const ran = await tidemark(['hello there', '--json'], { environment: { ANTHROPIC_API_KEY: KEY } });
    expect(ran).toMatchObject({ exit: 0, err: '' });
    expect(JSON.parse(ran.out.split('\n', 1)[0] ?? '')).toMatchObject({ mode: 'auto' });
    expect(sent.map(({ model }) => model)).toEqual(['claude-haiku-4-5-20251001']);
    expect(JSON.stringify(sent[0]?.body)).toContain('"ttl":"1h"');
  });

  test('is overridden by the command line, and a session keeps its own values', async () => {
    own({ model: 'claude-haiku-4-5', provider: 'simulator', mode: 'auto', compaction: { when: 'manual' } });
    const first = await tidemark(['hello there', '--json', '--model', 'claude-sonnet-4-5', '--read-only']);
    expect(recorded(first, 'epoch.opened')).toMatchObject([{ model: expect.stringContaining('sonnet') }]);
    const next = await tidemark(['and now', '--json', '--session', sessionOf(first)]);
    expect(recorded(next, 'epoch.opened')).toEqual([]);
    expect(JSON.parse(next.out.split('\n', 1)[0] ?? '')).toMatchObject({ mode: 'read-only' });
  });

  test("for one provider is not used for another, so no key goes to another provider's address", async () => {
    const others: string[] = [];
    const other = await createSimulator({ onRequest: ({ model }) => void others.push(model) }).listen();
    own({ baseUrl: { openai: `${other.url}/v1`, anthropic: door.url } });
    const environment = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: 'another-key-0123456789' };
    for (const model of ['gpt-4o', 'claude-haiku-4-5'])
      await tidemark(['hello there', '--model', model], { environment });
    await other.close();
    expect(others).toEqual(['gpt-4o']);
    expect(sent.map(({ model }) => model)).toEqual(['claude-haiku-4-5-20251001']);
  });

  test('`mode: ask` applies only at a terminal, and elsewhere a new session is read-only', async () => {
    own({ provider: 'simulator', mode: 'ask' });
    const ran = await tidemark(['hello there', '--json']);
    expect(JSON.parse(ran.out.split('\n', 1)[0] ?? '')).toMatchObject({ mode: 'read-only' });
  });

  test('with an unknown name is refused with its place before anything is sent, and `doctor` reports it too', async () => {
    own({ modle: 'a' });
    const said = 'tidemark.config.json:1: there is no setting "modle", did you mean model?';
    expect(await tidemark(['hello there'])).toMatchObject({ exit: 3, err: expect.stringContaining(said) });
    expect(await tidemark(['doctor'])).toMatchObject({ exit: 1, out: expect.stringContaining(said) });
    expect(existsSync(join(stage.home, 'sessions'))).toBe(false);
  });

  test('with an invalid server name is refused with its place', async () => {
    const called = async (name: string): Promise<Ran> => {
      own({ provider: 'simulator', mcp: { servers: { [name]: { command: process.execPath, args: ['-e', ''] } } } });
      return tidemark(['hello there']);
    };
    for (const name of ['a.b', 'a__b', '_a', 'a'.repeat(33)])
      expect(await called(name)).toMatchObject({
        exit: 3,
        err: expect.stringContaining('tidemark.config.json:1: mcp.servers: expected a server name of 1 to 32 letters'),
      });
    expect(await called('a_b-2')).toMatchObject({ exit: 0 });
  });

  test('`agentsFile: attach` puts AGENTS.md into a note, not into the front, and only the user can set it', async () => {
    writeFileSync(join(stage.folder, 'AGENTS.md'), 'Use tabs, not spaces.\n');
    const environment = { ANTHROPIC_API_KEY: KEY };
    for (const agentsFile of ['discover', 'attach']) {
      own({ model: 'claude-haiku-4-5', baseUrl: { anthropic: door.url }, agentsFile });
      await tidemark(['hello there'], { environment });
    }
    expect(sent.map(({ body }) => JSON.stringify(body['messages']).includes('Use tabs'))).toEqual([false, true]);
    expect(sent.map(({ system }) => system).join()).not.toContain('Use tabs');
    write(join(stage.folder, '.tidemark', 'config.json'), { agentsFile: 'attach' });
    own({ model: 'claude-haiku-4-5', baseUrl: { anthropic: door.url } });
    await tidemark(['hello there'], { environment });
    expect(JSON.stringify(sent[2]?.body)).not.toContain('Use tabs');
  });

  test('`effect` lets a tool of an MCP server run in read-only mode as `read`, and its other tools count as `execute`', async () => {
    const shop = { command: process.execPath, args: ['-e', SHOP], effect: { look: 'read' } };
    own({ provider: 'simulator', mcp: { servers: { shop } } });
    const both = ['shop__look', 'shop__buy'].map((name) => ({ answer: calls(name, {}) }));
    const scenario = stage.scenario(...both, { answer: { text: 'Done.' } });
    const ran = await tidemark(['hello there', '--scenario', scenario, '--json']);
    expect(ran.exit).toBe(0);
    expect(recorded(ran, 'tool.returned').map(({ parts }) => parts)).toEqual([
      [{ type: 'text', text: 'look was called' }],
    ]);
    expect(recorded(ran, 'permission.decided').map(({ rule }) => rule)).toEqual([
      'read-only/read',
      'read-only/execute',
    ]);
  });

  test('`display` controls the colours and the help width of every command', async () => {
    const linesAt = async (columns: number): Promise<number> => {
      own({ display: { columns } });
      return (await tidemark(['run', '--help'])).out.split('\n').length;
    };
    expect(await linesAt(80)).toBeGreaterThan(await linesAt(200));
    own({ display: { colour: 'always' } });
    expect((await tidemark(['doctor'])).out).toContain('\u001b[32m');
    own({ display: { colour: 'never' } });
    expect((await tidemark(['doctor'], { colour: true })).out).not.toContain('\u001b');
  });

  test("is printed by `config` with its source, and --config replaces the user's file", async () => {
    own({ cache: { ttl: '5m' } });
    const named = join(stage.folder, 'named.json');
    write(named, { cache: { padding: 'never' } });
    const environment = { TIDEMARK_LIMITS_MAX_COST: '0.5', OPENAI_API_KEY: KEY };
    const ran = await tidemark(['config', '--config', 'named.json'], { environment });
    expect(ran.out).toContain(`padding\tnever\tuser: ${named}:1\n`);
    expect(ran.out).toContain('limits.maxCost\t0.5\tenvironment: TIDEMARK_LIMITS_MAX_COST\n');
    expect(ran.out).toContain('ttl\tauto\tdefault\n');
    expect(ran.out).toContain('key of openai: OPENAI_API_KEY is set\n');
    expect(`${ran.out}${ran.err}`).not.toContain(KEY);
  });

  test('with a key in the wrong place is printed by `config` without the key', async () => {
    const token = ['ghp', '0123456789abcdefghijABCDEFGHIJ012345'].join('_');
    const args = ['serve', '--token', 'a-word-of-mine', `--as=${KEY}`, token];
    const servers = { shop: { command: 'npx', args }, mail: { url: `https://example.org/mcp?key=${KEY}` } };
    own({ mcp: { servers } });
    write(join(stage.folder, '.tidemark', 'config.json'), { mcp: { servers } });
    const environment = { OPENAI_API_KEY: KEY };
    const line = [['config'], ['config', '--json'], ['config', '--trust']];
    const ran = await Promise.all(line.map((words) => tidemark(words, { environment })));
    const told = ran.map(({ out, err }) => `${out}${err}`).join('\n');
    expect(told).toContain('"serve","--token","[not shown]"');
    for (const secret of [KEY, token, 'a-word-of-mine']) expect(told).not.toContain(secret);
  });
});

describe('trust', () => {
  test('can be given, listed and revoked, and the question shows what the folder sets', async () => {
    write(join(stage.folder, '.tidemark', 'config.json'), { mode: 'auto' });
    expect(await tidemark(['trust'])).toMatchObject({ exit: 2, err: expect.stringContaining('--yes') });
    const asked: string[] = [];
    const person = (question: string): string => {
      asked.push(question);
      return 'y';
    };
    const given = await tidemark(['trust'], { person });
    expect(given.out).toContain(': trusted\n');
    expect(asked).toEqual([
      [
        'This folder contains files that control an agent:',
        '  sets mode to "auto"',
        'Use all of this from now on? Answer y only if you trust its author. (y/n) ',
      ].join('\n'),
    ]);
    expect((await tidemark(['config'])).out).toContain('mode\tauto\tworkspace: ');
    expect((await tidemark(['trust', '--list'])).out).toContain('trusted\t');
    expect((await tidemark(['trust', '--revoke', '--list'])).exit).toBe(2);
    expect(await tidemark(['trust', 'nowhere'])).toMatchObject({
      exit: 3,
      err: expect.stringContaining('does not exist'),
    });
    expect((await tidemark(['trust', '--revoke'])).out).toContain('decision removed');
    expect((await tidemark(['config'])).out).toContain('mode\task at a terminal, otherwise read-only\tdefault');
    expect((await tidemark(['config'])).out).toContain('not in effect: mode (');
    expect((await tidemark(['config', '--trust'])).out).toContain('mode\tauto\tworkspace: ');
  });

  test('is not asked for if the folder has no settings, skills or memory', async () => {
    own({ provider: 'simulator' });
    const person = (): string => {
      throw new Error('somebody was asked');
    };
    expect(await tidemark(['hello there'], { person })).toMatchObject({ exit: 0 });
  });
});

describe('an API key', () => {
  test('from the keyring is used for the provider, and appears in no output, log or error', async () => {
    own({ baseUrl: { anthropic: door.url } });
    const keyring = ringOf(new Map());
    expect((await tidemark(['keys', 'set', 'anthropic'], { keyring, piped: `${KEY}\n` })).out).not.toContain(KEY);
    const ran = await tidemark([`my key is ${KEY}`, '--json'], { keyring });
    expect(ran.exit).toBe(0);
    expect(sent).toHaveLength(1);
    const shown = await Promise.all(
      [['keys', 'list'], ['doctor'], ['config'], ['config', '--json']].map((args) => tidemark(args, { keyring })),
    );
    const told = [ran, ...shown].map(({ out, err }) => `${out}${err}`).join('\n');
    expect(told).not.toContain(KEY);
    expect(told).toContain('anthropic: ANTHROPIC_API_KEY is not set, a key is in the keyring');
    for (const name of readdirSync(stage.home, { recursive: true, withFileTypes: true }))
      if (name.isFile()) expect(readFileSync(join(name.parentPath, name.name), 'latin1')).not.toContain(KEY);
    expect((await tidemark(['keys', 'remove', 'anthropic'], { keyring })).out).toContain('removed from the keyring');
    expect(await tidemark(['hello there'], { keyring })).toMatchObject({ exit: 3 });
  });

  test.each([
    ['Anthropic', 'claude-haiku-4-5', 'ANTHROPIC_API_KEY', ''],
    ['OpenAI', 'gpt-6.1-sol', 'OPENAI_API_KEY', '/v1'],
  ])(
    'is masked in an error of %s that quotes it, and is not sent to the target of a redirect',
    async (name, model, variable, path) => {
      const [quoting, other] = [await answering(401), await answering(401)];
      const away = await answering(307, other.url.replace('127.0.0.1', 'localhost'));
      const words = [`${name} refused the request (401`, `the address of ${name} redirects to http://localhost:`];
      for (const [index, { url }] of [quoting, away].entries()) {
        own({ baseUrl: { [name.toLowerCase()]: `${url}${path}` } });
        const ran = await tidemark(['hello there', '--model', model], { environment: { [variable]: KEY } });
        expect(ran).toMatchObject({ exit: 5, err: expect.stringContaining(words[index] ?? '') });
        expect(`${ran.out}${ran.err}`).not.toContain(KEY);
        // The line `next:` is the only next step.
        expect(ran.err.match(/next: /gi)).toHaveLength(1);
      }
      expect([quoting, away].map(({ heard }) => heard.join().includes(KEY))).toEqual([true, true]);
      expect(other.heard).toEqual([]);
      for (const each of readdirSync(stage.home, { recursive: true, withFileTypes: true }))
        if (each.isFile()) expect(readFileSync(join(each.parentPath, each.name), 'latin1')).not.toContain(KEY);
    },
  );

  test('is refused by `keys set` if it is missing or malformed, or if the provider is missing or unknown', async () => {
    const keyring = ringOf(new Map());
    expect(await tidemark(['keys', 'set', 'anthropic'], { keyring })).toMatchObject({ exit: 2 });
    const spaced = await tidemark(['keys', 'set', 'anthropic'], { keyring, piped: 'secret words here' });
    expect(spaced.exit).toBe(2);
    expect(spaced.err).not.toContain('secret words');
    expect(await tidemark(['keys', 'set'], { keyring, piped: KEY })).toMatchObject({ exit: 2 });
    expect(await tidemark(['keys', 'set', 'antropic'], { keyring, piped: KEY })).toMatchObject({ exit: 2 });
  });

  test('cannot be stored without a system keyring, and `doctor` reports this without failing', async () => {
    const ran = await tidemark(['keys', 'set', 'anthropic'], { piped: KEY });
    expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining('the system keyring cannot be used') });
    expect(ran.err).not.toContain(KEY);
    expect(await tidemark(['doctor'])).toMatchObject({ exit: 0, out: expect.stringContaining('keyring: ') });
  });
});
