// Tests the login at a server that requires one. The authorization server is the one of the official SDK.

import { get } from 'node:http';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import type { GuardedServer } from '../contract/guarded-server.ts';
import { startGuardedServer } from '../contract/guarded-server.ts';
import { startMadeServer } from '../contract/made-server.ts';
import type { McpAuthorizations } from './authorizations.ts';
import { createAuthorizations } from './authorizations.ts';
import { connect } from './connect.ts';
import { inspectServer } from './inspect-server.ts';
import { logIn } from './load-login.ts';

let server: GuardedServer;
let authorizations: McpAuthorizations;

beforeEach(async () => {
  server = await startGuardedServer();
  authorizations = createAuthorizations();
  onTestFinished(() => server.stop());
});

const signal = new AbortController().signal;

/** Visits a page as a browser does: follows redirects. */
function visit(page: URL): void {
  get(page, (answer) => {
    answer.resume();
    const { location } = answer.headers;
    if (location !== undefined) visit(new URL(location, page));
  });
}

function login(open: (page: URL) => void = visit): Promise<string> {
  return logIn({ name: 'shop', server: { url: server.url }, authorizations, open, signal });
}

async function toolNames(): Promise<readonly string[]> {
  const { tools } = await inspectServer('shop', { url: server.url }, { signal, authorizations });
  return tools.map(({ definition }) => definition.name);
}

test('without a login, the error says that one is required', async () => {
  await expect(toolNames()).rejects.toMatchObject({
    code: 'mcp/unreachable',
    message: 'the MCP server shop cannot be used: it requires a login (HTTP status 401)',
  });
});

test('a login registers a client, uses PKCE, and its tokens give access', async () => {
  let page: URL | undefined;
  const open = (asked: URL): void => {
    page = asked;
    visit(asked);
  };
  expect(await login(open)).toBe('logged-in');
  expect(server.events).toEqual(['registered', 'authorized', 'exchanged']);
  expect(page?.searchParams.get('code_challenge_method')).toBe('S256');
  expect(page?.searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(await toolNames()).toEqual(['shop__look']);
});

test('a token that has ended is refreshed once, and the new one is stored', async () => {
  await login();
  const before = await authorizations.load(server.url);
  server.expireTokens();
  expect(await toolNames()).toEqual(['shop__look']);
  expect(server.events.slice(3)).toEqual(['refreshed']);
  expect(await authorizations.load(server.url)).not.toBe(before);
  expect(await toolNames()).toEqual(['shop__look']);
  expect(server.events.slice(3)).toEqual(['refreshed']);
});

test('a session whose login has ended asks for a new login, and does not register or open a page', async () => {
  await login();
  server.expireTokens();
  server.endLogins();
  await expect(toolNames()).rejects.toThrow('its login has ended: log in again with `tidemark mcp login shop`');
  expect(server.events).toEqual(['registered', 'authorized', 'exchanged']);
  expect(await login()).toBe('logged-in');
  expect(await toolNames()).toEqual(['shop__look']);
});

test('a session reads tokens again that another process has refreshed', async () => {
  await login();
  const place = { name: 'shop', settings: { url: server.url }, authorizations };
  const connection = await connect(place, { gone: () => undefined, listChanged: () => undefined }, signal);
  onTestFinished(() => connection.close());
  server.expireTokens();
  await toolNames();
  server.expireTokens();
  expect((await connection.list()).tools.map(({ name }) => name)).toEqual(['look']);
  expect(server.events.slice(3)).toEqual(['refreshed', 'refreshed']);
});

test('a refresh that another process has made first is used', async () => {
  await login();
  const stale = await authorizations.load(server.url);
  server.expireTokens();
  await toolNames();
  const fresh = await authorizations.load(server.url);
  server.expireTokens();
  const answers = [stale, stale, fresh];
  const racing: McpAuthorizations = { ...authorizations, load: async () => answers.shift() ?? fresh };
  const { tools } = await inspectServer('shop', { url: server.url }, { signal, authorizations: racing });
  expect(tools).toHaveLength(1);
});

test('a login that the user refuses stores nothing', async () => {
  server.refuses = true;
  await expect(login()).rejects.toMatchObject({
    code: 'mcp/login-failed',
    message: 'the login at the MCP server shop failed: it was refused: access_denied',
  });
  expect(await authorizations.load(server.url)).toBeUndefined();
});

test('an answer with another state is refused, and the login still waits for the right one', async () => {
  const statuses: (number | undefined)[] = [];
  const open = (page: URL): void => {
    const forged = new URL(page.searchParams.get('redirect_uri') ?? '');
    forged.search = '?code=stolen&state=guessed';
    get(forged, (answer) => {
      statuses.push(answer.statusCode);
      answer.resume();
      visit(page);
    });
  };
  expect(await login(open)).toBe('logged-in');
  expect(statuses).toEqual([400]);
});

const NAMES_ISSUER = 'authorization_response_iss_parameter_supported';

test('an answer that names the issuer of the login is accepted', async () => {
  server.metadata.set(NAMES_ISSUER, true);
  server.answer.set('iss', new URL('/', server.url).href);
  expect(await login()).toBe('logged-in');
});

test.each([
  ['that names another issuer', 'https://evil.example', 'the answer names the issuer https://evil.example, not http'],
  ['without the announced issuer', undefined, 'the answer does not name the issuer http'],
])('an answer %s gets the status 400 and ends the login', async (_title, iss, problem) => {
  if (iss === undefined) server.metadata.set(NAMES_ISSUER, true);
  const status = Promise.withResolvers<number | undefined>();
  const open = (page: URL): void => {
    const forged = new URL(page.searchParams.get('redirect_uri') ?? '');
    forged.searchParams.set('state', page.searchParams.get('state') ?? '');
    forged.searchParams.set('code', 'of another server');
    if (iss !== undefined) forged.searchParams.set('iss', iss);
    get(forged, (answer) => status.resolve(answer.resume().statusCode));
  };
  const failed = await login(open).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'mcp/login-failed', message: expect.stringContaining(problem) });
  expect(await status.promise).toBe(400);
  expect(server.events).not.toContain('exchanged');
});

test('metadata that names another issuer is refused before the page opens', async () => {
  server.metadata.set('issuer', 'https://evil.example');
  const open = vi.fn(() => {
    throw new Error('the page opened');
  });
  await expect(login(open)).rejects.toMatchObject({
    code: 'mcp/login-failed',
    message: expect.stringContaining('names another issuer, https://evil.example'),
  });
  expect(open).not.toHaveBeenCalled();
  expect(server.events).toEqual([]);
});

test('an authorization endpoint that is no web page is refused in plain words', async () => {
  server.metadata.set('authorization_endpoint', 'javascript:alert(1)');
  const open = vi.fn();
  const failed = await login(open).catch((error: unknown) => error);
  expect(failed).toMatchObject({
    code: 'mcp/login-failed',
    message: expect.stringMatching(/failed: it sent values that are not valid: authorization_endpoint: [^[{]*$/),
  });
  expect(open).not.toHaveBeenCalled();
});

test('an interrupt ends the wait for the user', async () => {
  const over = new AbortController();
  const request = { name: 'shop', server: { url: server.url }, authorizations, signal: over.signal };
  const waiting = logIn({ ...request, open: () => over.abort() });
  await expect(waiting).rejects.toThrow('it was interrupted');
});

test('a server that needs no login is reported', async () => {
  const open = await startMadeServer({ tools: [{ name: 'look' }] });
  onTestFinished(() => open.stop());
  const ask = vi.fn();
  expect(await logIn({ name: 'open', server: { url: open.url }, authorizations, open: ask, signal })).toBe(
    'not-needed',
  );
  expect(ask).not.toHaveBeenCalled();
});

test('a login is bound to the address of its server', async () => {
  await login();
  const other = await startGuardedServer();
  onTestFinished(() => other.stop());
  await expect(inspectServer('shop', { url: other.url }, { signal, authorizations })).rejects.toThrow(
    'requires a login',
  );
});
