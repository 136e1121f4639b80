// `tidemark mcp test`: connects to one MCP server, and shows its tools, prompts and resources with their sizes.

import { estimateTokens } from '@tidemark/context';
import type { InspectedServer } from '@tidemark/kit';
import { deferredServers } from '@tidemark/kit';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import { usableServer } from './known-servers.ts';
import type { McpRequest } from './request.ts';
import { requireName, requireNoTarget } from './request.ts';
import { tryServer } from './try-server.ts';

/**
 * Tests one server.
 *
 * @throws CliError `cli/not-found` for an unknown name, and `cli/refused` for a server that is not used here or cannot
 *   be reached.
 */
export async function testServer(request: McpRequest, context: CommandContext): Promise<CommandOutcome> {
  requireNoTarget(request, 'test');
  const name = requireName(request, 'test');
  const server = await usableServer(name, request.flags, context);
  const tried = await tryServer(server, context);
  if ('problem' in tried) throw new CliError('cli/refused', tried.problem, tried.next);
  const { inspected, definitions, tokens } = tried;
  const isDeferred = deferredServers(server.toolBudget, [{ server: name, definitions }]).length > 0;
  const tested = { inspected, count: definitions.length, tokens, budget: isDeferred ? server.toolBudget : undefined };
  if (context.output.json)
    context.output.result({ server: name, tokens, deferred: isDeferred, ...jsonOf(inspected) }, () => '');
  else print(name, tested, context);
  return undefined;
}

function jsonOf({ tools, prompts, resources, instructions, left }: InspectedServer): object {
  return {
    tools: tools.map(({ definition, text, problem }) => ({
      name: definition.name,
      tokens: estimateTokens(text),
      ...(problem !== undefined && { problem }),
    })),
    prompts: prompts.map(({ name, description }) => ({ name, ...(description !== undefined && { description }) })),
    resources: resources.map(({ uri, name, size }) => ({ uri, name, ...(size !== undefined && { bytes: size }) })),
    instructionsTokens: estimateTokens(instructions ?? ''),
    ...(left !== undefined && { left }),
  };
}

interface TestedServer {
  readonly inspected: InspectedServer;
  /** Number of tools that a session can use. */
  readonly count: number;
  readonly tokens: number;
  /** Budget that the tools of this server alone exceed. */
  readonly budget: number | undefined;
}

function print(name: string, { inspected, count, tokens, budget }: TestedServer, { output }: CommandContext): void {
  const { tools, prompts, resources, instructions, left } = inspected;
  const cost = `about ${formatNumber(tokens)} tokens`;
  output.line(
    `${name} is connected: ${formatCount(count, 'tool')}, ${cost}${budget === undefined ? ' in each request' : ''}`,
  );
  if (budget !== undefined)
    output.line(
      `they exceed the budget of ${formatNumber(budget)} tokens (\`mcp.toolBudget\`), so a session finds them with tool_search`,
    );
  if (instructions !== undefined && instructions !== '')
    output.line(`its instructions are a note of about ${formatNumber(estimateTokens(instructions))} tokens`);
  const rows = [
    ...tools.map(({ definition, text, problem }) => [
      'tool',
      definition.name,
      formatNumber(estimateTokens(text)),
      firstLine(problem ?? definition.description),
    ]),
    ...prompts.map((prompt) => ['prompt', firstLine(prompt.name), '', firstLine(prompt.description ?? '')]),
    ...resources.map(({ uri, name: title, size }) => [
      'resource',
      uri,
      '',
      size === undefined ? firstLine(title) : `${firstLine(title)}, ${formatNumber(size)} bytes`,
    ]),
  ];
  if (rows.length > 0) output.table({ head: ['kind', 'name', 'tokens', 'description'], rows });
  if (left !== undefined) output.note(`not all tools are listed: ${left}`);
}

const SHOWN = 80;

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN).trimEnd()}…`;
}
