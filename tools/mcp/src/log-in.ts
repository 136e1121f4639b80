// Logs a user in at an MCP server by OAuth, with the SDK: discovery, registration, PKCE, and the answer at a loopback
// address of this process.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';

import type { McpAuthorizations } from './authorizations.ts';
import type { LoginIssuer } from './login-client.ts';
import { newLogin } from './login-client.ts';
import type { McpHttpServer } from './mcp-server.ts';
import { McpError } from './mcp-server.ts';
import { messageOf } from './server-link.ts';

/** Login at one server. */
export interface LoginRequest {
  readonly name: string;
  readonly server: McpHttpServer;
  readonly authorizations: McpAuthorizations;
  /** Shows the user the page on which to log in. */
  open(page: URL): void;
  /** Ends the wait for the user. */
  readonly signal: AbortSignal;
}

/**
 * Logs the user in and stores the tokens. Returns `not-needed` if the server accepts a connection without a login.
 *
 * @throws McpError `mcp/login-failed` if the server offers no login, if the user refuses, or if the signal aborts.
 */
export async function logIn(request: LoginRequest): Promise<'logged-in' | 'not-needed'> {
  const { name, server, authorizations, open, signal } = request;
  const answer = await listenForAnswer(signal);
  try {
    const dialog = { redirectUrl: answer.redirectUrl, state: answer.state, expect: answer.expect, open };
    const authProvider = newLogin({ name, url: server.url, authorizations, dialog });
    const requestInit = { headers: { ...server.headers } };
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { authProvider, requestInit });
    if (!(await needsLogin(transport, signal))) return 'not-needed';
    await transport.finishAuth(await answer.code);
    return 'logged-in';
  } catch (cause) {
    const why = signal.aborted ? 'it was interrupted' : messageOf(cause);
    const message = `the login at the MCP server ${name} failed: ${why}`;
    throw new McpError('mcp/login-failed', message, { name }, cause);
  } finally {
    await answer.close();
  }
}

/** Connects once. Returns true if the server asked for a login and the user was asked to open its page. */
async function needsLogin(transport: StreamableHTTPClientTransport, signal: AbortSignal): Promise<boolean> {
  const client = new Client({ name: 'tidemark', version: '0.0.0' });
  try {
    await client.connect(transport, { signal });
    return false;
  } catch (error) {
    if (error instanceof UnauthorizedError) return true;
    throw error;
  } finally {
    await client.close().catch(() => undefined);
  }
}

interface AwaitedAnswer {
  readonly redirectUrl: string;
  readonly state: string;
  readonly code: Promise<string>;
  /** Sets the authorization server that the answer must come from. */
  expect(this: void, issuer: LoginIssuer): void;
  close(): Promise<void>;
}

/** Listens on a free port of the loopback interface for the one request that the browser sends after the login. */
async function listenForAnswer(signal: AbortSignal): Promise<AwaitedAnswer> {
  const state = randomBytes(32).toString('base64url');
  const code = Promise.withResolvers<string>();
  // The code may be rejected before anybody waits for it.
  code.promise.catch(() => undefined);
  let issuer: LoginIssuer | undefined;
  const server = createServer((request, response) => answerBrowser({ request, response, state, issuer, code }));
  await new Promise<void>((ready, fail) => {
    server.once('error', fail);
    server.listen(0, '127.0.0.1', ready);
  });
  const stop = (): void => code.reject(new Error('it was interrupted'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return {
    redirectUrl: `http://127.0.0.1:${portOf(server)}/callback`,
    state,
    code: code.promise,
    expect: (found) => void (issuer = found),
    async close() {
      signal.removeEventListener('abort', stop);
      const over = new Promise((end) => server.close(end));
      server.closeAllConnections();
      await over;
    },
  };
}

interface BrowserRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: string;
  readonly issuer: LoginIssuer | undefined;
  readonly code: PromiseWithResolvers<string>;
}

function answerBrowser({ request, response, state, issuer, code }: BrowserRequest): void {
  const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
  if (request.method !== 'GET' || url?.pathname !== '/callback') return write(response, 404, 'There is no such page.');
  const { searchParams } = url;
  // Any page in the browser can send a request here. Only the answer to this login knows its state.
  if (!isSame(searchParams.get('state') ?? '', state))
    return write(response, 400, 'This is not the answer to a login.');
  const wrong = wrongIssuer(searchParams.get('iss'), issuer);
  if (wrong !== undefined) {
    write(response, 400, 'The answer is not from the server of this login. You can close this page.');
    return code.reject(new Error(wrong));
  }
  const given = searchParams.get('code');
  if (given === null || given === '') {
    const why = searchParams.get('error_description') ?? searchParams.get('error') ?? 'the answer has no code';
    write(response, 200, 'The login was refused. You can close this page.');
    return code.reject(new Error(`it was refused: ${why.slice(0, 300)}`));
  }
  write(response, 200, 'You are logged in. You can close this page.');
  code.resolve(given);
}

/** Returns the reason to refuse an answer by its issuer (RFC 9207). An answer of another server could pass on its code. */
function wrongIssuer(given: string | null, expected: LoginIssuer | undefined): string | undefined {
  if (given === null)
    return expected?.named === true ? `the answer does not name the issuer ${expected.issuer}` : undefined;
  if (given === expected?.issuer) return undefined;
  return `the answer names the issuer ${given.slice(0, 300)}, not ${expected?.issuer ?? 'a known one'}`;
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function write(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${text}\n`);
}

function portOf(server: Server): number {
  const address = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}
