// Opens the interactive terminal: the session, its controller and the screen.

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import type { AgentRequest } from '../turns/open-agent.ts';
import { openAgent } from '../turns/open-agent.ts';
import { createController } from './control/create-controller.ts';
import type { PrintedBlock } from './state/blocks.ts';
import { EMPTY_CONVERSATION, foldRecord } from './state/conversation.ts';
import { showScreen } from './screen/show-screen.ts';

/** Runs the interactive terminal until the user leaves it. */
export async function openTerminal(request: AgentRequest, context: CommandContext): Promise<CommandOutcome> {
  const controller = createController();
  const opened = await openAgent(request, context, controller.ask);
  try {
    controller.attach(opened, await historyOf(request, context));
    const { stdout, stdin } = process;
    const hide = showScreen(controller, { stdout, stdin, colour: context.output.colour });
    await controller.left;
    await hide();
    return undefined;
  } finally {
    await opened.close();
  }
}

/** Returns the blocks of the session's earlier records. */
async function historyOf({ session }: AgentRequest, context: CommandContext): Promise<readonly PrintedBlock[]> {
  if (session === undefined) return [];
  let conversation = EMPTY_CONVERSATION;
  const store = await context.store();
  for await (const record of store.read(session.id)) conversation = foldRecord(conversation, record);
  return conversation.blocks.from(0);
}
