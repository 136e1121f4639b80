// One connection to an MCP server, made with the official SDK. Initializes the connection, lists the tools, and watches
// the connection until it ends.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  Tool,
} from '@modelcontextprotocol/sdk/types.js';
import {
  CallToolResultSchema,
  ErrorCode,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
  McpError,
  ToolListChangedNotificationSchema,
  ToolSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isShallow } from './call-result.ts';
import type { McpAuthorizations } from './authorizations.ts';
import { storedLogin } from './login-client.ts';
import type { McpHttpServer, McpServer, StdioServer } from './mcp-server.ts';
import { ServerRefused } from './server-errors.ts';
export { checkerOf } from './check-arguments.ts';

/** A tool in the list of its server. If the server's definition of the tool is invalid, `inputSchema` is null. */
export type ListedTool = Pick<Tool, 'name' | 'description' | 'execution'> & {
  readonly inputSchema: Tool['inputSchema'] | null;
};

/** Tools that a server lists. */
export interface ServerListing {
  readonly tools: readonly ListedTool[];
  /** Reason why tools of the server are missing from `tools`. Absent if the list is complete. */
  readonly left?: string;
}

/** Prompts and resources that a server lists. */
export interface OtherListing {
  readonly prompts: readonly Pick<Prompt, 'name' | 'description'>[];
  readonly resources: readonly Pick<Resource, 'uri' | 'name' | 'description' | 'mimeType' | 'size'>[];
}

/** One initialized connection to a server through the official SDK. */
export interface ServerConnection {
  /** The server's own instructions for a model. */
  readonly instructions: string | undefined;
  /** Returns all tools of the server that can be called. Reads the list page by page. */
  list(): Promise<ServerListing>;
  /** Returns the prompts and the resources of the server, each list up to its 50th page. */
  listOthers(): Promise<OtherListing>;
  /**
   * Returns the messages of a prompt.
   *
   * @throws the error of the SDK if the server refuses.
   */
  prompt(name: string, given: Readonly<Record<string, string>>): Promise<GetPromptResult>;
  /**
   * Returns the contents of a resource.
   *
   * @throws the error of the SDK if the server refuses.
   */
  resource(uri: string): Promise<ReadResourceResult>;
  /**
   * Calls a tool.
   *
   * @throws ServerRefused if the server answered with an error. Error if the answer is not a valid tool result. Any
   * other error of the SDK.
   */
  call(tool: string, input: object, options: RequestOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Callbacks for the events of a connection. */
export interface Watcher {
  /** Called when the tools of the server may have changed. */
  listChanged(): void;
  /** Called when the connection can no longer be used. `why` is the reason. */
  gone(why: string): void;
}

/**
 * Maximum time for a server to start, in milliseconds. The start may include a download of the server by a package
 * runner.
 */
const START_MS = 60_000;

/** Maximum time for an answer to a ping, in milliseconds. */
const PING_MS = 5_000;

/** Maximum number of pages that are read from a list. A longer list is assumed to be endless. */
const MAX_PAGES = 50;

/** Maximum number of characters that are stored from the end of a program's standard error. */
const LAST_WORDS = 400;

/** Server to connect to, and the store of logins. */
export interface ServerPlace {
  readonly name: string;
  readonly settings: McpServer;
  readonly authorizations: McpAuthorizations | undefined;
}

/**
 * Connects to a server.
 *
 * @throws the error of the SDK. If the program wrote to standard error, the message also contains the end of this
 * output.
 */
export async function connect(
  { name: server, settings, authorizations }: ServerPlace,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<ServerConnection> {
  if (settings.unavailable !== undefined) throw new Error(settings.unavailable);
  const client = new Client({ name: 'tidemark', version: '0.0.0' });
  const { transport, lastWords } =
    'command' in settings ? overPipes(settings) : await overHttp(settings, { name: server, authorizations });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => watcher.listChanged());
  try {
    await client.connect(transport, { timeout: START_MS, signal });
  } catch (cause) {
    // After a failed connection, the SDK starts to end the server's program, but does not wait for its end. If the
    // program ignores the end of its input, it would continue to run after this process. This call prevents that.
    await transport.close().catch(() => undefined);
    throw isRefusedLogin(cause) ? new Error(NEEDS_LOGIN) : withLastWords(cause, lastWords());
  }
  Object.assign(client, {
    onclose: () => watcher.gone(`its connection was closed${lastWordsNote(lastWords())}`),
    onerror: probing(client, watcher),
  });
  return {
    instructions: client.getInstructions(),
    list: () => listAll(client, signal),
    listOthers: async () => ({
      prompts: await promptsOf(client, signal),
      resources: await resourcesOf(client, signal),
    }),
    prompt: (name, given) => client.getPrompt({ name, arguments: { ...given } }, { signal }),
    resource: (uri) => client.readResource({ uri }, { signal }),
    call: async (name, input, options) => {
      const request = { method: 'tools/call', params: { name, arguments: { ...input } } } as const;
      try {
        return await client.request(request, CallToolResultSchema, options);
      } catch (cause) {
        if (cause instanceof z.core.$ZodError)
          throw new Error(`its answer is not a valid tool result: ${wrongIn(cause)}`, { cause });
        throw isAnswer(cause) ? new ServerRefused(cause.message, { cause }) : cause;
      }
    },
    close: () => client.close(),
  };
}

/** Error codes of the SDK for a call that may have reached the server. The outcome of such a call is uncertain. */
const UNCERTAIN: ReadonlySet<number> = new Set([ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout]);

function isAnswer(cause: unknown): cause is McpError {
  return cause instanceof McpError && !UNCERTAIN.has(cause.code);
}

function wrongIn({ issues: [issue] }: z.core.$ZodError): string {
  return issue === undefined ? 'it does not match' : `${z.core.toDotPath(issue.path) || 'the whole'}: ${issue.message}`;
}

/** The SDK's transport, with a `close` that runs only one time. Later calls of `close` wait for the first call. */
class PipeTransport extends StdioClientTransport {
  #closing: Promise<void> | undefined;

  override close(): Promise<void> {
    return (this.#closing ??= super.close());
  }
}

interface Way {
  readonly transport: Transport;
  readonly lastWords: () => string;
}

function overPipes({ command, args = [], env = {}, cwd }: StdioServer): Way {
  const place = cwd === undefined ? {} : { cwd };
  const transport = new PipeTransport({ command, args: [...args], env: { ...env }, ...place, stderr: 'pipe' });
  let words = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    words = `${words}${chunk.toString()}`.slice(-LAST_WORDS);
  });
  return { transport, lastWords: () => words.trim() };
}

const NEEDS_LOGIN = 'it requires a login (HTTP status 401)';

function isRefusedLogin(cause: unknown): boolean {
  return cause instanceof StreamableHTTPError && cause.code === 401;
}

async function overHttp(
  { url, headers = {} }: McpHttpServer,
  { name, authorizations }: Pick<ServerPlace, 'name' | 'authorizations'>,
): Promise<Way> {
  const authProvider = authorizations === undefined ? undefined : await storedLogin({ name, url, authorizations });
  const options = { requestInit: { headers: { ...headers } }, ...(authProvider !== undefined && { authProvider }) };
  const transport = new StreamableHTTPClientTransport(new URL(url), options);
  return { transport, lastWords: () => '' };
}

/**
 * Returns a handler for transport errors. The cause of such an error can be an unexpected line of output, or the end of
 * the connection. The handler sends a ping. If the ping fails, the handler reports that the connection has ended.
 */
function probing(client: Client, watcher: Watcher): () => void {
  let probe: Promise<void> | undefined;
  return () => {
    probe ??= client
      .ping({ timeout: PING_MS })
      .then(
        () => undefined,
        (cause: unknown) => watcher.gone(cause instanceof Error ? cause.message : String(cause)),
      )
      .finally(() => {
        probe = undefined;
      });
  };
}

/**
 * Lists the tools without the SDK's `listTools`. `listTools` compiles every output schema, and one invalid schema would
 * make all tools unavailable.
 */
async function listAll(client: Client, signal: AbortSignal): Promise<ServerListing> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [] };
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, LISTED, { signal });
    tools.push(...listed.tools.flatMap(listedTool));
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return {
    // If a tool can only run as a task, this client cannot call it.
    tools: tools.filter(({ execution }) => execution?.taskSupport !== 'required'),
    ...(cursor !== undefined && { left: `its list has more than ${MAX_PAGES} pages` }),
  };
}

async function promptsOf(client: Client, signal: AbortSignal): Promise<OtherListing['prompts']> {
  if (client.getServerCapabilities()?.prompts === undefined) return [];
  return allPages(async (params) => {
    const { prompts, nextCursor } = await client.request({ method: 'prompts/list', params }, ListPromptsResultSchema, {
      signal,
    });
    return { items: prompts, nextCursor };
  });
}

async function resourcesOf(client: Client, signal: AbortSignal): Promise<OtherListing['resources']> {
  if (client.getServerCapabilities()?.resources === undefined) return [];
  return allPages(async (params) => {
    const request = { method: 'resources/list', params } as const;
    const { resources, nextCursor } = await client.request(request, ListResourcesResultSchema, { signal });
    return { items: resources, nextCursor };
  });
}

interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
}

async function allPages<Item>(
  read: (params: { readonly cursor?: string }) => Promise<ListPage<Item>>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, nextCursor } = await read(cursor === undefined ? {} : { cursor });
    all.push(...items);
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return all;
}

/** List result whose tools are parsed one by one, so an invalid tool does not affect the others. */
const LISTED = ListToolsResultSchema.extend({ tools: z.array(z.unknown()) });

const NAMED = z.object({ name: z.string(), description: z.string().optional().catch(undefined) });

function listedTool(given: unknown): readonly ListedTool[] {
  const tool = isShallow(given) ? ToolSchema.safeParse(given) : undefined;
  if (tool?.success === true) return [tool.data];
  const named = NAMED.safeParse(given);
  // If the name of a tool is missing or is not a text, the tool cannot be reported. It is left out.
  return named.success ? [{ ...named.data, inputSchema: null }] : [];
}

function withLastWords(cause: unknown, words: string): Error {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new Error(`${message}${lastWordsNote(words)}`, { cause });
}

function lastWordsNote(words: string): string {
  return words === '' ? '' : `; its last output was: ${words}`;
}
