// An MCP server for tests that requires a login. The authorization server and the check of tokens are those of the
// official SDK. The server listens on loopback. Its user agrees at once, or refuses.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import type { OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js';
import {
  createOAuthMetadata,
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** A running test server that requires a login. */
export interface GuardedServer {
  readonly url: string;
  /** Names of the events at the authorization server, in order: `registered`, `authorized` or `refused`, `exchanged`, `refreshed`. */
  readonly events: readonly string[];
  /** Lets every access token end. A client must then refresh its token. */
  expireTokens(): void;
  /** Lets every refresh token end. A user must then log in again. */
  endLogins(): void;
  /** If true, the user refuses the next login. */
  refuses: boolean;
  /** Fields that replace those of the authorization server's metadata. */
  readonly metadata: Map<string, unknown>;
  /** Parameters that each answer to the browser gets. */
  readonly answer: Map<string, string>;
  stop(): Promise<void>;
}

/** Starts a server with one tool, `look`, that requires a login. */
export async function startGuardedServer(): Promise<GuardedServer> {
  const http = createServer();
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const url = new URL(`${origin}/mcp`);
  const state = {
    accepted: new Set<string>(),
    refreshing: new Set<string>(),
    events: new Array<string>(),
    refuses: false,
    answer: new Map<string, string>(),
  };
  const metadata = new Map<string, unknown>();
  const provider = providerOf(state);
  const app: App = createMcpExpressApp();
  const offer = { provider, issuerUrl: new URL(origin) };
  app.use('/.well-known/oauth-authorization-server', (_request: IncomingMessage, response: ServerResponse) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...createOAuthMetadata(offer), ...Object.fromEntries(metadata) })),
  );
  app.use(mcpAuthRouter({ ...offer, resourceServerUrl: url }));
  // The server sends nothing on its own, so it has no stream for that.
  app.use('/mcp', (request: IncomingMessage, response: ServerResponse, next: () => void) =>
    request.method === 'GET' ? response.writeHead(405).end() : next(),
  );
  app.use(
    '/mcp',
    requireBearerAuth({ verifier: provider, resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url) }),
  );
  app.use('/mcp', (request: ParsedRequest, response: ServerResponse) => void serve(request, response));
  http.on('request', app);
  return {
    url: url.href,
    events: state.events,
    metadata,
    answer: state.answer,
    expireTokens: () => state.accepted.clear(),
    endLogins: () => state.refreshing.clear(),
    get refuses() {
      return state.refuses;
    },
    set refuses(refuses) {
      state.refuses = refuses;
    },
    async stop() {
      const over = new Promise((end) => http.close(end));
      http.closeAllConnections();
      await over;
    },
  };
}

/** The part of an express application that is used here. The SDK brings express without its types. */
interface App {
  (request: IncomingMessage, response: ServerResponse): void;
  use(...handlers: readonly unknown[]): unknown;
}

interface ParsedRequest extends IncomingMessage {
  readonly body?: unknown;
}

interface LoginState {
  readonly accepted: Set<string>;
  readonly refreshing: Set<string>;
  readonly events: string[];
  readonly answer: ReadonlyMap<string, string>;
  refuses: boolean;
}

/** The answer that the authorization server gives to the browser. */
interface Redirecting {
  redirect(to: string): void;
}

function providerOf(login: LoginState): OAuthServerProvider {
  const { accepted, refreshing, events } = login;
  const clients = new Map<string, OAuthClientInformationFull>();
  const challenges = new Map<string, string>();
  const tokens = (): OAuthTokens => {
    const [access, refresh] = [randomUUID(), randomUUID()];
    accepted.add(access);
    refreshing.add(refresh);
    return { access_token: access, refresh_token: refresh, token_type: 'bearer', expires_in: 3_600 };
  };
  return {
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (given) => {
        const client = { ...given, client_id: randomUUID() };
        clients.set(client.client_id, client);
        events.push('registered');
        return client;
      },
    },
    authorize: async (_client, { codeChallenge, redirectUri, state }, response: Redirecting) => {
      const code = randomUUID();
      challenges.set(code, codeChallenge);
      const target = new URL(redirectUri);
      target.searchParams.set('state', state ?? '');
      if (login.refuses) target.searchParams.set('error', 'access_denied');
      else target.searchParams.set('code', code);
      for (const [name, value] of login.answer) target.searchParams.set(name, value);
      events.push(login.refuses ? 'refused' : 'authorized');
      response.redirect(target.href);
    },
    challengeForAuthorizationCode: async (_client, code) => challenges.get(code) ?? '',
    exchangeAuthorizationCode: async () => {
      events.push('exchanged');
      return tokens();
    },
    exchangeRefreshToken: async (_client, refresh) => {
      if (!refreshing.delete(refresh)) throw new InvalidGrantError('the login has ended');
      events.push('refreshed');
      return tokens();
    },
    verifyAccessToken: async (token) => {
      if (!accepted.has(token)) throw new InvalidTokenError('the token has ended');
      return { token, clientId: 'any', scopes: [], expiresAt: FAR };
    },
  };
}

/** A time in seconds that is later than any test. */
const FAR = 9_999_999_999;

async function serve(request: ParsedRequest, response: ServerResponse): Promise<void> {
  const capabilities = { tools: {} };
  const server = new Server({ name: 'guarded', version: '1.0.0' }, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
  }));
  const transport = new StreamableHTTPServerTransport({});
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
}
