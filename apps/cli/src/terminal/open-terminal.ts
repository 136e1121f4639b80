// Opens the interactive terminal: the session, its controller and the screen.

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import type { AgentRequest } from '../turns/open-agent.ts';
import { prepareAgent } from '../turns/open-agent.ts';
import type { OwnedController } from './control/create-controller.ts';
import { createController } from './control/create-controller.ts';
import { showScreen } from './screen/show-screen.ts';

/** Runs the interactive terminal until the user leaves it. */
export async function openTerminal(request: AgentRequest, context: CommandContext): Promise<CommandOutcome> {
  const log = await context.store();
  let shown = false;
  const controller: OwnedController = createController({
    sessions: {
      log,
      folder: context.folder,
      prepare: (session) =>
        prepareAgent(
          { ...request, ...(session === undefined ? {} : { session }) },
          shown ? quietContext(context, controller) : context,
          controller.ask,
        ),
    },
  });
  try {
    const { session } = request;
    await controller.openSession(session === undefined ? { open: 'new' } : { open: 'existing', id: session.id });
    const { stdout, stdin } = process;
    const hide = showScreen(controller, { stdout, stdin, colour: context.output.colour });
    shown = true;
    await controller.left;
    await hide();
    return undefined;
  } finally {
    await controller.close();
  }
}

/**
 * Returns the context while the screen is shown. Notices are printed above the editor. Questions of the plain command
 * cannot be asked, because the screen has the keyboard.
 */
function quietContext(context: CommandContext, { print }: OwnedController): CommandContext {
  const { input, output } = context;
  return {
    ...context,
    input: { ...input, terminal: false, rows: input.rows, columns: input.columns },
    output: { ...output, note: (shown) => print([shown]), line: (shown) => print([shown]) },
  };
}
