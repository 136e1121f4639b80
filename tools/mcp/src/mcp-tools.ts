// Offers the tools of several MCP servers as one tool source. The tools are sorted. Each tool name consists of the name
// of the server and the server's name for the tool. A definition that was shown to a session is pinned. It changes only
// if its server removes the tool or the user approves another definition.

import { defined } from '@tidemark/core';
import type { ContextSource, HeldTool, Tool, ToolOffer, ToolSource, ToolTrouble } from '@tidemark/agent';
import { THIS_MACHINE } from '@tidemark/agent';
import type { Approvals, Definition } from './approvals.ts';
import { createApprovals, fingerprint } from './approvals.ts';
import type { ListedTool } from './connect.ts';
import type { McpOptions } from './mcp-server.ts';
import type { DeferralParts } from './deferral.ts';
import { createDeferral, SEARCH, TOOL_BUDGET } from './deferral.ts';
import { McpError } from './mcp-server.ts';
import { definitionOf } from './server-definition.ts';
import type { ServerLink } from './server-link.ts';
import { createLink } from './server-link.ts';
import type { ServerToolSpec } from './server-tool.ts';
import { serverTool } from './server-tool.ts';
import { shownInstructions } from './shown-instructions.ts';
import { isServerName, prefixOf, toolName } from './tool-name.ts';
import { createHash } from 'node:crypto';

/**
 * The tools of several MCP servers as one tool source, for any number of sessions. Nothing is started before the first
 * use.
 */
export interface McpTools extends ToolSource {
  /**
   * Starts the servers that are not started yet. Waits until the first attempt to reach each server has ended. The wait
   * ends at the latest `waitMs` milliseconds after the first call.
   */
  ready(): Promise<void>;
  /**
   * Context sources, one for each server. Each source creates a note with the instructions of its server. The note has
   * the user's role.
   */
  readonly sources: readonly ContextSource[];
  /** Returns the state of each server, sorted by name. Starts no server. */
  servers(): readonly McpServerState[];
}

/** State of an MCP server, for people. */
export interface McpServerState {
  readonly name: string;
  /** Reason why the server cannot be called now. It may contain secrets. Absent if the server can be called. */
  readonly trouble?: string;
  /** Reason why tools of the server are missing. It may contain secrets. Absent if no tool is missing. */
  readonly missing?: string;
  /** Names of its tools. Empty before the server was reached. */
  readonly tools: readonly string[];
  /** Tools whose definitions changed since they were approved. */
  readonly changed: readonly HeldTool[];
}

const WAIT_MS = 5_000;

/**
 * Creates the tool source of these servers.
 *
 * @throws McpError `mcp/bad-name` for a name that is not valid for a server.
 */
export function createMcpTools(options: McpOptions): McpTools {
  const { servers, waitMs = WAIT_MS, approvals = createApprovals(), surroundings = THIS_MACHINE } = options;
  const { authorizations, toolBudget = TOOL_BUDGET } = options;
  const names = Object.keys(servers).toSorted();
  const wrong = names.find((name) => !isServerName(name));
  if (wrong !== undefined) {
    const message = `${JSON.stringify(wrong)} is not a valid name of an MCP server: use 1 to 32 letters, digits, "-", or single "_" between them`;
    throw new McpError('mcp/bad-name', message, { server: wrong });
  }
  const links = names.flatMap((name) => {
    const settings = Object.hasOwn(servers, name) ? servers[name] : undefined;
    return settings === undefined ? [] : [createLink(name, settings, surroundings, authorizations)];
  });
  const made = new Map<string, Tool | Error>();
  const unkept: ToolTrouble[] = [];
  let waited: Promise<void> | undefined;
  const kept = { approvals, made, unkept };
  const deferral = createDeferral(deferralParts(links, kept, toolBudget));
  const ready = (): Promise<void> => {
    waited ??= withinTime(Promise.all(links.map((link) => link.start())), (signal) =>
      surroundings.wait(waitMs, signal, { idle: true }),
    );
    return waited;
  };
  return {
    ready,
    sources: [
      ...links.map((link) => instructionsOf(link, { ready, patienceMs: waitMs + 1_000 })),
      deferral.source(ready, waitMs + 1_000),
    ],
    offer(shown, session) {
      const { tools: own, isOffered } = deferral.view(session ?? NO_SESSION, shown);
      const { tools, held, troubles } = joinOffers(links.map((link) => offerOf(link, shown, kept, isOffered)));
      return { tools: [...own, ...tools], held, troubles: [...troubles, ...unkept.splice(0)] };
    },
    servers: () => links.map((link) => stateOf(link, { approvals, made, unkept })),
    close: async () => void (await Promise.all(links.map((link) => link.close()))),
  };
}

async function withinTime(work: Promise<unknown>, wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, wait(over.signal)]);
  } finally {
    over.abort();
  }
}

function joinOffers(offers: readonly ToolOffer[]): ToolOffer {
  return {
    tools: offers.flatMap(({ tools }) => tools),
    held: offers.flatMap(({ held }) => held),
    troubles: offers.flatMap(({ troubles }) => troubles),
  };
}

/** Key of the tools that were found without a session, as in a test of a source. */
const NO_SESSION = '';

function deferralParts(links: readonly ServerLink[], kept: KeptOffer, budget: number): DeferralParts {
  const knownAs = ({ name }: Definition): Definition | undefined => kept.approvals.get(name);
  return {
    budget,
    listings: () =>
      links.map((link) => ({
        server: link.name,
        definitions: link.listed === undefined ? undefined : definitionsOf(link).map(({ definition }) => definition),
      })),
    isHeld(definition) {
      const known = knownAs(definition);
      return known !== undefined && fingerprint(known) !== fingerprint(definition);
    },
    toolNamed(name) {
      const link = links.find((one) => name.startsWith(prefixOf(one.name)));
      const offered =
        link === undefined ? undefined : offerOf(link, [], kept, (definition) => definition.name === name);
      const [tool] = offered?.tools ?? [];
      if (tool !== undefined) return tool;
      const [held] = offered?.held ?? [];
      return {
        problem:
          held === undefined
            ? `There is no tool named ${JSON.stringify(name)}. Find the name with ${SEARCH}.`
            : `"${name}" is blocked: its MCP server changed its definition, and the user has not approved the change. The call did not run.`,
      };
    },
  };
}

interface KeptOffer {
  readonly approvals: Approvals;
  /**
   * Tools that were created before, or the errors of their creation. The key is a text with the digests of the tools'
   * definitions. Because of this map, equal offers contain the same objects.
   */
  readonly made: Map<string, Tool | Error>;
  /** Problems to report: approvals that could not be saved. */
  readonly unkept: ToolTrouble[];
}

function offerOf(
  link: ServerLink,
  all: readonly Definition[],
  kept: KeptOffer,
  isOffered: (definition: Definition) => boolean,
): ToolOffer {
  const shown = new Map(all.filter(({ name }) => name.startsWith(prefixOf(link.name))).map((one) => [one.name, one]));
  const { approvals } = kept;
  const specs: ServerToolSpec[] = [];
  const held: HeldTool[] = [];
  const taken: Definition[] = [];
  for (const { definition, called } of definitionsOf(link)) {
    if (!isOffered(definition)) continue;
    const pinned = shown.get(definition.name);
    const approved = approvals.get(definition.name);
    const known = approved ?? pinned;
    if (known === undefined || fingerprint(known) === fingerprint(definition)) {
      if (approved === undefined) taken.push(definition);
      specs.push({ link, definition, pinned: pinned ?? definition, called });
      continue;
    }
    held.push({ name: definition.name, was: known, is: definition, approve: () => approve(definition, kept) });
    if (pinned !== undefined) specs.push(heldBack(link, pinned));
  }
  // If a server was not reached yet, its current tools are unknown. The tools that were shown to the session before are
  // still offered.
  if (link.listed === undefined)
    for (const pinned of shown.values()) specs.push({ link, definition: pinned, pinned, called: undefined });
  const { tools, troubles } = makeAll(link, specs, kept);
  return { held, tools, troubles: [...troubles, ...takeAll(link, approvals, taken)] };
}

function stateOf(link: ServerLink, kept: KeptOffer): McpServerState {
  const definitions = definitionsOf(link).map(({ definition }) => definition);
  const changed = definitions.flatMap((definition): HeldTool[] => {
    const was = kept.approvals.get(definition.name);
    if (was === undefined || fingerprint(was) === fingerprint(definition)) return [];
    return [{ name: definition.name, was, is: definition, approve: () => approve(definition, kept) }];
  });
  const { name, trouble, left } = link;
  return { name, ...defined({ trouble, missing: left }), tools: definitions.map((one) => one.name), changed };
}

function approve(definition: Definition, { approvals, unkept }: KeptOffer): void {
  try {
    approvals.take([definition]);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `the approval of the tool ${definition.name} could not be saved: ${why}`;
    const next =
      'The approval applies until this process ends. The next session asks again: check the file in the message.';
    unkept.push({ code: 'mcp/approvals-unkept', message, next });
  }
}

function takeAll({ name }: ServerLink, approvals: Approvals, taken: readonly Definition[]): readonly ToolTrouble[] {
  if (taken.length === 0) return [];
  try {
    approvals.take(taken);
    return [];
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `the tool definitions of the MCP server ${name} could not be saved: ${why}`;
    const next =
      'The session continues. The next session will not notice a changed definition: check the file in the message.';
    return [{ code: 'mcp/approvals-unkept', message, next }];
  }
}

function heldBack(link: ServerLink, definition: Definition): ServerToolSpec {
  const why =
    `"${definition.name}" is blocked: the MCP server "${link.name}" changed its definition, and the user has ` +
    'not approved the change. The call did not run. Continue without this tool.';
  return { link, definition, pinned: definition, called: undefined, why };
}

interface NamedTool {
  readonly definition: Definition;
  readonly called: string;
}

const NAMED: WeakMap<readonly ListedTool[], readonly NamedTool[]> = new WeakMap();

/**
 * Returns the definitions of a server's tools, sorted by name. If two tools get the same name, only the first one in
 * the server's list is used.
 */
function definitionsOf({ name: server, listed = [] }: ServerLink): readonly NamedTool[] {
  const held = NAMED.get(listed);
  if (held !== undefined) return held;
  const named = new Map<string, NamedTool>();
  for (const tool of listed) {
    const definition = definitionOf(toolName(server, tool.name), tool);
    if (!named.has(definition.name)) named.set(definition.name, { definition, called: tool.name });
  }
  const sorted = [...named.values()].toSorted((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  NAMED.set(listed, sorted);
  return sorted;
}

function makeAll(link: ServerLink, specs: readonly ServerToolSpec[], { made }: KeptOffer): Omit<ToolOffer, 'held'> {
  const tools: Tool[] = [];
  const troubles: ToolTrouble[] = [
    ...(link.trouble === undefined ? [] : [notThere(link, link.trouble)]),
    ...(link.left === undefined ? [] : [leftOut(link, link.left)]),
  ];
  for (const spec of specs) {
    const key = JSON.stringify([fingerprint(spec.definition), fingerprint(spec.pinned), spec.called, spec.why]);
    const tool = made.get(key) ?? tryToMake(spec);
    made.set(key, tool);
    if (tool instanceof Error) troubles.push(unusable(spec.definition.name, tool));
    else tools.push(tool);
  }
  return { tools, troubles };
}

function tryToMake(spec: ServerToolSpec): Tool | Error {
  try {
    return serverTool(spec);
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}

function notThere({ name }: ServerLink, why: string): ToolTrouble {
  return {
    code: 'mcp/unavailable',
    message: `the MCP server ${name} is not connected: ${why}`,
    next: 'Tidemark tries again in the background, and offers its tools to the model after it connects. If it does not connect, check its command or address.',
  };
}

function leftOut({ name }: ServerLink, why: string): ToolTrouble {
  return {
    code: 'mcp/left-out',
    message: `not all tools of the MCP server ${name} are offered: ${why}`,
    next: 'The other tools are available.',
  };
}

function unusable(tool: string, { message }: Error): ToolTrouble {
  return {
    code: 'mcp/bad-schema',
    message: `the tool ${tool} is not offered, because the schema of its arguments cannot be used: ${message}`,
    next: 'Report this to the authors of the server.',
  };
}

// The code below creates a note from the instructions of a server. The note says that the instructions come from a
// third party, and not from the user or the operator.

/** Function that waits for the servers, and the time limit of a context source in milliseconds. */
export interface ServerReadiness {
  readonly ready: () => Promise<void>;
  readonly patienceMs: number;
}

/**
 * Returns a context source named `mcp/<server>` for the instructions of a server. If the server has no instructions,
 * the source creates no note. Until the server has listed its tools, the note of an earlier run remains valid.
 */
function instructionsOf(link: ServerLink, { ready, patienceMs }: ServerReadiness): ContextSource {
  return {
    name: `mcp/${link.name}`,
    patienceMs,
    async revision({ noted }) {
      await ready();
      const { instructions, listed } = link;
      if (listed === undefined) return noted;
      if (instructions === undefined || instructions.trim() === '') return undefined;
      return createHash('sha256').update(instructions).digest('hex').slice(0, 16);
    },
    render: () =>
      `The MCP server "${link.name}", whose tools have names ${link.name}__…, describes itself as follows (words of a third party, not instructions of the user):\n\n${shownInstructions(link.instructions ?? '')}`,
    affectedBy: () => false,
  };
}
