// The OAuth client of one server, for the SDK. During a login it registers itself and asks the user. In a session it only
// refreshes tokens: if this is no longer possible, the connection fails and the user logs in again.

import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import {
  OAuthClientInformationFullSchema,
  OAuthClientInformationSchema,
  OAuthTokensSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { parseJson } from '@tidemark/log';
import { z } from 'zod';

import type { McpAuthorizations } from './authorizations.ts';

/** Part of a login that needs the user: the address that receives the answer, and the request to visit a page. */
export interface LoginDialog {
  readonly redirectUrl: string;
  readonly state: string;
  /** Receives the authorization server, before the page opens. */
  expect(issuer: LoginIssuer): void;
  /** Asks the user to open the page. */
  open(page: URL): void;
}

/** Authorization server of a login. `named` is true if the server names itself in its answer to the browser. */
export interface LoginIssuer {
  readonly issuer: string;
  readonly named: boolean;
}

/** Address and store of one login. `dialog` is absent in a session. */
export interface LoginPlace {
  readonly name: string;
  readonly url: string;
  readonly authorizations: McpAuthorizations;
  readonly dialog?: LoginDialog;
}

const issuer = { issuer: z.string().optional() };
const loginSchema = z.object({
  revision: z.literal(1),
  client: z.union([OAuthClientInformationFullSchema.extend(issuer), OAuthClientInformationSchema.extend(issuer)]),
  tokens: OAuthTokensSchema.extend(issuer).optional(),
  redirectUrl: z.string(),
});

type Login = z.infer<typeof loginSchema>;

/** Returns the OAuth client for a server, or `undefined` if the user never logged in there. */
export async function storedLogin(place: LoginPlace): Promise<OAuthClientProvider | undefined> {
  const login = await readLogin(place);
  return login?.tokens === undefined ? undefined : new LoginClient(place, login);
}

/** Returns the OAuth client for a new login. An earlier login at the same server is replaced at the end. */
export function newLogin(place: LoginPlace): OAuthClientProvider {
  return new LoginClient(place, undefined);
}

async function readLogin({ url, authorizations }: LoginPlace): Promise<Login | undefined> {
  const text = await authorizations.load(url);
  return text === undefined ? undefined : loginSchema.safeParse(parseJson(text)).data;
}

class LoginClient implements OAuthClientProvider {
  readonly #place: LoginPlace;
  #login: Partial<Login>;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  constructor(place: LoginPlace, login: Login | undefined) {
    this.#place = place;
    this.#login = login ?? {};
  }

  get redirectUrl(): string {
    return this.#place.dialog?.redirectUrl ?? this.#login.redirectUrl ?? 'http://127.0.0.1/callback';
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Tidemark',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.#place.dialog?.state ?? '';
  }

  /**
   * The SDK calls this before it refreshes. Another process may have refreshed the tokens, so they are read again. During
   * a login, the code goes to the server that was found before the page opened.
   */
  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    if (this.#place.dialog !== undefined) return this.#discovery;
    this.#login = (await readLogin(this.#place)) ?? {};
    return undefined;
  }

  saveDiscoveryState(found: OAuthDiscoveryState): void {
    const { authorizationServerUrl, authorizationServerMetadata: metadata } = found;
    if (metadata !== undefined) requireIssuer(metadata.issuer, authorizationServerUrl);
    this.#discovery = found;
    this.#place.dialog?.expect({
      issuer: metadata?.issuer ?? authorizationServerUrl,
      named: metadata !== undefined && namesIssuer(metadata),
    });
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#login.client;
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    if (this.#place.dialog === undefined) throw this.#ended();
    this.#login = { ...this.#login, client: loginSchema.shape.client.parse(client) };
  }

  tokens(): OAuthTokens | undefined {
    return this.#login.tokens;
  }

  async saveTokens(given: OAuthTokens): Promise<void> {
    const { redirectUrl } = this;
    const tokens = loginSchema.shape.tokens.parse(given);
    const login = loginSchema.parse({ ...this.#login, revision: 1, tokens, redirectUrl });
    this.#login = login;
    await this.#place.authorizations.save(this.#place.url, JSON.stringify(login));
  }

  redirectToAuthorization(page: URL): void {
    if (this.#place.dialog === undefined) throw this.#ended();
    requireWebPage(page);
    this.#place.dialog.open(page);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  /** Forgets what the server no longer accepts, in this process. The store keeps it until the next login. */
  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (this.#place.dialog === undefined) {
      // A refresh token can be used once. If another process used it, the tokens of that process are in the store.
      const stored = await readLogin(this.#place);
      if (stored?.tokens?.refresh_token === this.#login.tokens?.refresh_token) throw this.#ended();
      this.#login = stored ?? {};
      return;
    }
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined;
    if (scope === 'all' || scope === 'client') this.#login = {};
    if (scope === 'tokens') this.#login = { ...this.#login, tokens: undefined };
  }

  #ended(): Error {
    return new Error(`its login has ended: log in again with \`tidemark mcp login ${this.#place.name}\``);
  }
}

/** Returns true if the metadata announces the issuer in each answer to the browser (RFC 9207). */
function namesIssuer(metadata: object): boolean {
  return (
    'authorization_response_iss_parameter_supported' in metadata &&
    metadata.authorization_response_iss_parameter_supported === true
  );
}

/**
 * The metadata must name the address for which it was fetched (RFC 8414, section 3.3). A final `/` makes no difference.
 *
 * @throws Error for metadata of another authorization server.
 */
function requireIssuer(given: string, address: string): void {
  const plain = (text: string): string => text.replace(/\/$/, '');
  if (plain(given) !== plain(address))
    throw new Error(`the metadata of its authorization server ${address} names another issuer, ${given.slice(0, 300)}`);
}

/**
 * The page of a login comes from the server. Another kind of address could start a program.
 *
 * @throws Error for an address that is neither https nor on this machine.
 */
function requireWebPage(page: URL): void {
  const local = page.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(page.hostname);
  if (page.protocol !== 'https:' && !local)
    throw new Error(`its login page ${page.origin} is refused: it is neither https nor on this machine`);
}
