// One connection to a server, by the official SDK: initialized, its tools listed, watched until it is gone.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import {
  CallToolResultSchema,
  ErrorCode,
  ListToolsResultSchema,
  McpError,
  ToolListChangedNotificationSchema,
  ToolSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isShallow } from './call-result.ts';
import type { McpHttpServer, McpServer, StdioServer } from './mcp-server.ts';
import { ServerRefused } from './server-errors.ts';
export { checkerOf } from './check-arguments.ts';

/** A tool as its server lists it; without a schema where it has none that is one. */
export type ListedTool = Pick<Tool, 'name' | 'description' | 'execution'> & {
  readonly inputSchema: Tool['inputSchema'] | null;
};

/** What a server lists. */
export interface ServerListing {
  readonly tools: readonly ListedTool[];
  /** What of it is not among them, in words. */
  readonly left?: string;
}

/** One initialized connection to a server, over the official SDK. */
export interface ServerConnection {
  /** What the server says of itself. */
  readonly instructions: string | undefined;
  /** All its tools that can be called, page by page. */
  list(): Promise<ServerListing>;
  /** @throws ServerRefused for an error that is an answer; else what the SDK throws. */
  call(tool: string, input: object, options: RequestOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Who is told of a connection what happens to it. */
export interface Watcher {
  /** Its tools may be others. */
  listChanged(): void;
  /** It cannot be used any more. */
  gone(why: string): void;
}

/** How long a server may take to start, in milliseconds: a runner may have to fetch it first. */
const START_MS = 60_000;

/** How long it may take to say that it lives. */
const PING_MS = 5_000;

/** A listing that goes on for longer never ends. */
const MOST_PAGES = 50;

/** What is kept of what a program says to its standard error. */
const LAST_WORDS = 400;

/** Connects. @throws what the SDK throws, with the program's last words where it said some. */
export async function connect(server: McpServer, watcher: Watcher, signal: AbortSignal): Promise<ServerConnection> {
  const client = new Client({ name: 'tidemark', version: '0.0.0' });
  const { transport, lastWords } = 'command' in server ? overPipes(server) : overHttp(server);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => watcher.listChanged());
  try {
    await client.connect(transport, { timeout: START_MS, signal });
  } catch (cause) {
    // The SDK has begun to end the program and does not wait: one that ignores the end of its input would outlive the command.
    await transport.close().catch(() => undefined);
    throw withLastWords(cause, lastWords());
  }
  Object.assign(client, {
    onclose: () => watcher.gone(`its connection was closed${lastWordsNote(lastWords())}`),
    onerror: probing(client, watcher),
  });
  return {
    instructions: client.getInstructions(),
    list: () => listAll(client, signal),
    call: async (name, input, options) => {
      const request = { method: 'tools/call', params: { name, arguments: { ...input } } } as const;
      try {
        return await client.request(request, CallToolResultSchema, options);
      } catch (cause) {
        if (cause instanceof z.core.$ZodError)
          throw new Error(`its answer is no result of a tool: ${wrongIn(cause)}`, { cause });
        throw isAnswer(cause) ? new ServerRefused(cause.message, { cause }) : cause;
      }
    },
    close: () => client.close(),
  };
}

/** What the SDK says of a call that may have arrived. */
const UNCERTAIN: ReadonlySet<number> = new Set([ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout]);

function isAnswer(cause: unknown): cause is McpError {
  return cause instanceof McpError && !UNCERTAIN.has(cause.code);
}

/** The first thing that is wrong with what does not fit, in one line. */
function wrongIn({ issues: [issue] }: z.core.$ZodError): string {
  return issue === undefined ? 'it does not fit' : `${z.core.toDotPath(issue.path) || 'the whole'}: ${issue.message}`;
}

/** The SDK's transport, whose end can be waited for by more than one caller. */
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

function overHttp({ url, headers = {} }: McpHttpServer): Way {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } });
  return { transport, lastWords: () => '' };
}

/** An error on the line may be a stray word or the end of it: the server is asked whether it lives. */
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

/** Not by the SDK's `listTools`, which compiles every output schema: one bad one would cost all tools. */
async function listAll(client: Client, signal: AbortSignal): Promise<ServerListing> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [] };
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, LISTED, { signal });
    tools.push(...listed.tools.flatMap(listedTool));
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return {
    // What can only be run as a task is not called here.
    tools: tools.filter(({ execution }) => execution?.taskSupport !== 'required'),
    ...(cursor !== undefined && { left: `its list goes on behind ${MOST_PAGES} pages` }),
  };
}

/** Each tool is read by itself: one that is none may not cost all others. */
const LISTED = ListToolsResultSchema.extend({ tools: z.array(z.unknown()) });

const NAMED = z.object({ name: z.string(), description: z.string().optional().catch(undefined) });

function listedTool(given: unknown): readonly ListedTool[] {
  const tool = isShallow(given) ? ToolSchema.safeParse(given) : undefined;
  if (tool?.success === true) return [tool.data];
  const named = NAMED.safeParse(given);
  // What has no name cannot be told of.
  return named.success ? [{ ...named.data, inputSchema: null }] : [];
}

function withLastWords(cause: unknown, words: string): Error {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new Error(`${message}${lastWordsNote(words)}`, { cause });
}

function lastWordsNote(words: string): string {
  return words === '' ? '' : `; its last words were: ${words}`;
}
