// Connects to one server once, and returns what it offers: tools as a model would see them, prompts and resources. The
// connection is closed afterwards.

import { canonicalText } from '@tidemark/log';

import type { Definition } from './approvals.ts';
import type { McpAuthorizations } from './authorizations.ts';
import type { OtherListing } from './connect.ts';
import type { McpServer } from './mcp-server.ts';
import { McpError } from './mcp-server.ts';
import { definitionOf } from './server-definition.ts';
import { messageOf } from './server-link.ts';
import { toolName } from './tool-name.ts';

/** Offer of a server at the time of the inspection. */
export interface InspectedServer extends OtherListing {
  /** Instructions of the server for a model. */
  readonly instructions?: string;
  /**
   * Tools in the order of the server, with the definitions that a model would see. `text` is the definition as
   * canonical JSON, from which its size is estimated. `problem` is the reason why a tool cannot be offered.
   */
  readonly tools: readonly { readonly definition: Definition; readonly text: string; readonly problem?: string }[];
  /** Reason why the list of tools is not complete. */
  readonly left?: string;
}

/**
 * Connects to a server, reads its lists, and closes the connection. The SDK is loaded at the first call.
 *
 * @throws McpError `mcp/unreachable` if the server cannot be started or reached, or if a list cannot be read.
 */
export async function inspectServer(
  name: string,
  settings: McpServer,
  { signal, authorizations }: { readonly signal: AbortSignal; readonly authorizations?: McpAuthorizations },
): Promise<InspectedServer> {
  const { checkerOf, connect } = await import('./connect.ts');
  const over = new AbortController();
  const place = { name, settings, authorizations };
  const whole = AbortSignal.any([signal, over.signal]);
  try {
    const connection = await connect(place, { gone: (why) => over.abort(new Error(why)), listChanged: ignore }, whole);
    try {
      const { tools, left } = await connection.list();
      const { instructions } = connection;
      return {
        ...(instructions !== undefined && { instructions }),
        ...(await connection.listOthers()),
        ...(left !== undefined && { left }),
        tools: tools.map((tool) => {
          const definition = definitionOf(toolName(name, tool.name), tool);
          return {
            definition,
            text: canonicalText({ ...definition }),
            ...problemOf(() => checkerOf(definition.schema)),
          };
        }),
      };
    } finally {
      await connection.close().catch(() => undefined);
    }
  } catch (cause) {
    throw new McpError(
      'mcp/unreachable',
      `the MCP server ${name} cannot be used: ${messageOf(cause)}`,
      { name },
      cause,
    );
  }
}

function ignore(): void {
  // A list that changes during the inspection is not read again.
}

function problemOf(check: () => unknown): { readonly problem?: string } {
  try {
    check();
    return {};
  } catch (cause) {
    return { problem: `the schema of its arguments cannot be used: ${messageOf(cause)}` };
  }
}
