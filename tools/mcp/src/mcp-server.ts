// User settings for MCP servers: how to reach each server, and the effect class of its tools. A server is a program
// that is run, or an address that receives data. Therefore the settings come only from the user and never from a
// workspace.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';
import type { Surroundings } from '@tidemark/agent';
import type { EffectClass } from '@tidemark/log';
import type { Approvals } from './approvals.ts';
import type { McpAuthorizations } from './authorizations.ts';

/** Settings of a server: a program to start (`StdioServer`) or an address (`McpHttpServer`). */
export type McpServer = StdioServer | McpHttpServer;

/** A program that is started and used through its standard input and output. */
export interface StdioServer extends ServerTerms {
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Environment variables for the program. They are added to the SDK's short list (`HOME`, `LOGNAME`, `PATH`, `SHELL`,
   * `TERM`, `USER`). By default, no API key is passed.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory of the program. The default is the current directory. */
  readonly cwd?: string;
}

/** A server that is reached over streamable HTTP. */
export interface McpHttpServer extends ServerTerms {
  readonly url: string;
  /** Headers that are sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Settings that both kinds of servers have. */
export interface ServerTerms {
  /**
   * Effect class of all tools of the server, or of single tools by their names on the server. The default is `execute`,
   * even if the server declares another effect.
   */
  readonly effect?: EffectClass | Readonly<Record<string, EffectClass>>;
  /** Maximum time during a call in which the server reports no progress, in milliseconds. The default is 60,000. */
  readonly timeoutMs?: number;
  /**
   * Reason why the server cannot be started, such as a missing variable. The server is not started. Its tools stay
   * listed, and a call is answered with this reason.
   */
  readonly unavailable?: string;
}

export interface McpOptions {
  /**
   * Servers by name. A name has 1 to 32 characters: letters, digits, `-` and `_`. A `_` at the beginning, at the end or
   * after another `_` is not allowed.
   */
  readonly servers: Readonly<Record<string, McpServer>>;
  /** Maximum time that the first request waits for the servers, in milliseconds. The default is 5,000. */
  readonly waitMs?: number;
  /**
   * Maximum size of the tools in a session's list of tools, in estimated tokens (a quarter of the characters of their
   * definitions). Tools beyond it are deferred: the model finds them with `tool_search`. The default is 20,000.
   */
  readonly toolBudget?: number;
  /** Store of accepted tool definitions. By default, they are stored in memory until the process ends. */
  readonly approvals?: Approvals;
  /** Store of the logins at servers with an address. By default, no server gets the tokens of a login. */
  readonly authorizations?: McpAuthorizations;
  readonly surroundings?: Surroundings;
}

/**
 * Codes of `McpError`.
 *
 * - `mcp/bad-name`: the name is not valid for a server.
 * - `mcp/approvals-damaged`: the file of accepted definitions is damaged.
 * - `mcp/unreachable`: a server that was inspected cannot be used.
 * - `mcp/login-failed`: the user could not be logged in at a server.
 */
export type McpErrorCode = 'mcp/bad-name' | 'mcp/approvals-damaged' | 'mcp/unreachable' | 'mcp/login-failed';

/**
 * Error for a problem that is found before a server is reached. The message contains the problem, the value and the
 * next step.
 */
export class McpError extends CodedError<McpErrorCode, ErrorData> {
  override readonly name = 'McpError';
}
