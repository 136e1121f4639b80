// Starts one server and watches it. If the connection to the server is lost, the server is started again after growing
// pauses, until the link is closed. The last list of tools is stored. Therefore the tools of an unavailable server are
// still offered.

import type { Surroundings } from '@tidemark/agent';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { JsonValue } from '@tidemark/model';
import type { McpAuthorizations } from './authorizations.ts';
import type { ArgumentCheck } from './check-arguments.ts';
import type { ServerConnection, ListedTool, ServerListing } from './connect.ts';
import type { McpServer } from './mcp-server.ts';
import { ServerGone } from './server-errors.ts';

/**
 * Link to one server. If the connection to the server is lost, the server is started again after growing pauses, until
 * the link is closed.
 */
export interface ServerLink {
  readonly name: string;
  readonly settings: McpServer;
  /** Tools of the last listing, or `undefined` before the first listing. Only a new listing replaces the array. */
  readonly listed: readonly ListedTool[] | undefined;
  /** Reason why tools of the server are missing from `listed`. `undefined` if no tool is missing. */
  readonly left: string | undefined;
  readonly instructions: string | undefined;
  /** Reason why the server cannot be called now. `undefined` if the server can be called. */
  readonly trouble: string | undefined;
  /** Starts the server. Resolves when the first attempt has succeeded or failed. */
  start(): Promise<void>;
  /**
   * Returns a check of arguments against a schema. Available after the first attempt to connect.
   *
   * @throws ServerGone before that attempt, Error for an invalid schema.
   */
  checkerOf(schema: JsonValue): ArgumentCheck;
  /**
   * Calls a tool.
   *
   * @throws ServerGone while there is no connection; otherwise the same errors as `ServerConnection.call`.
   */
  call(tool: string, input: object, options: RequestOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * Time in milliseconds after which a connection counts as stable. When a stable connection ends, the next pause is the
 * shortest pause again.
 */
const STEADY_MS = 30_000;

/** Creates a link. The link is not started yet. */
export function createLink(
  name: string,
  settings: McpServer,
  surroundings: Surroundings,
  authorizations?: McpAuthorizations,
): ServerLink {
  return new Link(name, settings, surroundings, authorizations);
}

class Link implements ServerLink {
  readonly name: string;
  readonly settings: McpServer;
  listed: readonly ListedTool[] | undefined;
  left: string | undefined;
  instructions: string | undefined;
  trouble: string | undefined = 'it is being started';
  readonly #surroundings: Surroundings;
  readonly #authorizations: McpAuthorizations | undefined;
  readonly #over = new AbortController();
  readonly #tried = Promise.withResolvers<void>();
  #connection: ServerConnection | undefined;
  #life: Promise<void> | undefined;
  #listings = 0;
  #checkerOf: ServerLink['checkerOf'] | undefined;

  constructor(name: string, settings: McpServer, surroundings: Surroundings, authorizations?: McpAuthorizations) {
    this.#authorizations = authorizations;
    this.name = name;
    this.settings = settings;
    this.#surroundings = surroundings;
  }

  start(): Promise<void> {
    this.#life ??= this.#live();
    return this.#tried.promise;
  }

  checkerOf(schema: JsonValue): ArgumentCheck {
    if (this.#checkerOf === undefined) throw new ServerGone(`the MCP server ${this.name} was never reached`);
    return this.#checkerOf(schema);
  }

  async call(tool: string, input: object, options: RequestOptions): Promise<CallToolResult> {
    if (this.#connection === undefined) throw new ServerGone(this.trouble ?? 'its connection is closed');
    return this.#connection.call(tool, input, options);
  }

  async close(): Promise<void> {
    this.#over.abort();
    this.#tried.resolve();
    await this.#life;
  }

  async #live(): Promise<void> {
    const { signal } = this.#over;
    let pause = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const begun = this.#surroundings.elapsed();
      this.trouble = await this.#liveOnce(signal);
      this.#tried.resolve();
      if (this.#surroundings.elapsed() - begun >= STEADY_MS) pause = FIRST_PAUSE_MS;
      await this.#surroundings.wait(pause, signal, { idle: true });
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }

  /**
   * Makes one connection to the server. Resolves with the reason when the attempt has failed or the connection has
   * ended.
   */
  async #liveOnce(signal: AbortSignal): Promise<string> {
    const gone = Promise.withResolvers<string>();
    let stale = false;
    let over = false;
    // An old connection may report its end when the next connection is already active. Therefore only the first report
    // of each connection counts.
    const end = (why: string): void => {
      if (over) return;
      over = true;
      this.#connection = undefined;
      this.trouble = why;
      gone.resolve(why);
    };
    const stop = (): void => end('it was closed here');
    signal.addEventListener('abort', stop, { once: true });
    let connection: ServerConnection | undefined;
    try {
      const listChanged = (): void => {
        if (this.#connection === undefined) stale = true;
        else void this.#listAgain(end);
      };
      // The SDK and its validator have 130 modules. They are imported here, so a session without servers does not wait
      // for them.
      const { checkerOf, connect } = await import('./connect.ts');
      this.#checkerOf = checkerOf;
      const { name, settings } = this;
      const place = { name, settings, authorizations: this.#authorizations };
      connection = await connect(place, { gone: end, listChanged }, signal);
      this.#take(await connection.list());
      if (over) return await gone.promise;
      this.instructions = connection.instructions;
      this.#connection = connection;
      this.trouble = undefined;
      this.#tried.resolve();
      if (stale) void this.#listAgain(end);
      return await gone.promise;
    } catch (cause) {
      return messageOf(cause);
    } finally {
      signal.removeEventListener('abort', stop);
      over = true;
      this.#connection = undefined;
      await connection?.close().catch(() => undefined);
    }
  }

  #take({ tools, left }: ServerListing): void {
    this.listed = tools;
    this.left = left;
  }

  /** Lists the tools again. If two listings run at the same time, only the later one is used. */
  async #listAgain(gone: (why: string) => void): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#listings += 1;
    const listing = this.#listings;
    try {
      const listed = await connection.list();
      if (listing === this.#listings && this.#connection === connection) this.#take(listed);
    } catch (cause) {
      gone(`its tools could not be listed again: ${messageOf(cause)}`);
    }
  }
}

/**
 * Returns the message of an error and the message of its innermost cause. An error of `fetch` contains only the fact
 * that it failed. Its cause contains the address.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  let inner: Error = error;
  for (let depth = 0; depth < MAX_CAUSES && inner.cause instanceof Error; depth += 1) inner = inner.cause;
  // An `AggregateError` for several addresses has no message. It has only a code.
  const reason = inner.message === '' && 'code' in inner ? String(inner.code) : plainMessage(inner);
  const message = plainMessage(error);
  return reason === '' || message.includes(reason) ? message : `${message} (${reason})`;
}

/** Maximum number of wrong fields in a message. */
const MAX_FIELDS = 3;

/** Returns the message of an error. A schema error of the SDK has JSON as its message, so its fields are listed. */
function plainMessage(error: Error): string {
  if (!('issues' in error) || !Array.isArray(error.issues)) return error.message;
  const fields = error.issues.slice(0, MAX_FIELDS).map(fieldProblem);
  const more = error.issues.length - fields.length;
  return `it sent values that are not valid: ${fields.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function fieldProblem(issue: unknown): string {
  if (typeof issue !== 'object' || issue === null) return String(issue);
  const path = 'path' in issue && Array.isArray(issue.path) ? issue.path.join('.') : '';
  const message = 'message' in issue ? String(issue.message) : '';
  return path === '' ? message : `${path}: ${message}`;
}

/** Maximum number of nested causes that are followed. A cause may refer to itself. */
const MAX_CAUSES = 8;
