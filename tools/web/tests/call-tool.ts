// Runs a web tool as the runtime does, without a session: arguments, run, and the page that fits a result.

import type { ResultRoom, Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import { createSecrets } from '@tidemark/agent';
import { callId, sessionId } from '@tidemark/log';

/** Value of a secret that the context of these tests masks. */
export const SECRET = 'correct-horse-battery-staple';

const { mask } = createSecrets({ values: [{ name: 'TEST_KEY', value: SECRET }] });

const ROOM: ResultRoom = { bytes: 50 * 1024, lines: 2_000 };

const unused = (): never => {
  throw new Error('a web tool does not use this part of the context');
};

/** Context of a call that a test can change in parts. */
export function contextOf(given: Partial<ToolContext> = {}): ToolContext {
  return {
    session: sessionId('a-session'),
    call: callId('a-call'),
    signal: new AbortController().signal,
    mask,
    write: unused,
    progress: unused,
    notice: unused,
    fileSeen: unused,
    output: unused,
    history: { length: 0, read: unused, artifact: unused },
    skills: { preloaded: [], loaded: [] },
    room: () => ROOM,
    ...given,
  };
}

/** Output of a call, with the text of its page. */
export interface CalledTool {
  readonly text: string;
  readonly output: ToolOutput;
}

/**
 * Calls a tool. `room` is the maximum size of the result.
 *
 * @throws Error with the problem of the arguments, or as the run does.
 */
export async function callTool(
  tool: Tool,
  input: unknown,
  given: Partial<ToolContext> = {},
  room: ResultRoom = ROOM,
): Promise<CalledTool> {
  const run = await tool.read(input);
  if ('problem' in run) throw new Error(run.problem);
  const context = contextOf(given);
  const output = await run.run(context);
  const page = output.page === undefined ? '' : await output.page(room, async (text) => sizeOf(await mask(text)));
  return { text: (output.text ?? '') + page, output };
}

function sizeOf(text: string): ResultRoom {
  return { bytes: Buffer.byteLength(text), lines: text.split('\n').length };
}
