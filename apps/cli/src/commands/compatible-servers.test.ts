// Tests headers, keys bound to hosts, presets and `tidemark models`, with a compatible server on loopback.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';

import { PROVIDERS } from '@tidemark/kit';
import type { Keyring } from '@tidemark/settings';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage;
beforeEach(() => {
  stage = openStage();
});
afterEach(() => stage.clear());

function tidemark(args: readonly string[], { environment = {}, ...rest }: Choices = {}): Promise<Ran> {
  const around = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, XDG_CONFIG_HOME: `${stage.home}-own` };
  return pretendRun(args, { folder: stage.folder, environment: { ...around, ...environment }, ...rest });
}

function write(path: string, settings: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(settings));
}

function own(settings: object): void {
  write(join(`${stage.home}-own`, 'tidemark', 'tidemark.config.json'), settings);
}

interface Server {
  readonly origin: string;
  readonly heard: IncomingHttpHeaders[];
}

const CHAT = { id: 'c', model: 'm', choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }] };

async function serve(answer: object = CHAT): Promise<Server> {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => server.close().closeAllConnections());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { origin: `http://127.0.0.1:${port}`, heard };
}

const LOCAL = ['--model', 'local', '--window', '32768'];
const at = ({ origin }: Server, provider = 'compatible'): readonly string[] => [
  '--provider',
  provider,
  '--base-url',
  `${origin}/v1`,
  ...LOCAL,
];

function ringOf(keys: Map<string, string>): Keyring {
  return {
    get: async (entry) => keys.get(entry),
    set: async (entry, key) => void keys.set(entry, key),
    remove: async (entry) => keys.delete(entry),
  };
}

/** Returns the text of all files in the home. */
function stored(): string {
  const files = readdirSync(stage.home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map((one) => readFileSync(join(one.parentPath, one.name), 'latin1')).join('\n');
}

describe('`--header`', () => {
  test('adds a header to each request, and may be repeated', async () => {
    const server = await serve();
    const ran = await tidemark(['hi there', ...at(server), '--header', 'X-Team: search', '--header', 'x-trace:1']);
    expect(ran).toMatchObject({ exit: 0, out: 'Hello.\n' });
    expect(server.heard[0]).toMatchObject({ 'x-team': 'search', 'x-trace': '1' });
    expect(stored()).not.toContain('x-team');
  });

  test.each([
    'Authorization: Bearer abc',
    'proxy-authorization: Basic abc',
    'x-api-key: abc',
    'api-key: abc',
    'Cookie: a=b',
    'X-Auth-Token: abc',
    'x-goog-api-key: abc',
    'cf-access-client-secret: abc',
  ])('refuses %s without its value, and names the safe way', async (header) => {
    const server = await serve();
    const ran = await tidemark(['hi there', ...at(server), '--header', header]);
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain('carries a credential');
    expect(ran.err).toContain('tidemark keys set');
    expect(ran.out + ran.err).not.toContain(header.slice(header.indexOf(':') + 2));
    expect(server.heard).toEqual([]);
  });

  test.each([
    ['Authorization Bearer quiet-word', 'a name and a value'],
    ['x note: quiet-word', 'a name and a value'],
    ['x-note: quiet-word\nx-other: a', 'cannot be sent'],
    ['x-note: quiet-word é', 'cannot be sent'],
    ['x-note: ', 'cannot be sent'],
    ['Content-Length: quiet-word', 'is set by the connection itself'],
    ['expect: quiet-word', 'is set by the connection itself'],
  ])('refuses %j without quoting its value', async (header, problem) => {
    const server = await serve();
    const ran = await tidemark(['hi there', ...at(server), '--header', header]);
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain(problem);
    expect(ran.out + ran.err).not.toContain('quiet-word');
    expect(server.heard).toEqual([]);
  });

  test('refuses a value that looks like a secret, and text that is no header', async () => {
    const server = await serve();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const ran = await tidemark(['hi there', ...at(server), '--header', `x-note: ${secret}`]);
    expect(ran).toMatchObject({ exit: 2 });
    expect(ran.err).toContain('looks like a secret');
    expect(ran.err).not.toContain(secret);
    for (const header of ['x-note', ': a', 'a b: c', 'x-note: a\nb: c'])
      expect(await tidemark(['hi there', ...at(server), '--header', header])).toMatchObject({ exit: 2 });
    expect(server.heard).toEqual([]);
  });
});

describe('`connection.headers`', () => {
  test('are sent to their own address only, with values from variables', async () => {
    const [server, other] = [await serve(), await serve()];
    const headers = { 'x-team': 'search', 'x-gateway-key': { variable: 'GATEWAY_KEY' } };
    own({ connection: { headers: { [server.origin]: headers } } });
    const environment = { GATEWAY_KEY: 'value-of-the-gateway' };
    await tidemark(['hi there', ...at(server)], { environment });
    await tidemark(['hi there', ...at(other)], { environment });
    expect(server.heard[0]).toMatchObject({ 'x-team': 'search', 'x-gateway-key': 'value-of-the-gateway' });
    expect(other.heard[0]).not.toHaveProperty('x-team');
    expect(other.heard[0]).not.toHaveProperty('x-gateway-key');
    const shown = await tidemark(['config'], { environment });
    expect(shown.out).toContain('connection.headers');
    expect(`${shown.out}${stored()}`).not.toContain('value-of-the-gateway');
  });

  test('are overridden by `--header`', async () => {
    const server = await serve();
    own({ connection: { headers: { [server.origin]: { 'X-Team': 'search' } } } });
    await tidemark(['hi there', ...at(server), '--header', 'x-team: other']);
    expect(server.heard[0]?.['x-team']).toBe('other');
  });

  test('need their variable', async () => {
    const server = await serve();
    own({ connection: { headers: { [server.origin]: { 'x-gateway-key': { variable: 'GATEWAY_KEY' } } } } });
    const ran = await tidemark(['hi there', ...at(server)]);
    expect(ran).toMatchObject({ exit: 2 });
    expect(ran.err).toContain('needs the variable GATEWAY_KEY, which is not set');
    expect(server.heard).toEqual([]);
  });

  test.each([
    [{ 'https://a.example': { 'x-api-key': 'plain-value' } }, 'put it into an environment variable'],
    [{ 'https://a.example': { Authorization: { variable: 'A' } } }, 'set from the API key'],
    [{ 'https://a.example/v1': { 'x-team': 'a' } }, 'without its path'],
    [{ 'a.example': { 'x-team': 'a' } }, 'without its path'],
    [{ 'https://a.example': { 'x team': 'a' } }, 'name of a header'],
    [{ 'https://a.example': { 'x-team': 'a\nb' } }, 'visible ASCII'],
    [{ 'https://a.example': { 'x-team': { variable: 'A B' } } }, 'name of an environment variable'],
  ])('%j is refused without its value', async (headers, words) => {
    own({ connection: { headers } });
    const ran = await tidemark(['config']);
    expect(ran.exit).not.toBe(0);
    expect(ran.err).toContain(words);
    expect(ran.err).not.toContain('plain-value');
  });

  test('of a folder have no effect, even if the folder is trusted', async () => {
    const server = await serve();
    const headers = { [server.origin]: { 'x-stolen': { variable: 'HOME_SECRET_TOKEN' } } };
    write(join(stage.folder, '.tidemark', 'config.json'), { connection: { headers } });
    const environment = { HOME_SECRET_TOKEN: 'value-of-the-user' };
    for (const trust of [[], ['--trust']])
      expect(await tidemark(['hi there', ...at(server), ...trust], { environment })).toMatchObject({ exit: 0 });
    expect(server.heard).toHaveLength(2);
    expect(JSON.stringify(server.heard)).not.toContain('value-of-the-user');
    const shown = await tidemark(['config', '--trust'], { environment });
    expect(shown.out).toContain('connection.headers');
    expect(shown.out).toContain("only the user's own settings can send headers");
  });
});

describe('the key of a compatible server', () => {
  const key = `key-of-the-host-${'k'.repeat(12)}`;

  test('is read from the keyring entry of its host, and is sent to no other host', async () => {
    const [server, other] = [await serve(), await serve()];
    const keys = new Map<string, string>();
    const keyring = ringOf(keys);
    const set = ['keys', 'set', 'compatible', '--base-url', `${server.origin}/v1`];
    expect(await tidemark(set, { keyring, piped: `${key}\n` })).toMatchObject({ exit: 0 });
    expect([...keys.keys()]).toEqual([`compatible@${server.origin}`]);
    await tidemark(['hi there', ...at(server)], { keyring });
    await tidemark(['hi there', ...at(other)], { keyring });
    expect([server, other].map(({ heard }) => heard[0]?.authorization)).toEqual([`Bearer ${key}`, 'Bearer none']);
    expect(stored()).not.toContain(key);
    const remove = ['keys', 'remove', 'compatible', '--base-url', `${server.origin}/other`];
    expect((await tidemark(remove, { keyring })).out).toContain('was removed');
    expect(keys.size).toBe(0);
  });

  test('is read from the variable of its host', async () => {
    const [server, other] = [await serve(), await serve()];
    const variable = `TIDEMARK_127_0_0_1___${new URL(server.origin).port}_API_KEY`;
    const environment = { [variable]: key };
    await tidemark([`hi there ${key}`, ...at(server)], { environment });
    await tidemark(['hi there', ...at(other)], { environment });
    expect([server, other].map(({ heard }) => heard[0]?.authorization)).toEqual([`Bearer ${key}`, 'Bearer none']);
    expect(stored()).not.toContain(key);
  });

  test('is listed by `keys list`, `config` and `doctor` if its variable is set, without its value', async () => {
    const environment = { TIDEMARK_LLM_EXAMPLE_COM_API_KEY: key, TIDEMARK_OTHER_API_KEY: ' ' };
    for (const command of [['keys', 'list'], ['config'], ['doctor']]) {
      const { out, err } = await tidemark(command, { environment });
      expect(out, command[0]).toContain('TIDEMARK_LLM_EXAMPLE_COM_API_KEY is set');
      expect(out, command[0]).not.toContain('TIDEMARK_OTHER_API_KEY');
      expect(out + err, command[0]).not.toContain(key);
    }
  });

  test("of a preset is not sent to another address, and a notice names the address's own variable", async () => {
    const server = await serve();
    const ran = await tidemark(['hi there', ...at(server, 'groq')], { environment: { GROQ_API_KEY: key } });
    expect(ran).toMatchObject({ exit: 0, out: 'Hello.\n' });
    expect(server.heard[0]?.authorization).toBe('Bearer none');
    const { port } = new URL(server.origin);
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain(
      `GROQ_API_KEY is not sent to this address, because it is not the address of Groq; if the address needs a key, set TIDEMARK_127_0_0_1___${port}_API_KEY`,
    );
  });

  test.each([
    [['keys', 'set', 'compatible'], 'add the address with `--base-url`'],
    [['keys', 'set', 'compatible', '--base-url', 'nowhere'], 'is not an address'],
    [['keys', 'set', 'anthropic', '--base-url', 'https://a.example'], 'remove `--base-url`'],
  ])('%j is refused', async (args, words) => {
    const ran = await tidemark(args, { keyring: ringOf(new Map()), piped: key });
    expect(ran).toMatchObject({ exit: 2 });
    expect(ran.err).toContain(words);
  });
});

test('`ANTHROPIC_AUTH_TOKEN` is sent as a bearer token if there is no key, and appears in no output', async () => {
  const server = await serve({ id: 'm', content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'end_turn', usage: {} });
  const token = `token-of-the-test-${'t'.repeat(12)}`;
  const ran = await tidemark([`hi there ${token}`, '--base-url', server.origin, '--json'], {
    environment: { ANTHROPIC_AUTH_TOKEN: token },
  });
  expect(server.heard[0]?.authorization).toBe(`Bearer ${token}`);
  expect(server.heard[0]).not.toHaveProperty('x-api-key');
  const { out } = await tidemark(['keys', 'list'], { environment: { ANTHROPIC_AUTH_TOKEN: token } });
  expect(out).toContain('anthropic: ANTHROPIC_AUTH_TOKEN is set');
  expect(`${ran.out}${ran.err}${out}${stored()}`).not.toContain(token);
});

describe('a preset', () => {
  test('is selected by its name in the settings too, and its model needs a window', async () => {
    const server = await serve();
    own({ provider: 'lmstudio', model: 'local', baseUrl: { lmstudio: `${server.origin}/v1` } });
    const without = await tidemark(['hi there']);
    expect(without).toMatchObject({ exit: 2 });
    expect(without.err).toContain('--window 32768');
    expect(await tidemark(['hi there', '--window', '32768'])).toMatchObject({ exit: 0, out: 'Hello.\n' });
  });

  test('without its key is refused before anything is sent', async () => {
    const ran = await tidemark(['hi there', '--provider', 'mistral', ...LOCAL]);
    expect(ran.err).toContain('there is no key for Mistral: MISTRAL_API_KEY is not set');
    expect(ran.err).toContain('tidemark keys set mistral');
  });
});

describe('`tidemark models`', () => {
  test('lists each provider with its address, the variable of its key, and that a preset is untested', async () => {
    const { out, exit } = await tidemark(['models', '--json']);
    expect(exit).toBe(0);
    const { providers } = JSON.parse(out);
    expect(providers.map(({ provider }: { readonly provider: string }) => provider)).toEqual(Object.keys(PROVIDERS));
    expect(providers).toContainEqual({
      provider: 'deepseek',
      title: 'DeepSeek',
      models: 2,
      address: 'https://api.deepseek.com',
      variable: 'DEEPSEEK_API_KEY',
      key: false,
      documentation: 'https://api-docs.deepseek.com/guides/thinking_mode',
      untested: 'untested: no real call was made',
    });
    const text = (await tidemark(['models'])).out;
    for (const name of Object.keys(PROVIDERS)) expect(text).toContain(name);
    expect(text).toContain('untested');
  });

  test('lists the models of one provider', async () => {
    expect((await tidemark(['models', 'deepseek'])).out).toContain('deepseek-v4-pro');
    expect((await tidemark(['models', 'ollama'])).out).toContain('The catalog knows no models of Ollama');
    expect(JSON.parse((await tidemark(['models', 'anthropic', '--json'])).out).models.length).toBeGreaterThan(3);
    expect(await tidemark(['models', 'nobody'])).toMatchObject({ exit: 2 });
  });
});
