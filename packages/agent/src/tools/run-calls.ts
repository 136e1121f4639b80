// Runs the open calls of the current batch. Calls that only read run in parallel. Calls that change something run alone
// and in order. Each call is closed by exactly one event as soon as it ends. The fold puts the results into call order.

import type { State } from '@tidemark/context';
import type { CallPart } from '@tidemark/model';
import { OVER, abortOf } from '../concurrency.ts';
import { abandonAll } from '../decide/next-move.ts';
import type { ToolEffect } from '../ports/context-source.ts';
import type { Tool } from '../ports/tool.ts';
import { commit } from '../session/session.ts';
import type { TurnContext } from '../session/turn-context.ts';
import type { ReadyCall } from './ask-about-call.ts';
import { prepareCalls } from './prepare-calls.ts';
import { head, runCall } from './run-call.ts';

/** Time in which a tool has to end after it was asked to stop, in milliseconds. */
const GRACE_MS = 5_000;

/**
 * Closes every open call of the current batch. Returns the effects of the calls that ran, in call order. When the user
 * interrupts, running tools are asked to stop and get five seconds. Calls that are still open after that time are
 * abandoned.
 *
 * @throws AgentError, LogError if an event cannot be appended or flushed. Running tools are stopped first. The calls
 *   stay open, and the next command decides about them.
 */
export async function runCalls(work: TurnContext): Promise<readonly ToolEffect[]> {
  const effects: ToolEffect[] = [];
  for (const group of groupsOf(openParts(work.session.state), work.runtime.tools)) {
    if (work.signal.aborted) break;
    effects.push(...(await runGroup(work, group)));
  }
  if (work.signal.aborted) await abandonOpen(work);
  return effects;
}

function openParts({ history }: State): readonly CallPart[] {
  const { batch } = history;
  return batch === undefined ? [] : batch.calls.filter(({ call }) => !batch.closed.has(call));
}

/**
 * Groups consecutive calls that may run in parallel, in call order. If a call must run alone, its group contains only
 * this call.
 */
function groupsOf(calls: readonly CallPart[], tools: readonly Tool[]): readonly (readonly CallPart[])[] {
  const groups: CallPart[][] = [];
  let holdsUp = true;
  for (const call of calls) {
    const alone = runsAlone(tools.find(({ name }) => name === call.name));
    if (alone || holdsUp) groups.push([call]);
    else groups.at(-1)?.push(call);
    holdsUp = alone;
  }
  return groups;
}

/**
 * Returns true if a call of this tool must run alone. A call of an unknown tool runs nothing, so other calls do not
 * wait for it.
 */
function runsAlone(tool: Tool | undefined): boolean {
  return tool?.alone ?? (tool?.effect === 'write' || tool?.effect === 'execute');
}

async function runGroup(work: TurnContext, group: readonly CallPart[]): Promise<readonly ToolEffect[]> {
  const { session, signal } = work;
  const prepared = await prepareCalls(work, group);
  if (prepared === undefined) return [];
  await commit(session, prepared.events);
  if (prepared.ready.length === 0) return [];
  // Barrier before a tool (L8). If the log has no start of a call, the call has not run, even after a crash.
  await session.writer.sync();
  if (signal.aborted) return [];
  await work.watched?.begin(prepared.ready.map(({ tool }) => tool.effect));
  await runTogether(work, prepared.ready);
  return prepared.ready.map(({ tool }) => ({ tool: tool.name, effect: tool.effect, touches: tool.touches ?? [] }));
}

async function runTogether(work: TurnContext, ready: readonly ReadyCall[]): Promise<void> {
  const broken = new AbortController();
  const over = new AbortController();
  const stop = AbortSignal.any([work.signal, broken.signal]);
  const givenUp = patience(work, stop, over.signal);
  const closings = ready.map((one) => runCall(work, one, { stop, givenUp }));
  try {
    await Promise.all(closings);
  } catch (cause) {
    broken.abort();
    await Promise.allSettled(closings);
    throw cause;
  } finally {
    over.abort(OVER);
  }
}

async function patience({ runtime }: TurnContext, stop: AbortSignal, over: AbortSignal): Promise<void> {
  await abortOf(stop, over);
  await runtime.surroundings.wait(GRACE_MS, over);
}

async function abandonOpen(work: TurnContext): Promise<void> {
  const closings = abandonAll(work.session, 'interrupted', head(work));
  if (closings.length > 0) await commit(work.session, closings);
}
