// `/mcp`: shows the MCP servers with their tools, and asks about definitions that changed.

import type { McpServerState, Question } from '@tidemark/kit';

import { formatCount } from '../../frame/numbers.ts';
import { plainText } from '../../frame/plain-text.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { knownServersSilently } from '../../mcp/known-servers.ts';
import { showLine } from './command-lines.ts';
import { showLines } from './shown-lines.ts';
import type { SlashCommand, SlashPlace } from './slash-command.ts';

/** Slash command `/mcp`. */
export const mcpCommand: SlashCommand = {
  name: 'mcp',
  group: 'context',
  summary: 'show the MCP servers with their states and tools, and approve changed tools',
  argument: '[command]',
  async run({ words }, place) {
    if (words.length > 0) return showLine(['mcp', ...words], `/mcp ${words.join(' ')}`, place);
    const servers = (await place.controller.agent()?.mcpServers()) ?? [];
    const lines = servers.length === 0 ? NO_SERVERS : servers.flatMap(serverLines);
    await showLines('/mcp', [...lines, ...(await unusedLines(place))], place);
    await approveChanged(servers, place);
  },
};

const NO_SERVERS: readonly Shown[] = [
  'MCP servers give the model more tools. This session has none.',
  '`/mcp add <name> <address>` or `/mcp add <name> -- <command>` adds one.',
  'A session that is opened after that has it.',
];

/** Names the servers of the settings that a session does not use, with the reason. */
async function unusedLines({ context, controller }: SlashPlace): Promise<readonly Shown[]> {
  const { servers } = await knownServersSilently({ ...context, folder: controller.workspace() });
  return servers.flatMap(({ name, unused }): readonly Shown[] =>
    unused === undefined ? [] : [withStyle('yellow', plainText(`${name} is not used: ${unused}`))],
  );
}

function serverLines({ name, trouble, missing, tools, changed }: McpServerState): readonly Shown[] {
  const state =
    trouble === undefined ? withStyle('green', 'connected') : withStyle('yellow', `not connected: ${trouble}`);
  return [
    [withStyle('bold', name), ', ', state, `, ${formatCount(tools.length, 'tool')}`],
    ...tools.map((tool) => `  ${tool}`),
    ...changed.map((one) => withStyle('yellow', `  ${one.name} changed since it was approved, and is not offered`)),
    ...(trouble === undefined
      ? []
      : [`  \`/mcp test ${name}\` tries again. A session that is opened later connects again.`]),
    ...(missing === undefined ? [] : [withStyle('yellow', `  tools are missing: ${missing}`)]),
  ];
}

/** Asks about each changed definition with the same question as before a request. */
async function approveChanged(servers: readonly McpServerState[], { controller, context }: SlashPlace): Promise<void> {
  for (const { name, was, is, approve } of servers.flatMap(({ changed }) => changed)) {
    const title = `${name} changed its definition since it was approved`;
    const question: Question = { about: 'definition', tool: name, title, rule: 'ask/definition', was, is };
    if (!isYes(await controller.ask(question, context.signal))) continue;
    approve();
    controller.print([`${name} is approved. It is offered from the next request on.`]);
  }
}

function isYes(answer: Awaited<ReturnType<SlashPlace['controller']['ask']>>): boolean {
  if (typeof answer === 'object') return answer.decision === 'allowed';
  return answer === true || answer === 'always' || answer === 'allowed';
}
