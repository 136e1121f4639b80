// One call of `agent`: its subagent is begun, or taken up where a crash left it, and works to its end. The parent's log names
// it before it is there, so that none is started twice and none is lost (L8).

import { defined } from '@tidemark/core';
import { frontEntries } from '@tidemark/context';
import type { CallId, EventData, SessionId } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';
import { OVER } from '../concurrency.ts';
import { openCalls } from '../decide/next-move.ts';
import { AgentError, messageOf } from '../errors.ts';
import { narrower } from '../permissions/judge.ts';
import type { AgentSession, Turn } from '../ports/live-session.ts';
import type { Runtime, TurnLimits } from '../ports/runtime.ts';
import { SUBAGENT_LIMITS } from '../ports/runtime.ts';
import { AGENT, NO_ROLE } from '../ports/subagent.ts';
import type { ToolOutput } from '../ports/tool.ts';
import { commitInside } from '../session/session.ts';
import type { TurnTaken } from '../session/spent.ts';
import { moneyTaken, tokensTaken, totalsOf } from '../session/spent.ts';
import type { Delegation, TurnContext } from '../session/turn-context.ts';
import { takenBy } from '../session/turn-context.ts';
import type { ChildSession, Children } from './children.ts';
import type { SubagentEnding } from './ending.ts';
import { endingOf, foldOf, outputOf } from './ending.ts';

type Started = EventData['subagent.started'];

/** Runs the subagent of one call to its end: begins it, or continues one that a crash left. An error after an interrupt closes the call as interrupted. */
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
  // Inside the mutex, so that calls which run together count each other.
  const start = await session.mutex.pass(() => begin(children, working, asked));
  if (typeof start === 'string') return { text: start, failed: true };
  // Flushed before there is a session of this name.
  await session.writer.sync();
  const { child } = start.started;
  try {
    return outputOf(child, await workOf(children, working, asked, start));
  } catch (error) {
    // Its log is open elsewhere, or damaged, or full: the session of the parent goes on without it.
    if (!(error instanceof LogError || error instanceof AgentError)) throw error;
    const failure = { code: error.code, message: messageOf(error), next: 'Look at its log.' };
    return outputOf(child, await failedAs(working, child, failure));
  }
}

/** What one is started with. */
interface SubagentStart {
  readonly started: Started;
  readonly limits: TurnLimits;
}

/** One that a crash left is taken up again; else a new one is named in the log. A text is why there is none. */
async function begin(
  children: Children,
  working: TurnContext,
  { call, order }: Delegation,
): Promise<SubagentStart | string> {
  const { session, runtime, turn } = working;
  const held = [...session.progress.openSubagents.values()].find((one) => one.call === call);
  const refusal = held === undefined ? refusalOf(working) : undefined;
  if (refusal !== undefined) return refusal;
  const limits = shareFor(children, working);
  children.promised.set(call, limits);
  if (held !== undefined) return { started: held, limits };
  const child = sessionId(runtime.surroundings.newName());
  const data = { child, role: order.role ?? NO_ROLE, task: order.task, call };
  const at = runtime.surroundings.now();
  const [record] = await commitInside(session, [{ kind: 'subagent.started', at, turn, data }]);
  // As it was written down: a secret in the task is masked there, and so it is for the subagent.
  return { started: record?.kind === 'subagent.started' ? record.data : data, limits };
}

/** Why none is started, as the model is told it. */
function refusalOf({ session: { progress }, runtime: { subagents = {} } }: TurnContext): string | undefined {
  const { depth = SUBAGENT_LIMITS.depth, total = SUBAGENT_LIMITS.total } = subagents;
  if ((progress.startedBy?.depth ?? 0) >= depth) return 'A subagent starts none itself: do the work yourself.';
  if (progress.subagentsStarted < total) return undefined;
  return `This session has started all of its subagents (${progress.subagentsStarted} of ${total}): do the work yourself.`;
}

function shareFor({ promised }: Children, working: TurnContext): TurnLimits {
  const { session, runtime } = working;
  const { progress, state } = session;
  const atWork = new Set([...progress.openSubagents.values()].map(({ call }) => call));
  for (const call of promised.keys()) if (!atWork.has(call)) promised.delete(call);
  const open = new Set<string>(openCalls(state));
  const waiting = (state.history.batch?.calls ?? []).filter(
    ({ call, name }) => name === AGENT && open.has(call) && ![...promised.keys()].some((one) => one === call),
  );
  const { steps = SUBAGENT_LIMITS.steps, ms = SUBAGENT_LIMITS.ms, tokens, cost } = runtime.subagents ?? {};
  const own = defined({ steps, ms, tokens, cost });
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
  const stop = (): void => void child.interrupt();
  try {
    await keepNarrow(child, working);
    const begun = fold?.state.turn !== undefined;
    const turn = begun ? child.resume() : child.prompt(firstPrompt(started.role, started.task));
    asked.signal.addEventListener('abort', stop, { once: true });
    if (asked.signal.aborted) stop();
    return await follow(turn, started, working, asked);
  } finally {
    asked.signal.removeEventListener('abort', stop);
    children.live.delete(child);
    await child.close();
  }
}

/** The mode of the parent may have been narrowed while the session was opened. */
async function keepNarrow(child: AgentSession, { session }: TurnContext): Promise<void> {
  const mode = narrower(child.mode, session.progress.mode ?? 'read-only');
  if (mode !== child.mode) await child.setMode(mode);
}

/** What it does is said as the progress of the call, and what a person should know as that. */
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
  { started: { child: id, role, task }, limits }: SubagentStart,
  create: boolean,
): ChildSession {
  const { state, progress, writer } = working.session;
  const mode = progress.mode ?? 'read-only';
  return {
    id,
    create,
    root: state.root ?? writer.session,
    startedBy: { session: writer.session, call, depth: (progress.startedBy?.depth ?? 0) + 1 },
    workspace: state.workspace ?? '/',
    title: titleOf(task),
    runtime: runtimeFor(children, working, role, limits),
    mode: order.readOnly === true ? narrower(mode, 'read-only') : mode,
  };
}

const TITLE = 60;

function titleOf(task: string): string {
  const [line = ''] = task.trim().split('\n', 1);
  return line.length <= TITLE ? line : `${line.slice(0, TITLE).trimEnd()}…`;
}

/** All that its parent is run with, rules included, but no project grants; so it can be allowed no more. Nothing is kept warm for it: it is short. */
function runtimeFor(children: Children, { session, runtime }: TurnContext, role: string, limits: TurnLimits): Runtime {
  const { ask, grants: _project, ...rest } = runtime;
  const opened = session.state.epoch?.opened;
  return {
    ...rest,
    limits,
    warm: 'off',
    // Tools that its parent came by later are appended behind that front, or wait as they do there.
    takeTools: 'next-epoch',
    ...defined({ inherits: opened === undefined ? undefined : { opened, cached: frontEntries(session.state) } }),
    ...(ask !== undefined && {
      ask: (question, signal) =>
        children.questions.pass(() =>
          ask({ ...question, title: `subagent ${roleInTitle(role)}: ${question.title}` }, signal),
        ),
    }),
  };
}

/** Characters of a role in the title of a question. */
const ROLE = 20;

/** A model chooses the role: in a title it is one short name, so that it can neither pass for the call nor push the call away. */
function roleInTitle(role: string): string {
  const plain = role
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, ' ')
    .trim()
    .slice(0, ROLE)
    .toWellFormed();
  return plain === '' ? NO_ROLE : plain;
}

async function failedAs(
  { session: { log } }: TurnContext,
  child: SessionId,
  error: NonNullable<SubagentEnding['error']>,
): Promise<SubagentEnding> {
  const fold = await foldOf(log, child).catch(() => undefined);
  const { turn } = fold?.progress ?? {};
  // Without its log nobody knows what it took.
  return {
    outcome: 'failed',
    error,
    text: turn?.text ?? '',
    totals: turn === undefined ? { steps: 0, calls: 0 } : totalsOf(turn.spent),
  };
}

// Limits of a subagent: the least of its own limits and its share of what the turn has left. Calls that wait get equal shares,
// and what one does not use goes to the next ones, so all of them together never take more than is left.

/** What the subagents of a turn may take together, and what those that work now were promised. */
export interface LeftForSubagents {
  readonly limits: TurnLimits;
  readonly taken: TurnTaken;
  readonly promised: ReadonlyMap<CallId, TurnLimits>;
  /** How many share the rest: the one that is asked for, and those that wait. */
  readonly among: number;
}

/** The limits of the next one. */
export function shareOf(own: TurnLimits, { limits, taken, promised, among }: LeftForSubagents): TurnLimits {
  const others = [...promised.values()];
  const tokens = restOf(limits.tokens, [tokensTaken(taken.spent), ...others.map((one) => one.tokens ?? 0)]);
  const cost =
    limits.cost &&
    sumOfMoney([
      limits.cost,
      ...[moneyTaken(taken.spent), ...others.map((one) => one.cost ?? '0')].map((one) => `-${one}`),
    ]);
  return {
    ...defined({ steps: own.steps }),
    ...least('ms', own.ms, restOf(limits.ms, [taken.ms])),
    ...least('tokens', own.tokens, tokens === undefined ? undefined : Math.floor(tokens / among)),
    ...leastCost(own.cost, cost === undefined ? undefined : partOf(cost, among)),
  };
}

function restOf(limit: number | undefined, taken: readonly number[]): number | undefined {
  return limit === undefined
    ? undefined
    : Math.max(
        0,
        taken.reduce((rest, one) => rest - one, limit),
      );
}

function least(name: 'ms' | 'tokens', own: number | undefined, share: number | undefined): TurnLimits {
  return own === undefined && share === undefined ? {} : { [name]: Math.min(own ?? Infinity, share ?? Infinity) };
}

function leastCost(own: string | undefined, share: string | undefined): TurnLimits {
  if (own === undefined) return share === undefined ? {} : { cost: share };
  return { cost: share === undefined || sumOfMoney([own, `-${share}`]).startsWith('-') ? own : share };
}

/** Digits behind the point that a share is cut to. */
const DIGITS = 12;

/** Rounded down, in exact decimals; nothing of what is spent already. */
function partOf(amount: string, parts: number): string {
  if (amount.startsWith('-')) return '0';
  const [whole = '0', fraction = ''] = amount.split('.');
  const units = BigInt(whole + fraction.slice(0, DIGITS).padEnd(DIGITS, '0')) / BigInt(parts);
  const text = String(units).padStart(DIGITS + 1, '0');
  return sumOfMoney([`${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`]);
}

/**
 * Returns the first prompt of a subagent: its role and its task. They are in the prompt because its front is that of its parent
 * (the cache). The text says that these are the words of an agent.
 */
function firstPrompt(role: string, task: string): string {
  const roleLine = role === NO_ROLE ? '' : `Your role: ${role}\n`;
  return `You work as a subagent. Another agent gave you the task below: it is no word of the user, and nobody answers questions. What you say last is all that is read of your work: say what was found or done, and what was not.\n${roleLine}Your task:\n${task}`;
}
