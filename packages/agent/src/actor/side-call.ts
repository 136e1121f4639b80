// Side call: a request outside the conversation, on its own stream. It is sent, retried and recorded like any other
// request, and the main stream never contains it.

import { defined } from '@tidemark/core';
import { expectedInput, slice } from '@tidemark/context';
import type { CallForecast, ContentPart, Recorded } from '@tidemark/log';
import type { Answer, ProviderError } from '@tidemark/model';
import { retryPause, whyBeyond } from '../decide/limits.ts';
import { quarantinesFor } from '../decide/quarantine.ts';
import { lastingOf } from '../decide/warmth.ts';
import { AgentError } from '../errors.ts';
import type { SideAnswer, SideCall } from '../ports/live-session.ts';
import { limitIn } from '../ports/turn-error.ts';
import type { SessionEvent } from '../ports/session-event.ts';
import { chooseEncoder, encoderWithout, fieldNotice } from '../request/choose-encoder.ts';
import type { Prepared } from '../request/prepare.ts';
import { prepareRequest } from '../request/prepare.ts';
import { commitInside } from '../session/session.ts';
import { NOTHING_SPENT } from '../session/spent.ts';
import { mayPreload, preloadSkills } from '../turn/begin-turn.ts';
import { refreshTools } from '../turn/refresh-tools.ts';
import type { Sending } from '../turn/send-request.ts';
import { sendRequest } from '../turn/send-request.ts';
import type { RequestRepair } from '../turn/step.ts';
import { recordEnd, repairRequest } from '../turn/step.ts';
import type { Actor } from './actor.ts';
import { applyRuntimeChange, requireUsable, tell } from './actor.ts';

export interface SideCallInParts extends Omit<SideCall, 'prompt'> {
  readonly words: readonly ContentPart[];
  /**
   * Present if the call keeps the cache warm. `refresh` is a read that restarts the lifetime. `promotion` is a read
   * that makes the lifetime longer. Such a call is sent only one time, because the cache entry would expire while a
   * retry waits.
   */
  readonly keeps?: 'refresh' | 'promotion';
  /** True if the call must not be repeated. It is sent only if most of its input will be read from the cache. */
  readonly optional?: true;
}

/** Received answer of a side call, with the reason why the model stopped. */
type SideReply = Pick<SideAnswer, 'text' | 'parts' | 'usage' | 'cost' | 'request'> & Pick<Answer, 'stop'>;

/**
 * Sends a side call, during a turn or between turns.
 *
 * @throws ProviderError if the call failed and is not sent again.
 * @throws AgentError `agent/stopped` if the caller or `close` stopped the call; `agent/limited` if the call would
 *   exceed a limit of tokens or cost; `agent/not-cached` if the call was optional and the cache contains too little of
 *   its input.
 */
export async function callBeside(actor: Actor, call: SideCallInParts): Promise<SideReply> {
  requireUsable(actor);
  const abort = new AbortController();
  const signal = call.signal === undefined ? abort.signal : AbortSignal.any([abort.signal, call.signal]);
  const answer = tryOut(actor, call, signal);
  actor.beside.set(abort, answer);
  try {
    return await answer;
  } finally {
    actor.beside.delete(abort);
  }
}

async function tryOut(actor: Actor, call: SideCallInParts, signal: AbortSignal): Promise<SideReply> {
  const { session } = actor;
  const passing = { session, signal, tell: (event: SessionEvent) => tell(actor, event) };
  // If the call opens the first epoch, this epoch must contain all tools. Tools cannot be appended to a front without
  // tools.
  if (session.state.epoch === undefined)
    await refreshTools({
      ...passing,
      runtime: actor.runtime,
      applyRuntimeChange: (change) => applyRuntimeChange(actor, change),
    });
  const { runtime } = actor;
  // Preloaded skills are recorded before the first turn. If a turn is running, its beginning has already recorded them.
  if (actor.running === undefined && mayPreload({ session, runtime }))
    await session.mutex.pass(async () => {
      const { events } = await preloadSkills({ session, runtime, wantedFor: actor.wantedFor }, []);
      return commitInside(session, events);
    });
  const { surroundings, retry } = runtime;
  const sending: Sending = { ...passing, runtime };
  const stream = `side/${surroundings.newName()}` as const;
  let repairs = 0;
  for (let tries = 1; !signal.aborted; tries += 1) {
    const prepared = await prepare({ ...actor, runtime }, { ...call, afterRepair: repairs > 0 }, stream, tries - 1);
    const shared = actor.promptStreams.main?.sequence.blocks.length ?? 0;
    const received = await sendRequest(sending, prepared, () => undefined);
    const { error } = received.end === 'failed' ? received : { error: undefined };
    const pause = isRepeated(call) && error ? retryPause(retry, error, tries, surroundings.random()) : undefined;
    const repair =
      error && call.optional !== true
        ? repairBeside({ ...actor, runtime }, call, { prepared, error, repairs, shared })
        : undefined;
    const other = error && encoderWithout(runtime.provider, prepared.record.data, error);
    const isSentAgain = pause !== undefined || repair !== undefined || other !== undefined;
    const record = await recordEnd(sending, prepared, received, isSentAgain);
    if (received.end === 'finished') {
      await session.writer.sync();
      return answerOf(record, received.answer);
    }
    if (error !== undefined && other !== undefined) {
      actor.promptStreams.encoder = other;
      sending.tell(fieldNotice(error));
      continue;
    }
    if (error !== undefined && repair !== undefined) {
      repairs += 1;
      await repairRequest({ session, promptStreams: actor.promptStreams, tell: sending.tell }, repair, error);
      continue;
    }
    if (error !== undefined && pause === undefined) throw error;
    if (pause !== undefined) await surroundings.wait(pause, signal);
  }
  throw new AgentError(
    'agent/stopped',
    `the side call "${call.purpose}" was stopped before its answer: make the call again`,
  );
}

/**
 * Returns true if the call may be retried. A call that keeps the cache warm cannot wait, and an optional call must not
 * delay other work.
 */
function isRepeated({ keeps, optional }: SideCallInParts): boolean {
  return keeps === undefined && optional !== true;
}

/** A side call with `afterRepair`: true if the call is sent again after a repair. */
interface SideCallAttempt extends SideCallInParts {
  readonly afterRepair: boolean;
}

async function prepare(
  { session, promptStreams, runtime, wantedFor, running }: Actor,
  {
    purpose,
    words,
    keeps,
    afterRepair,
    optional,
    history = 'none',
    maxOutputTokens: most = runtime.outputLimit,
  }: SideCallAttempt,
  stream: `side/${string}`,
  attempt: number,
): Promise<Prepared> {
  const { capabilities, provider, warm = 'off', envelope, betas, surroundings } = runtime;
  const ttl = lastingOf(runtime.ttl, warm, capabilities, session.state);
  const outputLimit = Math.min(most, capabilities.outputLimit);
  const { account } = provider;
  const encoder = chooseEncoder(provider, session.state, promptStreams.encoder);
  const made = { capabilities, encoder, account, outputLimit, ttl, envelope, betas, purpose, attempt };
  return prepareRequest(session, promptStreams, {
    ...made,
    at: surroundings.now(),
    wanted: await wantedFor(runtime),
    beside: { stream, extra: words, history, ...(keeps && { keeps }), ...(afterRepair && { afterRepair }) },
    ...defined({ turn: running?.turn }),
    admit: ({ outlook: { forecast } }) => {
      if (optional === true) requireCached(purpose, forecast);
      requireLimits({ session, runtime, running }, purpose, forecast);
    },
  });
}

/** Minimum share of the call's input that must be in the cache. Otherwise an optional call is not sent. */
const MIN_SHARE = 3 / 4;

function requireCached(purpose: string, forecast: CallForecast): void {
  const input = expectedInput(forecast);
  if (forecast.read >= MIN_SHARE * input) return;
  const message = `the side call "${purpose}" was not made: only about ${forecast.read} of its ${input} tokens are in the cache`;
  throw new AgentError('agent/not-cached', `${message}. To make it anyway, ask without \`auto\``);
}

/**
 * Throws if the side call would exceed a limit of tokens or cost. A side call during a turn counts toward the limits of
 * that turn.
 */
function requireLimits(
  { session, runtime, running }: Pick<Actor, 'session' | 'runtime' | 'running'>,
  purpose: string,
  forecast: CallForecast,
): void {
  const spent = running === undefined ? NOTHING_SPENT : (session.progress.turn?.spent ?? NOTHING_SPENT);
  const why = whyBeyond(runtime.limits, spent, forecast)?.error;
  if (why === undefined) return;
  const message = `the side call "${purpose}" was not made: ${why.message}. Raise the limit to make it`;
  throw new AgentError('agent/limited', message, { limit: limitIn(why) });
}

function answerOf(record: Recorded | undefined, answer: Answer): SideReply {
  const text = answer.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const data = record?.kind === 'answer.received' ? record.data : undefined;
  const { usage, stop } = answer;
  return { text, parts: data?.parts ?? [], usage, cost: data?.cost, request: data?.request, stop };
}

/**
 * A side call that can be repaired. A provider may refuse a block of the conversation. The block is then quarantined,
 * as in a step of a turn. The call is sent again in a new epoch, in which a stub replaces the block. The call's own
 * words are not repaired; the caller has to change them.
 */
interface Mendable extends Pick<SideCall, 'history'> {
  readonly words: readonly ContentPart[];
  /** Present for a call that keeps the cache warm. Such a call is not repaired, because it must not be sent again. */
  readonly keeps?: string;
}

interface RefusedBeside {
  readonly prepared: Prepared;
  readonly error: ProviderError;
  /** Number of earlier repairs of this side call. */
  readonly repairs: number;
  /** Number of blocks in the body that belong to the conversation. The call's own words come after them. */
  readonly shared: number;
}

/**
 * Plans the repair of a refused side call. Returns the events to record before the call is sent again. The list is
 * empty if another call has already recorded them. Returns `undefined` if the call cannot be repaired, or if a request
 * of the conversation is pending. The pending request contains the same block, and the step of that request repairs it.
 */
function repairBeside(
  { session, promptStreams, runtime }: Pick<Actor, 'session' | 'promptStreams' | 'runtime'>,
  { history, words, keeps }: Mendable,
  { prepared, error, repairs, shared }: RefusedBeside,
): RequestRepair | undefined {
  const { state } = session;
  const { refused: place } = error.data;
  const isOurs = place !== undefined || error.code === 'provider/too-large';
  if (history !== 'main' || keeps !== undefined || !isOurs || state.history.inFlight) return undefined;
  if (place?.message === undefined && words.some(({ type }) => type === 'image')) return undefined;
  const blocks = slice(prepared.sequence.blocks);
  const located = place?.message === undefined ? [] : (runtime.provider.encoder.locate?.(place, blocks) ?? []);
  if (promptStreams.main === undefined || located.some((index) => index >= shared)) return undefined;
  // Another call may have quarantined the block since this request was prepared.
  if (state.quarantines.some(({ position }) => position > prepared.record.position)) return [];
  if (state.epoch?.opened.number !== prepared.epoch.number) return undefined;
  const { bytes } = prepared.record.data;
  const found = quarantinesFor({ state, promptStream: promptStreams.main, bytes, error, repairs });
  const at = runtime.surroundings.now();
  return found.length === 0 ? undefined : found.map((data) => ({ kind: 'block.quarantined', at, data }));
}
