// Connects to one server once, for a person: returns its tools as a model would see them, its prompts and its resources,
// or the text of one of them. The connection is closed afterwards.

import { canonicalText } from '@tidemark/log';
import type { JsonValue } from '@tidemark/model';

import type { Definition } from './approvals.ts';
import type { McpAuthorizations } from './authorizations.ts';
import { outputOf } from './call-result.ts';
import type { ArgumentCheck } from './check-arguments.ts';
import type { OtherListing, ServerConnection } from './connect.ts';
import type { McpServer } from './mcp-server.ts';
import { McpError } from './mcp-server.ts';
import { definitionOf } from './server-definition.ts';
import { messageOf } from './server-link.ts';
import { shownInstructions } from './shown-instructions.ts';
import { toolName } from './tool-name.ts';

/** Offer of a server at the time of the inspection. */
export interface InspectedServer extends OtherListing {
  /** Instructions of the server, as a model sees them. */
  readonly instructions?: string;
  /**
   * Tools in the order of the server, with the definitions that a model would see. `text` is the definition as
   * canonical JSON, from which its size is estimated. `problem` is the reason why a tool cannot be offered.
   */
  readonly tools: readonly { readonly definition: Definition; readonly text: string; readonly problem?: string }[];
  /** Reason why the list of tools is not complete. */
  readonly left?: string;
}

/** Conditions of one connection. */
export interface InspectionOptions {
  readonly signal: AbortSignal;
  readonly authorizations?: McpAuthorizations;
}

/**
 * Connects to a server, reads its lists, and closes the connection. The SDK is loaded at the first call.
 *
 * @throws McpError `mcp/unreachable` if the server cannot be started or reached, or if a list cannot be read.
 */
export function inspectServer(name: string, settings: McpServer, options: InspectionOptions): Promise<InspectedServer> {
  return withConnection({ name, settings }, options, async (connection, checkerOf) => {
    const { tools, left } = await connection.list();
    const { instructions } = connection;
    const names = new Set<string>();
    return {
      ...(instructions !== undefined && { instructions: shownInstructions(instructions) }),
      ...(await connection.listOthers()),
      ...(left !== undefined && { left }),
      tools: tools.map((tool) => {
        const definition = definitionOf(toolName(name, tool.name), tool);
        const isTaken = names.has(definition.name);
        names.add(definition.name);
        const problem = isTaken ? TAKEN : problemOf(() => checkerOf(definition.schema));
        return { definition, text: canonicalText({ ...definition }), ...(problem !== undefined && { problem }) };
      }),
    };
  });
}

/**
 * Connects to a server and returns the text of one of its prompts. `given` contains the arguments of the prompt.
 *
 * @throws McpError `mcp/unreachable` if the server cannot be reached, or refuses the prompt.
 */
export function readServerPrompt(
  name: string,
  settings: McpServer,
  {
    prompt,
    given,
    ...options
  }: InspectionOptions & {
    readonly prompt: string;
    readonly given: Readonly<Record<string, string>>;
  },
): Promise<string> {
  return withConnection({ name, settings }, options, async (connection) => {
    const { messages } = await connection.prompt(prompt, given);
    const texts = messages.map(({ role, content }) => ({ role, text: outputOf({ content: [content] }).text ?? '' }));
    // Words for the model come from the user. If the prompt also contains answers, each message names its role.
    const plain = texts.every(({ role }) => role === 'user');
    return texts.map(({ role, text }) => (plain ? text : `${role}: ${text}`)).join('\n\n');
  });
}

/**
 * Connects to a server and returns the bytes of one of its resources, one entry for each content that it sends.
 *
 * @throws McpError `mcp/unreachable` if the server cannot be reached, or refuses the resource.
 */
export function readServerBytes(
  name: string,
  settings: McpServer,
  { uri, ...options }: InspectionOptions & { readonly uri: string },
): Promise<readonly Uint8Array[]> {
  return withConnection({ name, settings }, options, async (connection) => {
    const { contents } = await connection.resource(uri);
    return contents.map((resource) =>
      'text' in resource ? Buffer.from(resource.text) : Buffer.from(resource.blob, 'base64'),
    );
  });
}

/**
 * Connects to a server and returns the text of one of its resources. If it is not a text, a line names it.
 *
 * @throws McpError `mcp/unreachable` if the server cannot be reached, or refuses the resource.
 */
export function readServerResource(
  name: string,
  settings: McpServer,
  { uri, ...options }: InspectionOptions & { readonly uri: string },
): Promise<string> {
  return withConnection({ name, settings }, options, async (connection) => {
    const { contents } = await connection.resource(uri);
    const texts = contents.map((resource) =>
      'text' in resource ? resource.text : (outputOf({ content: [{ type: 'resource', resource }] }).text ?? ''),
    );
    return texts.join('\n\n');
  });
}

async function withConnection<Result>(
  { name, settings }: { readonly name: string; readonly settings: McpServer },
  { signal, authorizations }: InspectionOptions,
  use: (connection: ServerConnection, checkerOf: (schema: JsonValue) => ArgumentCheck) => Promise<Result>,
): Promise<Result> {
  const { checkerOf, connect } = await import('./connect.ts');
  const over = new AbortController();
  const whole = AbortSignal.any([signal, over.signal]);
  const watcher = { gone: (why: string) => over.abort(new Error(why)), listChanged: ignore };
  try {
    const connection = await connect({ name, settings, authorizations }, watcher, whole);
    try {
      return await use(connection, checkerOf);
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

const TAKEN = 'an earlier tool of the server has the same name, and is used';

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (cause) {
    return `the schema of its arguments cannot be used: ${messageOf(cause)}`;
  }
}
