// The life of one server: started once, listened to, and started again with a growing pause whenever it is gone, until the
// link is closed. What it last listed is kept: a tool whose server is gone stays a tool.

import type { Surroundings } from '@tidemark/agent';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { JsonValue } from '@tidemark/model';
import type { ArgumentCheck } from './check-arguments.ts';
import type { ServerConnection, ListedTool, ServerListing } from './connect.ts';
import type { McpServer } from './mcp-server.ts';
import { ServerGone } from './server-errors.ts';

/** A server that is started once, and again with a growing pause after it is gone, until the link is closed. */
export interface ServerLink {
  readonly name: string;
  readonly settings: McpServer;
  /** What it listed last; `undefined` before the first time. The same object while nothing changes. */
  readonly listed: readonly ListedTool[] | undefined;
  /** What it listed and is not in there, in words. */
  readonly left: string | undefined;
  readonly instructions: string | undefined;
  /** Why it cannot be called now. */
  readonly trouble: string | undefined;
  /** Starts it, and ends when the first try has: with tools, or without. */
  start(): Promise<void>;
  /** What checks arguments against a schema, once there was a connection. @throws Error for a schema that is none. */
  checkerOf(schema: JsonValue): ArgumentCheck;
  /** @throws ServerGone while there is no connection, ServerRefused for an error that is an answer; else what the SDK throws. */
  call(tool: string, input: object, options: RequestOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A server that lived so long is not one that dies whenever it is started: the pauses begin anew. */
const STEADY_MS = 30_000;

/** A link that was not started yet. */
export function createLink(name: string, settings: McpServer, surroundings: Surroundings): ServerLink {
  return new Link(name, settings, surroundings);
}

class Link implements ServerLink {
  readonly name: string;
  readonly settings: McpServer;
  listed: readonly ListedTool[] | undefined;
  left: string | undefined;
  instructions: string | undefined;
  trouble: string | undefined = 'it is being started';
  readonly #surroundings: Surroundings;
  readonly #over = new AbortController();
  readonly #tried = Promise.withResolvers<void>();
  #connection: ServerConnection | undefined;
  #life: Promise<void> | undefined;
  #listings = 0;
  #checkerOf: ServerLink['checkerOf'] | undefined;

  constructor(name: string, settings: McpServer, surroundings: Surroundings) {
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
    if (this.#connection === undefined) throw new ServerGone(this.trouble ?? 'it is gone');
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

  /** Ends when the server is gone, and says why. */
  async #liveOnce(signal: AbortSignal): Promise<string> {
    const gone = Promise.withResolvers<string>();
    let stale = false;
    let over = false;
    // The last words of a connection may come when the next one lives.
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
      // The SDK and its validator are 130 modules, which a session without servers does not wait for.
      const { checkerOf, connect } = await import('./connect.ts');
      this.#checkerOf = checkerOf;
      connection = await connect(this.settings, { gone: end, listChanged }, signal);
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

  /** Of two listings the later asked for is the one that counts. */
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

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
