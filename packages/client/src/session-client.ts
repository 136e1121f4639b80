// Requests to a server of sessions, typed by its OpenAPI document.

import type { Client } from 'openapi-fetch';
import createFetchClient from 'openapi-fetch';
import type { paths } from './generated/server-api.ts';
import { requestError } from './request-error.ts';

/** Client of one server: `client.GET('/sessions')`, `client.POST('/sessions/{session}/prompt', …)`. */
export type SessionClient = Client<paths>;

/** Options of a client. */
export interface SessionClientOptions {
  /** Address of the server, such as `http://127.0.0.1:7440`. In a page it can be a path of the page's server. */
  readonly url: string;
  /** Token of the server. Omit it if a proxy adds it. */
  readonly token?: string;
  /** Replacement of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Creates a client. Nothing is sent. */
export function createSessionClient({ url, token, fetch }: SessionClientOptions): SessionClient {
  return createFetchClient<paths>({
    baseUrl: url,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    ...(fetch !== undefined && { fetch }),
  });
}

/**
 * Returns the body of an answer.
 *
 * @throws RequestError if the server refused the request. An error of the network is thrown as `fetch` throws it.
 */
export async function answerOf<Data>(request: Promise<RequestAnswer<Data>>): Promise<Data> {
  const { data, error, response } = await request;
  if (error !== undefined || data === undefined) throw requestError(response.status, error);
  return data;
}

/** Answer of `openapi-fetch` to a request. */
interface RequestAnswer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}
