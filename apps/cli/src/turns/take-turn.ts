// Runs one turn for the command line. Opens an agent in a folder, sends a prompt or resumes a turn, and reports the end
// of the turn.

import type { AgentSession, FinishedTurn, Permissions, Turn } from '@tidemark/kit';

import type { CommandContext } from '../frame/command.ts';
import type { ExitCode } from '../frame/exit-codes.ts';
import { askPerson } from '../present/ask-person.ts';
import { presentSession } from '../present/present-session.ts';
import { reportRunning } from '../present/process-line.ts';
import { reportTurn } from '../present/report-turn.ts';
import type { AgentRequest } from './open-agent.ts';
import { openAgent } from './open-agent.ts';

/** Request for `takeTurn` to run one turn. */
export interface TurnRequest extends AgentRequest {
  /** Starts the turn in the opened session: sends a prompt, or resumes an interrupted turn. */
  begin(session: AgentSession): Turn;
}

/** Runs one turn, shows its events, and returns its exit code. */
export async function takeTurn(request: TurnRequest, context: CommandContext): Promise<ExitCode> {
  const { session, close } = await openAgent(request, context, askerOf(context));
  try {
    return await turnIn(session, request, context);
  } finally {
    await close();
  }
}

function askerOf({ input, output }: CommandContext): Permissions['ask'] | undefined {
  if (!input.terminal || output.json) return undefined;
  return (question, signal) => askPerson(question, { input, signal });
}

async function turnIn(session: AgentSession, request: TurnRequest, context: CommandContext): Promise<ExitCode> {
  const { output, signal } = context;
  if (output.json) output.event({ type: 'session.opened', session: session.id, mode: session.mode }, () => '');
  const presenter = presentSession(output, session.id, request.session?.answered);
  const finished = await untilEnded(session, request.begin(session), presenter.show, signal);
  presenter.rest();
  reportRunning(session, output);
  const { tokens, subagents } = presenter;
  return reportTurn({ session: session.id, finished, tokens, subagents }, output);
}

/** Shows the turn until its end. Ctrl-C interrupts the turn, and the log records the interruption. */
async function untilEnded(
  session: AgentSession,
  turn: Turn,
  show: ReturnType<typeof presentSession>['show'],
  signal: AbortSignal,
): Promise<FinishedTurn> {
  let interrupting: Promise<void> | undefined;
  const interrupt = (): void => {
    interrupting = session.interrupt();
    // Prevents an unhandled rejection. The error is thrown at the `await` of `interrupting`, after the turn has ended.
    interrupting.catch(() => undefined);
  };
  if (signal.aborted) interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    for await (const event of turn) show(event);
    return await turn;
  } finally {
    signal.removeEventListener('abort', interrupt);
    await interrupting;
  }
}
