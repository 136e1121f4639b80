// Opens the interactive terminal: the session, its controller and the screen.

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import type { AgentRequest } from '../turns/open-agent.ts';
import { openAgent } from '../turns/open-agent.ts';
import { createController } from './control/create-controller.ts';
import type { PrintedBlock } from './state/blocks.ts';
import { EMPTY_CONVERSATION, foldRecord } from './state/conversation.ts';
import type { StatusFacts } from './state/status-facts.ts';
import { foldStatusRecord, NO_FACTS } from './state/status-facts.ts';
import { showScreen } from './screen/show-screen.ts';

/** Runs the interactive terminal until the user leaves it. */
export async function openTerminal(request: AgentRequest, context: CommandContext): Promise<CommandOutcome> {
  const controller = createController();
  const opened = await openAgent(request, context, controller.ask);
  try {
    const { blocks, facts } = await historyOf(request, context);
    controller.attach(opened, blocks, facts, request.session?.workspace ?? context.folder);
    const { stdout, stdin } = process;
    const hide = showScreen(controller, { stdout, stdin, colour: context.output.colour });
    await controller.left;
    await hide();
    return undefined;
  } finally {
    await opened.close();
  }
}

/** Earlier records of a session: their blocks, and the facts of the status line after them. */
interface TerminalHistory {
  readonly blocks: readonly PrintedBlock[];
  readonly facts: StatusFacts;
}

/** Returns the blocks of the session's earlier records, and the facts of the status line after them. */
async function historyOf({ session }: AgentRequest, context: CommandContext): Promise<TerminalHistory> {
  let conversation = EMPTY_CONVERSATION;
  let facts = NO_FACTS;
  if (session === undefined) return { blocks: [], facts };
  const store = await context.store();
  for await (const record of store.read(session.id)) {
    conversation = foldRecord(conversation, record);
    facts = foldStatusRecord(facts, record);
  }
  return { blocks: conversation.blocks, facts };
}
