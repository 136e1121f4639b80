// Runs one step: sends one request to the model and records the result. If the step is not complete, the turn loop
// sends another request.

import type { State } from '@tidemark/context';
import { frontEntries, itemAt, newTextRatio, sharedEntries, sizeByBlock } from '@tidemark/context';
import type { Event, Recorded } from '@tidemark/log';
import { milliseconds, timestamp } from '@tidemark/log';
import type { ProviderError, StreamPart } from '@tidemark/model';
import { idleParameters } from '@tidemark/model';
import { beginningOf, failedBy, retryPause, whyLimited } from '../decide/limits.ts';
import type { TurnEnding } from '../decide/next-move.ts';
import { quarantinesFor } from '../decide/quarantine.ts';
import { recordAnswer, recordFailed, recordInterrupted } from '../request/answer.ts';
import { encoderWithout, fieldNotice } from '../request/choose-encoder.ts';
import type { Prepared } from '../request/prepare.ts';
import { heardFrom } from '../request/prepare.ts';
import { frontName, keepWarmFront } from '../session/materials.ts';
import { commit } from '../session/session.ts';
import { keepWarmFamily } from '../session/warm-families.ts';
import { noticeIdleRules } from '../tools/idle-rules.ts';
import { takenBy } from '../session/turn-context.ts';
import type { StepContext } from './prepare-step.ts';
import { prepareStep, reportCliff, reportPressure } from './prepare-step.ts';
import { recoverContext, recoveryFrom, relievePressure } from './recover-context.ts';
import { refreshTools } from './refresh-tools.ts';
import type { Received, Sending } from './send-request.ts';
import { asAnswer, sendRequest } from './send-request.ts';
import { isTimeOver } from './time-limit.ts';

/**
 * Sends one request to the model. Returns an ending if the turn must end. Returns `undefined` if the log determines how
 * the turn continues.
 */
export async function askModel(turn: StepContext): Promise<TurnEnding | undefined> {
  await refreshTools(turn);
  // A step uses the runtime that is current when the step begins. If a model is chosen during the step, it is used for
  // the next step.
  const working: StepContext = { ...turn, runtime: turn.runtime };
  noticeIdleRules(working);
  noticeIdleParameters(working);
  const limited = whyLimited(working.runtime.limits, takenBy(working));
  if (limited !== undefined) return limited;
  await relievePressure(working);
  const prepared = await prepareStep(working);
  if (prepared === undefined || 'outcome' in prepared) return prepared;
  reportPressure(working, prepared);
  reportCliff(working, prepared);
  const received = await sendRequest(working, prepared, (part) => tellWords(working, part));
  if (received.end === 'failed') return followFailure(working, prepared, received);
  await recordEnd(working, prepared, received, false);
  if (received.end === 'finished') {
    working.promptStreams.heard = heardFrom(prepared.sequence, prepared.record.data.encoder, received.answer);
    await rememberFront(working, prepared);
    await rememberFamily(working, prepared);
  }
  return undefined;
}

function tellWords({ tell }: StepContext, part: StreamPart): void {
  if (part.type === 'text.delta' || part.type === 'reasoning.delta') tell({ type: part.type, text: part.text });
}

/**
 * Records a failed call and tries to recover: omits a refused field, quarantines the refused block, compacts the
 * history, or waits. If the loop can then send the same step again, returns `undefined`. Otherwise returns the ending
 * of the turn.
 */
async function followFailure(
  working: StepContext,
  prepared: Prepared,
  received: Extract<Received, { readonly end: 'failed' }>,
): Promise<TurnEnding | undefined> {
  const { session, runtime } = working;
  const { surroundings, retry } = runtime;
  const { error } = received;
  const other = encoderWithout(runtime.provider, prepared.record.data, error);
  if (other !== undefined) {
    await recordEnd(working, prepared, received, true);
    working.promptStreams.encoder = other;
    working.tell(fieldNotice(error));
    return undefined;
  }
  const repair = repairFor(working, prepared, error);
  if (repair !== undefined) {
    await recordEnd(working, prepared, received, true);
    await repairRequest(working, repair, error);
    return undefined;
  }
  const recovery = recoveryFrom(working, error);
  const pause = retryPause(retry, error, session.progress.retryAttempts, surroundings.random());
  await recordEnd(working, prepared, received, pause !== undefined || recovery !== undefined);
  const unfit = await recoverContext(working, recovery, error);
  if (unfit !== undefined || (recovery !== undefined && pause === undefined)) return unfit;
  return pause === undefined ? failedBy(error) : waitToRetry(working, error, pause);
}

/**
 * Waits before the next attempt. If the turn would exceed a limit during the wait, returns its ending without waiting.
 */
async function waitToRetry(working: StepContext, error: ProviderError, pause: number): Promise<TurnEnding | undefined> {
  const { session, runtime, signal, tell } = working;
  const { spent, ms } = takenBy(working);
  const late = whyLimited(runtime.limits, { spent, ms: ms + pause });
  if (late !== undefined) return late;
  const { retryAttempts: failed } = session.progress;
  const { attempts: of } = runtime.retry;
  const at = timestamp(new Date(Date.parse(runtime.surroundings.now()) + pause).toISOString());
  const notice = {
    code: 'turn/retrying',
    message: `${beginningOf(error.what)} (attempt ${failed} of ${of})`,
    next: `The request is sent again in ${Math.ceil(pause / 1000)} s; interrupt to stop.`,
    retry: { attempt: failed + 1, of, at },
  };
  tell({ type: 'notice.raised', notice });
  await runtime.surroundings.wait(pause, signal);
  return undefined;
}

/**
 * Events that repair a refused request. They quarantine the refused blocks of the request. The same step is then sent
 * again in an epoch that packs stubs in place of these blocks. Empty if it is enough to send the whole request instead
 * of continuing from an answer.
 */
export type RequestRepair = readonly Event[];

function repairFor(
  work: StepContext,
  { record, continues }: Prepared,
  error: ProviderError,
): RequestRepair | undefined {
  const { session, promptStreams, runtime, turn } = work;
  const { main } = promptStreams;
  const { refused } = error.data;
  if (main === undefined || (refused === undefined && error.code !== 'provider/too-large')) return undefined;
  // If the request continued from an answer, the provider reports the refused place relative to that answer. The whole
  // request is therefore sent again. The next error then names a place in the whole request.
  if (continues !== undefined && refused?.message !== undefined) return [];
  const { state, progress } = session;
  const { bytes } = record.data;
  const found = quarantinesFor({ state, promptStream: main, bytes, error, repairs: progress.stepRepairs });
  const at = runtime.surroundings.now();
  return found.length === 0 ? undefined : found.map((data) => ({ kind: 'block.quarantined', at, turn, data }));
}

/** Records the repair and reports it by a notice. */
export async function repairRequest(
  { session, promptStreams, tell }: Pick<StepContext, 'session' | 'promptStreams' | 'tell'>,
  repair: RequestRepair,
  error: ProviderError,
): Promise<void> {
  delete promptStreams.heard;
  if (repair.length === 0) return;
  await commit(session, repair);
  const places = repair.flatMap((event) => (event.kind === 'block.quarantined' ? [event.data.origin.position] : []));
  const notice = {
    code: 'turn/quarantined',
    message: `${error.message}. From now on, ${places.length} blocks of event ${[...new Set(places)].join(', ')} are not sent`,
    next: 'The step is sent again without these blocks; their content stays in the log.',
  };
  tell({ type: 'notice.raised', notice });
}

const USER = { by: 'user' } as const;
const TIME = { by: 'limit', limit: 'time' } as const;
const TRANSPORT = { by: 'transport' } as const;

/**
 * Reports a parameter that was set but does not exist for the model. An example is an effort that was set for the
 * previous model. Each parameter is reported one time for each model.
 */
function noticeIdleParameters({
  runtime: { parameters, capabilities },
  raisedNotices,
  tell,
}: Pick<StepContext, 'runtime' | 'raisedNotices' | 'tell'>): void {
  for (const name of idleParameters(parameters, capabilities)) {
    const key = `session/idle-parameter ${capabilities.model} ${name}`;
    if (raisedNotices === undefined || raisedNotices.has(key)) continue;
    raisedNotices.add(key);
    const message = `the parameter "${name}" is set but not sent, because ${capabilities.model} does not have it`;
    const next = 'It applies again after a switch to a model that has it.';
    tell({ type: 'notice.raised', notice: { code: 'session/idle-parameter', message, next } });
  }
}

/**
 * Records the end of a call, for a step of a turn or a side call. If `retry` is true, another attempt follows the
 * failure.
 */
export function recordEnd(
  { session, runtime, signal }: Pick<Sending, 'session' | 'runtime' | 'signal'>,
  prepared: Prepared,
  received: Received,
  retry: boolean,
): Promise<Recorded | undefined> {
  const at = runtime.surroundings.now();
  switch (received.end) {
    case 'finished':
      return recordAnswer(session, prepared, received.answer, at);
    case 'stopped':
      return recordInterrupted(session, prepared, isTimeOver(signal) ? TIME : USER, asAnswer(received.arrived), at);
    case 'failed': {
      const { arrived, error } = received;
      // If a provider has begun its answer, it has accepted the request and bills it. This is so even if the beginning
      // of the answer cannot be read.
      const usage = arrived.usage ?? (error.code === 'provider/malformed' ? {} : undefined);
      return usage === undefined
        ? recordFailed(session, prepared, error, retry, at)
        : recordInterrupted(session, prepared, TRANSPORT, asAnswer({ ...arrived, usage }), at, error.message);
    }
  }
}

/**
 * Minimum time between two updates of the index of warm fronts by a session, in milliseconds. Calls during this time
 * only extend the lifetime of the same entries.
 */
const EVERY_MS = 60_000;

/**
 * Adds the front of an answered request to the index in the store, for other sessions. Does nothing if the account is
 * unknown.
 */
async function rememberFront(
  { session, promptStreams }: Pick<StepContext, 'session' | 'promptStreams'>,
  prepared: Prepared,
): Promise<void> {
  const { record, epoch, sequence } = prepared;
  const { account } = record.data;
  if (account === undefined) return;
  const { state, log } = session;
  const front = frontName(epoch, account);
  const now = milliseconds(record.at);
  const { told } = promptStreams;
  if (told !== undefined && told.front === front && now - told.at < EVERY_MS) return;
  promptStreams.told = { front, at: now };
  const sizeOf = sizesIn(state, prepared);
  const entries = frontEntries(state).filter(
    (entry) => entry.account === account && itemAt(sequence.prefixes, entry.block) === entry.prefix,
  );
  const sized = entries.map((entry) => ({ ...entry, tokens: entry.tokens ?? sizeOf(entry.block) }));
  await keepWarmFront(log, front, sized, record.at);
}

function sizesIn(state: State, { record, epoch, sequence, capabilities }: Prepared): (block: number) => number {
  return sizeByBlock({
    lookup: { sequence, capabilities, now: milliseconds(record.at), account: record.data.account },
    accepted: state.streams['main']?.accepted,
    model: epoch.model,
    ratio: newTextRatio(state, epoch.model),
    scales: state.scales,
  });
}

/** Adds the entries of an answered request to the index in the store, for the other sessions of the same root. */
async function rememberFamily(
  { session, promptStreams }: Pick<StepContext, 'session' | 'promptStreams'>,
  prepared: Prepared,
): Promise<void> {
  const { state, log, writer } = session;
  const { at } = prepared.record;
  const now = milliseconds(at);
  if (promptStreams.toldFamily !== undefined && now - promptStreams.toldFamily < EVERY_MS) return;
  promptStreams.toldFamily = now;
  const member = { root: state.root ?? writer.session, session: writer.session };
  await keepWarmFamily(log, member, sharedEntries(state, prepared.sequence, sizesIn(state, prepared)), at);
}
