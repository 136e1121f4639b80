// An MCP server for tests, made with the official SDK. The server listens on loopback. While the server runs, a test
// can change its tools, stop the server, and start it again at the same address.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

export interface MadeTool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema properties of the tool's arguments. */
  readonly properties?: Readonly<Record<string, object>>;
  readonly annotations?: object;
  /** Returns the result of a call. The default is a text with the name of the tool and its arguments. */
  readonly answer?: (input: object) => CallToolResult | Promise<CallToolResult>;
}

export interface MadeServerOptions {
  readonly tools: readonly MadeTool[];
  readonly instructions?: string;
  /**
   * Protocol revision in the server's answer, for any revision that the client requests. The default is the latest
   * revision of the SDK.
   */
  readonly revision?: string;
}

/** A running test server on loopback. It can change its tools, stop, and start again at the same address. */
export interface MadeServer {
  readonly url: string;
  /** Names of the tools that were called, in order. */
  readonly called: readonly string[];
  /** Protocol revisions that clients sent in the header `mcp-protocol-version`. */
  readonly revisions: ReadonlySet<string>;
  /** Replaces the tools and notifies the clients. */
  change(tools: readonly MadeTool[]): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a test server on a free port. */
export async function startMadeServer({ tools, instructions, revision }: MadeServerOptions): Promise<MadeServer> {
  const sessions = new Map<string, Session>();
  const called: string[] = [];
  const revisions = new Set<string>();
  const made: Made = { tools, called, ...(instructions && { instructions }), ...(revision && { revision }) };
  let http = await listen(0, (request, response) => void serve(made, sessions, request, response, revisions));
  const port = portOf(http);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    called,
    revisions,
    async change(next) {
      made.tools = next;
      for (const { server } of sessions.values()) await server.sendToolListChanged();
    },
    async stop() {
      sessions.clear();
      const over = new Promise((end) => http.close(end));
      http.closeAllConnections();
      await over;
    },
    async start() {
      http = await listen(port, (request, response) => void serve(made, sessions, request, response, revisions));
    },
  };
}

interface Made {
  tools: readonly MadeTool[];
  readonly called: string[];
  readonly instructions?: string;
  readonly revision?: string;
}

interface Session {
  readonly server: Server;
  readonly transport: StreamableHTTPServerTransport;
}

async function serve(
  made: Made,
  sessions: Map<string, Session>,
  request: IncomingMessage,
  response: ServerResponse,
  revisions: Set<string>,
): Promise<void> {
  const revision = request.headers['mcp-protocol-version'];
  if (typeof revision === 'string') revisions.add(revision);
  const id = request.headers['mcp-session-id'];
  if (typeof id === 'string') {
    const held = sessions.get(id);
    if (held === undefined) return void response.writeHead(404).end();
    return held.transport.handleRequest(request, response);
  }
  const server = serverOf(made);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void sessions.set(session, { server, transport }),
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

function serverOf(made: Made): Server {
  const { instructions = '', revision = LATEST_PROTOCOL_VERSION } = made;
  const serverInfo = { name: 'made', version: '1.0.0' };
  const capabilities = { tools: { listChanged: true } };
  const server = new Server(serverInfo, { capabilities });
  server.setRequestHandler(InitializeRequestSchema, () => ({
    protocolVersion: revision,
    serverInfo,
    capabilities,
    ...(instructions === '' ? {} : { instructions }),
  }));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: made.tools.map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    made.called.push(params.name);
    const tool = made.tools.find(({ name }) => name === params.name);
    const input = params.arguments ?? {};
    if (tool?.answer !== undefined) return tool.answer(input);
    return { content: [{ type: 'text', text: `${params.name} was called with ${JSON.stringify(input)}` }] };
  });
  return server;
}

function listed({ name, description = `Does ${name}.`, properties = {}, annotations }: MadeTool) {
  const inputSchema = { type: 'object' as const, properties: { ...properties } };
  return { name, description, inputSchema, ...(annotations && { annotations }) };
}

async function listen(
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpServer> {
  const http = createServer(handle);
  await new Promise<void>((ready) => http.listen(port, '127.0.0.1', ready));
  return http;
}

function portOf(http: HttpServer): number {
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
