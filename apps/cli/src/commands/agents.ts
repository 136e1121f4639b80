// `tidemark agents`: lists the own agents with their source, model, tools and size, and the files that cannot be used.

import { isProviderName, keyLocation, PROVIDERS } from '@tidemark/kit';
import type { Json } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import type { FoundAgent } from '@tidemark/tools-skills';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { formatCount } from '../frame/numbers.ts';
import { plainSize } from '../frame/plain-size.ts';
import { plainText } from '../frame/plain-text.ts';
import { knownServersSilently } from '../mcp/known-servers.ts';
import { keyOf, tokenOf, waysToKey } from '../settings/key-presence.ts';
import { readCatalog } from '../settings/own-catalog.ts';
import type { AgentsHere } from '../settings/own-agents.ts';
import { agentsHere, modelProblem, rowOfAgent, toolProblems } from '../settings/own-agents.ts';
import { oneName } from '../settings/trust-in.ts';

/** Command `tidemark agents`, which lists the own agents. */
export const agents: Command = {
  name: 'agents',
  summary: 'list your own agents with their model, tools, size and problems',
  examples: [
    ['tidemark agents', 'your own, and those of this folder if it is trusted'],
    ['tidemark run --agent reviewer "check the last change"', 'a session as one of them'],
  ],
  declare: (command, run) => void command.action(() => run(list)),
};

/** An own agent as it is listed. */
interface ListedAgent {
  readonly agent: FoundAgent;
  /** Model that its name means. Absent if the agent names none, or an unknown one. */
  readonly row: Capabilities | undefined;
  readonly problems: readonly string[];
}

async function list(context: CommandContext): Promise<CommandOutcome> {
  const here = await agentsHere(context);
  const { unused } = here;
  const servers = (await knownServersSilently(context)).servers.map(({ name }) => name);
  const listed: ListedAgent[] = [];
  for (const agent of here.found.agents) listed.push(await listedAgent(agent, servers, context));
  const { output } = context;
  output.result(fieldsOf(listed, here, unused), () =>
    listed.length === 0 ? 'no own agent is installed' : `${formatCount(listed.length, 'own agent')} installed`,
  );
  if (listed.length > 0)
    output.table({
      head: ['agent', 'from', 'model', 'tools', 'size', 'when to use'],
      rows: listed.map(rowOf),
      narrowing: [
        { column: 'when to use', least: 20 },
        { column: 'tools', least: 20 },
        { column: 'size', leftOut: true },
      ],
    });
  if (listed.length + unused.length + here.found.bad.length === 0) output.line(PLACES);
  for (const line of linesBelow(listed, here, unused)) output.line(plainText(line));
  return undefined;
}

const PLACES = 'an agent is a Markdown file in .agents/agents or in ~/.agents/agents';

async function listedAgent(
  agent: FoundAgent,
  servers: readonly string[],
  context: CommandContext,
): Promise<ListedAgent> {
  const { model, tools = [] } = agent;
  const row = model === undefined ? undefined : rowOfAgent(model, await readCatalog(context.home), undefined);
  const problems = [
    modelProblem(agent, row),
    row === undefined ? undefined : await keyProblem(row, context),
    ...toolProblems(tools, servers),
  ];
  return { agent, row, problems: problems.filter((problem) => problem !== undefined) };
}

async function keyProblem({ provider }: Capabilities, context: CommandContext): Promise<string | undefined> {
  if (!isProviderName(provider) || !keyLocation(provider).required) return undefined;
  if ((await keyOf(provider, context)) !== undefined || tokenOf(provider, context) !== undefined) return undefined;
  return `model: there is no key for ${PROVIDERS[provider].title}: ${waysToKey(provider)}`;
}

function rowOf({ agent, row, problems }: ListedAgent): readonly string[] {
  const { name, source, model, tools, bytes, use } = agent;
  return [
    name,
    source,
    model === undefined ? 'of the session' : plainText(row?.model ?? model),
    tools === undefined ? 'all' : tools.join(', ') || 'none',
    plainSize(bytes),
    `${problems.length === 0 ? '' : '! '}${plainText(use)}`,
  ];
}

function linesBelow(listed: readonly ListedAgent[], { found, roots }: AgentsHere, unused: readonly string[]): string[] {
  const sources = new Set([...found.agents, ...found.shadowed.map(({ agent }) => agent), ...found.bad].map(sourceOf));
  return [
    ...roots.filter(({ source }) => sources.has(source)).map(({ folder, source }) => `${source}: ${folder}`),
    ...(unused.length === 0
      ? []
      : [
          `not used: ${unused.map(oneName).join(', ')}, because this folder is not trusted; \`tidemark trust\` shows them and asks`,
        ]),
    ...found.shadowed.map(
      ({ agent, by }) => `hidden: ${agent.path}, because ${by.path} has the same name and takes precedence`,
    ),
    ...listed.flatMap(({ agent, problems }) => problems.map((problem) => `! ${agent.name}: ${problem}`)),
    ...found.bad.map(({ path, reason }) => `skipped: ${path}: ${reason}`),
  ];
}

function sourceOf({ source }: { readonly source: string }): string {
  return source;
}

function fieldsOf(
  listed: readonly ListedAgent[],
  { found, roots }: AgentsHere,
  unused: readonly string[],
): { readonly [name: string]: Json } {
  return {
    roots: roots.map(({ folder, source }) => ({ folder, source })),
    agents: listed.map(({ agent, row, problems }) => {
      const { name, source, version, path, bytes, description, tools, model, effort, limits } = agent;
      return {
        name,
        source,
        version,
        path,
        bytes,
        description,
        problems,
        tools: tools ?? null,
        model: row?.model ?? model ?? null,
        effort: effort ?? null,
        limits: { ...limits },
      };
    }),
    shadowed: found.shadowed.map(({ agent: { name, source, path }, by }) => ({ name, source, path, by: by.path })),
    bad: found.bad.map(({ path, source, reason }) => ({ path, source, reason })),
    untrusted: unused,
  };
}
