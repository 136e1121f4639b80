// What comes before a call runs: its arguments are read, it is permitted, and the events that say so are made.

import type { CallId, Event } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { CallPart } from '@tidemark/model';
import { abandon } from '../decide/open-calls.ts';
import type { TurnContext } from '../turn/turn-context.ts';
import { failed, head } from './closing.ts';
import { permitCall } from './permit-call.ts';
import type { CallRead } from './read-call.ts';
import { readCall } from './read-call.ts';
import type { ToolPreview } from './tool.ts';
import { unlessAborted } from './unless-aborted.ts';

/** A call that will run as soon as its events are on stable storage. */
export interface ReadyCall extends CallRead {
  readonly call: CallId;
  /** What a person said yes to. */
  readonly approved: ToolPreview | undefined;
}

/** What was decided about some calls: which of them run, and the events to append first. */
export interface PreparedCalls {
  readonly ready: readonly ReadyCall[];
  readonly events: readonly Event[];
}

/** Prepares calls in their order, one question at a time. `undefined` when the user interrupted: then nothing was decided. */
export async function prepareCalls(work: TurnContext, calls: readonly CallPart[]): Promise<PreparedCalls | undefined> {
  const ready: ReadyCall[] = [];
  const events: Event[] = [];
  for (const part of calls) {
    const prepared = await prepareCall(work, part);
    if (prepared === undefined) return undefined;
    ready.push(...prepared.ready);
    events.push(...prepared.events);
  }
  return { ready, events };
}

async function prepareCall(work: TurnContext, part: CallPart): Promise<PreparedCalls | undefined> {
  const { runtime, session, signal } = work;
  const call = callId(part.call);
  if (isGone(work, part.name)) return { ready: [], events: [abandon(call, 'unavailable', head(work))] };
  const read = await unlessAborted(readCall(part, runtime.tools, session.secrets), signal);
  if (read === undefined) return undefined;
  if ('problem' in read) return { ready: [], events: [await failed(work, call, read.problem)] };
  const permit = await permitCall(work, call, read);
  if (permit === undefined) return undefined;
  if ('problem' in permit) return { ready: [], events: [await failed(work, call, permit.problem)] };
  const decided: Event = { ...head(work), kind: 'permission.decided', data: permit.decided };
  // The fixed words of `tool.abandoned denied` name neither the mode nor the rule, and a model that is not told why tries
  // the same again (L6): so a denial closes the call as an error that says both.
  if (permit.denial !== undefined) return { ready: [], events: [decided, await failed(work, call, permit.denial)] };
  const { name, effect } = read.tool;
  const started: Event = { ...head(work), kind: 'tool.started', data: { call, name, effect } };
  return { ready: [{ ...read, call, approved: permit.approved }], events: [decided, started] };
}

/** Whether the model was shown a tool that is not there now: its server went away, say. */
function isGone({ runtime, session }: TurnContext, name: string): boolean {
  const isShown = session.state.epoch?.inForce.defined.has(name) ?? false;
  return isShown && !runtime.tools.some((tool) => tool.name === name);
}
