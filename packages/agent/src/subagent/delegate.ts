// Runs one call of `agent`. Starts its subagent, or continues a subagent that a crash left, until it ends. The parent's
// log names the subagent before its session exists. Therefore no subagent is started twice and none is lost (L8).

import { defined } from '@tidemark/core';
import type { EventData, SessionId } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';
import { OVER } from '../concurrency.ts';
import { openCalls } from '../decide/next-move.ts';
import { AgentError, messageOf } from '../errors.ts';
import { narrower } from '../permissions/judge.ts';
import type { AgentSession, Turn } from '../ports/live-session.ts';
import type { TurnLimits } from '../ports/runtime.ts';
import { SUBAGENT_LIMITS } from '../ports/runtime.ts';
import { AGENT, NO_ROLE } from '../ports/subagent.ts';
import type { ToolOutput } from '../ports/tool.ts';
import { commitInside } from '../session/session.ts';
import { totalsOf } from '../session/spent.ts';
import type { Delegation, TurnContext } from '../session/turn-context.ts';
import { takenBy } from '../session/turn-context.ts';
import { childRuntime, firstPrompt } from './child-runtime.ts';
import type { ChildSession, Children } from './children.ts';
import type { SubagentEnding } from './ending.ts';
import { endingOf, foldOf, outputOf } from './ending.ts';
import { startAs } from './own-agent.ts';
import { lowerLimits, shareOf } from './subagent-limits.ts';

type Started = EventData['subagent.started'];

/**
 * Runs the subagent of one call to its end. It starts a new subagent or continues a subagent that a crash left. If an
 * error follows an interrupt, the call is closed as interrupted.
 */
export async function delegate(children: Children, working: TurnContext, asked: Delegation): Promise<ToolOutput> {
  const leave = await children.slots.enter(asked.signal);
  if (leave === undefined) throw OVER;
  const work = startedFor(children, working, asked).finally(leave);
  const ended = work.catch(() => undefined);
  children.work.add(ended);
  void ended.then(() => children.work.delete(ended));
  return work;
}

async function startedFor(children: Children, working: TurnContext, asked: Delegation): Promise<ToolOutput> {
  const { session } = working;
  // `begin` runs inside the mutex, so that parallel calls count each other's subagents.
  const start = await session.mutex.pass(() => begin(children, working, asked));
  if (typeof start === 'string') return { text: start, failed: true };
  // The record of the start is flushed before the session of the subagent is created. Therefore no session exists
  // without its record (L8).
  await session.writer.sync();
  const { child } = start.started;
  try {
    return outputOf(child, await workOf(children, working, asked, start));
  } catch (error) {
    // Such an error means that the subagent's log is damaged, on a full disk, or open in another place. The session of
    // the parent continues without the subagent.
    if (!(error instanceof LogError || error instanceof AgentError)) throw error;
    const failure = { code: error.code, message: messageOf(error), next: 'Read the log of the subagent.' };
    return outputOf(child, await failedAs(working, child, failure));
  }
}

interface SubagentStart {
  readonly started: Started;
  readonly limits: TurnLimits;
}

/**
 * Returns the subagent that a crash left for this call. Otherwise records the start of a new subagent and returns this
 * subagent. If no subagent is allowed to start, returns a text with the reason.
 */
async function begin(
  children: Children,
  working: TurnContext,
  { call, order }: Delegation,
): Promise<SubagentStart | string> {
  const { session, runtime, turn } = working;
  const held = [...session.progress.openSubagents.values()].find((one) => one.call === call);
  const refusal = held === undefined ? refusalOf(working) : undefined;
  if (refusal !== undefined) return refusal;
  const as = held ?? startAs(runtime, order.agent);
  if (typeof as === 'string') return as;
  const limits = shareFor(children, working, as.agent?.name);
  children.promised.set(call, limits);
  if (held !== undefined) return { started: held, limits };
  const child = sessionId(runtime.surroundings.newName());
  const data = { child, role: order.role ?? order.agent ?? NO_ROLE, task: order.task, call, ...as };
  const at = runtime.surroundings.now();
  const [record] = await commitInside(session, [{ kind: 'subagent.started', at, turn, data }]);
  // The recorded data is returned because a secret in the task is already masked in it. The subagent must get the same
  // masked task.
  return { started: record?.kind === 'subagent.started' ? record.data : data, limits };
}

function refusalOf({ session: { progress }, runtime: { subagents = {} } }: TurnContext): string | undefined {
  const { depth = SUBAGENT_LIMITS.depth, total = SUBAGENT_LIMITS.total } = subagents;
  if ((progress.startedBy?.depth ?? 0) >= depth) return 'A subagent cannot start subagents: do the work yourself.';
  if (progress.subagentsStarted < total) return undefined;
  return `This session has started its maximum of subagents (${progress.subagentsStarted} of ${total}): do the work yourself.`;
}

function shareFor({ promised }: Children, working: TurnContext, agent: string | undefined): TurnLimits {
  const { session, runtime } = working;
  const { progress, state } = session;
  const atWork = new Set([...progress.openSubagents.values()].map(({ call }) => call));
  for (const call of promised.keys()) if (!atWork.has(call)) promised.delete(call);
  const open = new Set<string>(openCalls(state));
  const waiting = (state.history.batch?.calls ?? []).filter(
    ({ call, name }) => name === AGENT && open.has(call) && ![...promised.keys()].some((one) => one === call),
  );
  const { steps = SUBAGENT_LIMITS.steps, ms = SUBAGENT_LIMITS.ms, tokens, cost } = runtime.subagents ?? {};
  const usual = defined({ steps, ms, tokens, cost });
  const own = lowerLimits(usual, agent === undefined ? {} : (runtime.agents?.find(agent)?.limits ?? {}));
  const among = Math.max(1, waiting.length);
  return shareOf(own, { limits: runtime.limits, taken: takenBy(working), promised, among });
}

async function workOf(
  children: Children,
  working: TurnContext,
  asked: Delegation,
  start: SubagentStart,
): Promise<SubagentEnding> {
  const { started } = start;
  const fold = await foldOf(working.session.log, started.child);
  const ended = fold && endingOf(fold);
  if (ended !== undefined) return ended;
  const child = await children.open(childOf(children, working, asked, start, fold === undefined));
  children.live.add(child);
  const { signal } = asked;
  try {
    await keepNarrow(child, working);
    const begun = fold?.state.turn !== undefined;
    const turn = begun ? child.resume({ signal }) : child.prompt(firstPrompt(started), { signal });
    return await follow(turn, started, working, asked);
  } finally {
    children.live.delete(child);
    await child.close();
  }
}

/**
 * Narrows the mode of the subagent again. The mode of the parent may have become narrower while the session was opened.
 */
async function keepNarrow(child: AgentSession, { session }: TurnContext): Promise<void> {
  const mode = narrower(child.mode, session.progress.mode ?? 'read-only');
  if (mode !== child.mode) await child.setMode(mode);
}

/**
 * Reports the tool calls of the subagent as progress of the call that started it. Reports the notices of the subagent
 * as notices of the parent.
 */
async function follow(
  turn: Turn,
  { role }: Started,
  { tell }: TurnContext,
  { say }: Delegation,
): Promise<SubagentEnding> {
  for await (const event of turn) {
    if (event.type === 'recorded' && event.record.kind === 'tool.started') say(`${role}: ${event.record.data.name}`);
    if (event.type !== 'notice.raised') continue;
    const { notice } = event;
    tell({ type: 'notice.raised', notice: { ...notice, message: `subagent ${role}: ${notice.message}` } });
  }
  return turn;
}

function childOf(
  children: Children,
  working: TurnContext,
  { call, order }: Delegation,
  { started, limits }: SubagentStart,
  create: boolean,
): ChildSession {
  const { state, progress, writer } = working.session;
  const mode = progress.mode ?? 'read-only';
  const { child: id, task } = started;
  return {
    id,
    create,
    root: state.root ?? writer.session,
    startedBy: {
      session: writer.session,
      call,
      depth: (progress.startedBy?.depth ?? 0) + 1,
      ...defined({ agent: started.agent?.name, model: started.model }),
    },
    workspace: state.workspace ?? '/',
    title: titleOf(task),
    runtime: childRuntime(children, working, started, limits),
    mode: order.readOnly === true ? narrower(mode, 'read-only') : mode,
  };
}

/** Longest title of a subagent's session, in characters. */
const TITLE = 60;

function titleOf(task: string): string {
  const [line = ''] = task.trim().split('\n', 1);
  return line.length <= TITLE ? line : `${line.slice(0, TITLE).trimEnd()}…`;
}

async function failedAs(
  { session: { log } }: TurnContext,
  child: SessionId,
  error: NonNullable<SubagentEnding['error']>,
): Promise<SubagentEnding> {
  const fold = await foldOf(log, child).catch(() => undefined);
  const { turn } = fold?.progress ?? {};
  // If the log of the subagent cannot be read, its usage is unknown and no usage is counted.
  return {
    outcome: 'failed',
    error,
    text: turn?.text ?? '',
    totals: turn === undefined ? { steps: 0, calls: 0 } : totalsOf(turn.spent),
  };
}
