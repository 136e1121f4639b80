// Searches folders for own agents. These folders are called roots, and nearer roots come first in the list. Nothing in a
// root is run, and a link that leads out of its root is refused.

import type { OwnAgent, Secrets } from '@tidemark/agent';
import { createSecrets } from '@tidemark/agent';
import { createHash } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BadSkill, SkillRoot } from '../found-skill.ts';
import type { BadFile } from '../front-matter.ts';
import { inside, oneLine, readPlain } from '../read-folder.ts';
import { AGENT_NAME, LARGEST_AGENT, readAgentFile } from './agent-file.ts';

/** An own agent with its file. */
export interface FoundAgent extends OwnAgent {
  /** Absolute path at which the file was found. The path may contain links. */
  readonly path: string;
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** Text for the list that the model gets. It is one line. */
  readonly use: string;
}

/** An agent that is hidden because a nearer agent has the same name. */
export interface ShadowedAgent {
  readonly agent: FoundAgent;
  readonly by: FoundAgent;
}

/** Result of a search of the roots. */
export interface FoundAgents {
  /** Usable agents, sorted by name. */
  readonly agents: readonly FoundAgent[];
  readonly shadowed: readonly ShadowedAgent[];
  /** Files that cannot be used, with the reason. */
  readonly bad: readonly BadSkill[];
}

/** Maximum number of files that are read in one root. */
const MAX_FILES = 200;
/** Maximum length of a description in the list, in UTF-16 units. */
const LONGEST_USE = 300;

const { mask: maskShapes } = createSecrets({ values: [] });

/**
 * Returns the usual folders for own agents, nearest first: `.agents/agents` in the workspace and in the home folder,
 * then `agents` in the configuration folder. The caller passes a workspace only if the user trusts it.
 */
export function agentRoots(places: {
  readonly workspace?: string;
  readonly home?: string;
  readonly config?: string;
}): readonly SkillRoot[] {
  const { workspace, home, config } = places;
  return [
    ...(workspace === undefined ? [] : [{ folder: join(workspace, '.agents', 'agents'), source: 'workspace' }]),
    ...(home === undefined ? [] : [{ folder: join(home, '.agents', 'agents'), source: 'home' }]),
    ...(config === undefined ? [] : [{ folder: join(config, 'agents'), source: 'config' }]),
  ];
}

/**
 * Finds the own agents. The role of an agent in a file of `workspace` is only for a note. It never throws. If a file
 * cannot be used, it is reported in `bad`. By default, `mask` hides only secrets of known forms.
 */
export async function findAgents(
  roots: readonly SkillRoot[],
  mask: Secrets['mask'] = maskShapes,
  workspace?: string,
): Promise<FoundAgents> {
  const realWorkspace = workspace === undefined ? undefined : await realpath(workspace).catch(() => workspace);
  const used = new Map<string, FoundAgent>();
  const shadowed: ShadowedAgent[] = [];
  const bad: BadSkill[] = [];
  for (const root of roots) {
    const found = await lookInto(root, mask, realWorkspace);
    bad.push(...found.bad);
    for (const agent of found.agents) {
      const by = used.get(agent.name);
      if (by === undefined) used.set(agent.name, agent);
      else if (by.path !== agent.path) shadowed.push({ agent, by });
    }
  }
  return { agents: [...used.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), shadowed, bad };
}

async function lookInto(
  root: SkillRoot,
  mask: Secrets['mask'],
  workspace: string | undefined,
): Promise<Pick<FoundAgents, 'agents' | 'bad'>> {
  const realRoot = await realpath(root.folder).catch(() => undefined);
  if (realRoot === undefined) return { agents: [], bad: [] };
  const agents: FoundAgent[] = [];
  const bad: BadSkill[] = [];
  const skip = (path: string, reason: string): void => void bad.push({ path, source: root.source, reason });
  const names = await filesIn(realRoot).catch((error: unknown) => {
    skip(root.folder, `it cannot be listed: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  });
  for (const name of names.slice(0, MAX_FILES)) {
    const path = join(root.folder, name);
    const one = await readOne(path, { root, realRoot, mask, workspace });
    if ('reason' in one) skip(path, await mask(one.reason));
    else agents.push(one);
  }
  if (names.length > MAX_FILES) skip(root.folder, `only the first ${MAX_FILES} of its ${names.length} files are used`);
  return { agents, bad };
}

async function filesIn(root: string): Promise<readonly string[]> {
  return (await readdir(root)).filter((name) => name.endsWith('.md') && !name.startsWith('.')).toSorted();
}

interface AgentLook {
  readonly root: SkillRoot;
  readonly realRoot: string;
  readonly mask: Secrets['mask'];
  /** Real path of the workspace. */
  readonly workspace: string | undefined;
}

async function readOne(path: string, { root, realRoot, mask, workspace }: AgentLook): Promise<FoundAgent | BadFile> {
  const real = inside(path, realRoot);
  if (typeof real !== 'string') return real;
  const bytes = readPlain(real, realRoot, LARGEST_AGENT);
  if ('reason' in bytes) return bytes;
  const file = await readAgentFile(bytes);
  if ('reason' in file) return file;
  const { name = basename(path, '.md') } = file;
  if (!AGENT_NAME.test(name))
    return { reason: `${oneLine(name, 80)} cannot be a name: use a-z, 0-9 and -, or set \`name\`` };
  const description = await mask(file.description);
  return {
    ...file,
    name,
    description,
    role: await mask(file.role),
    version: createHash('sha256').update(bytes).digest('hex').slice(0, 12),
    source: root.source,
    path,
    bytes: bytes.length,
    use: oneLine(description, LONGEST_USE),
    ...(isOfWorkspace(real, root, workspace) && { as: 'note' as const }),
  };
}

function isOfWorkspace(path: string, { source }: SkillRoot, workspace: string | undefined): boolean {
  return source === 'workspace' || (workspace !== undefined && path.startsWith(`${workspace.replace(/\/$/, '')}/`));
}
