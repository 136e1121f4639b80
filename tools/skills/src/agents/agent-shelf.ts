// Shelf of own agents: stores the result of the last search of the roots (`look`) in the form that the runtime needs.

import type { AgentShelf, OwnAgent, Secrets } from '@tidemark/agent';
import type { BadSkill, SkillRoot } from '../found-skill.ts';
import { oneLine } from '../read-folder.ts';
import type { FoundAgent, FoundAgents } from './find-agents.ts';
import { findAgents } from './find-agents.ts';

/** Options for the own agents of a session. */
export interface OwnAgentsOptions {
  /**
   * Folders that contain agent files, nearest first: see `agentRoots`. The list contains only folders that the user
   * trusts.
   */
  readonly roots: readonly SkillRoot[];
}

/** The own agents. `look` searches for them again. */
export interface InstalledAgents extends AgentShelf {
  /** Result of the last call of `look`. Agents whose model cannot be used are in `bad`. */
  readonly found: FoundAgents;
  /** The list of own agents for the model, with one line for each agent. `undefined` if there is none. */
  readonly list: string | undefined;
  /** Searches the roots again. If a search already runs, waits for that search. Never throws. */
  look(): Promise<void>;
}

/** Options of a shelf, in addition to its roots. */
export interface AgentShelfOptions {
  /** Function that hides secrets: see `findAgents`. */
  readonly mask?: Secrets['mask'];
  /** Folder that the agent works in. The roles of agents below this folder are never a part of the system text. */
  readonly workspace?: string;
  /** Returns the reason why an agent cannot be used, such as a missing key for its model. */
  readonly problemOf?: (agent: OwnAgent) => string | undefined;
}

/** Creates a shelf for these roots. It reads nothing before the first call of `look`. */
export function createAgentShelf(
  { roots }: OwnAgentsOptions,
  { mask, workspace, problemOf = () => undefined }: AgentShelfOptions = {},
): InstalledAgents {
  let seen = shelfOf({ agents: [], shadowed: [], bad: [] });
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const found = await findAgents(roots, mask, workspace);
    const bad = found.agents.flatMap((agent): readonly BadSkill[] => {
      const reason = problemOf(agent);
      return reason === undefined ? [] : [{ path: agent.path, source: agent.source, reason }];
    });
    const agents = found.agents.filter(({ path }) => !bad.some((one) => one.path === path));
    seen = shelfOf({ ...found, agents, bad: [...found.bad, ...bad] });
    looking = undefined;
  };
  return {
    get found() {
      return seen.found;
    },
    get list() {
      return seen.list;
    },
    get names() {
      return seen.names;
    },
    find: (name) => seen.byName.get(name),
    look: () => (looking ??= look()),
  };
}

function shelfOf(found: FoundAgents) {
  const { agents } = found;
  return {
    found,
    list: agentList(agents),
    names: agents.map(({ name }) => name),
    byName: new Map(agents.map((agent) => [agent.name, agent])),
  };
}

/** Maximum number of bytes of the list. */
const LARGEST_LIST = 8_000;
const TITLE = 'Own agents of the user. To give one a task, call the tool agent with its name as `agent`:\n';

/** Returns the list for the model, or `undefined` if there are no agents. Equal agents give equal bytes. */
function agentList(agents: readonly FoundAgent[]): string | undefined {
  if (agents.length === 0) return undefined;
  const kept: string[] = [];
  let bytes = Buffer.byteLength(TITLE) + 80;
  for (const agent of agents) {
    const line = entryOf(agent);
    bytes += Buffer.byteLength(line);
    if (bytes > LARGEST_LIST) break;
    kept.push(line);
  }
  const more = agents.length - kept.length;
  return [TITLE, ...kept, ...(more === 0 ? [] : [`And ${more} more, which this list has no room for.\n`])].join('');
}

function entryOf({ name, use, model, tools }: FoundAgent): string {
  const notes = [
    ...(model === undefined ? [] : [`model ${oneLine(model, 80)}`]),
    ...(tools === undefined ? [] : [`tools ${oneLine(tools.join(', '), 200) || 'none'}`]),
  ];
  return `- ${name}: ${use}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}\n`;
}
