// What a user says of the MCP servers: how each is reached, and what its tools may be. Only the user's own words come here,
// never those of a workspace: a server is a program that is run, or an address that is told things.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';
import type { Surroundings } from '@tidemark/agent';
import type { EffectClass } from '@tidemark/log';
import type { Approvals } from './approvals.ts';

/** A server, by how it is reached. */
export type McpServer = StdioServer | McpHttpServer;

/** A program that is started and spoken to over its standard input and output. */
export interface StdioServer extends ServerTerms {
  readonly command: string;
  readonly args?: readonly string[];
  /** All it is given beside the SDK's short list (`HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `USER`): no key by default here. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder it runs in: the current one by default. */
  readonly cwd?: string;
}

/** A server that listens: streamable HTTP. */
export interface McpHttpServer extends ServerTerms {
  readonly url: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What holds for either. */
export interface ServerTerms {
  /** The effect class of all its tools, or of some by their own names; `execute` by default, whatever the server says. */
  readonly effect?: EffectClass | Readonly<Record<string, EffectClass>>;
  /** Milliseconds that a call may be without a sign of progress: 60,000 by default. */
  readonly timeoutMs?: number;
}

/** The MCP servers that a user names. */
export interface McpOptions {
  /** By name: 1 to 32 letters, digits, `-` and single `_` between them. */
  readonly servers: Readonly<Record<string, McpServer>>;
  /** How long the first request waits for the servers, in milliseconds: 5,000 by default. */
  readonly waitMs?: number;
  /** Definitions that were taken before, across sessions. Default: kept in memory. */
  readonly approvals?: Approvals;
  readonly surroundings?: Surroundings;
}

/** `mcp/bad-name`: a name that no server may have. `mcp/approvals-damaged`: a file of taken definitions that is none. */
export type McpErrorCode = 'mcp/bad-name' | 'mcp/approvals-damaged';

/** What is wrong before a server is reached. The message says what happened, to what, and the next step. */
export class McpError extends CodedError<McpErrorCode, ErrorData> {
  override readonly name = 'McpError';
}
