// Forecasts the call that a prompt would make now. The request is drafted exactly as for a step, but on a branch of the
// state: nothing is recorded and nothing is sent.

import { createHash } from 'node:crypto';
import type { Gauge, State } from '@tidemark/context';
import { branchState, expiryOf, isAlive, itemAt } from '@tidemark/context';
import { defined } from '@tidemark/core';
import type { Artifacts, Event, Timestamp } from '@tidemark/log';
import { digest, milliseconds, timestamp } from '@tidemark/log';
import { recover } from '../decide/next-move.ts';
import { triggerAtTurn, triggerBefore } from '../decide/when-to-compact.ts';
import type { CompactionTrigger } from '../ports/compaction.ts';
import type { NextCall, NextCallPrice } from '../ports/next-call.ts';
import { REWRITE_NOTICE } from '../ports/runtime.ts';
import type { CallDraft, CallOptions } from '../request/draft-call.ts';
import { draftCall, foreseeCall, mainPromptStream } from '../request/draft-call.ts';
import { requireSendable } from '../request/prepare.ts';
import type { PromptStream } from '../request/prompt-stream.ts';
import { needOf, whatChanges } from '../request/what-changes.ts';
import { asIfRecorded } from '../session/session.ts';
import { findNotes } from '../sources/ask-sources.ts';
import type { StepContext } from './prepare-step.ts';
import { isWorthSaying, stepOptions } from './prepare-step.ts';
import { policyOf } from './recover-context.ts';

/**
 * Forecasts the call that a prompt with these words would make now, and its price at the time at which the cache entry
 * that it reads expires. The work depends on the content that was added after the last request. Only references are
 * copied from the whole history.
 *
 * @throws AgentError `agent/unknown-kind` if a later version wrote the log.
 */
export async function forecastCall(place: StepContext, words: string): Promise<NextCall> {
  // Sources are asked outside of the mutex, because they may take some time.
  const notes = await findNotes(place);
  return place.session.mutex.pass(async () => {
    const options = await stepOptions(place);
    const { state, kept } = await branchWith(place, options, { notes, words });
    requireSendable(state);
    const draft = (at: Timestamp): Promise<Trial> => draftOnTrial(place, { state, kept }, { ...options, at });
    const now = await draft(options.at);
    const expires = expiryOfRead(now.drafted, options.at);
    const later = expires === undefined ? undefined : priceOfTrial(place, await draft(expires));
    const { provider, model, parameters } = options.wanted;
    const { gauge } = now;
    const compacts = triggerOf(place, state, gauge);
    return {
      provider,
      model,
      parameters,
      gauge,
      ...priceOfTrial(place, now),
      ...defined({ compacts, expires, expired: later }),
    };
  });
}

/** A state with the prompt, and the prompt stream of the session's last request for it. */
interface TrialState {
  readonly state: State;
  readonly kept: PromptStream | undefined;
}

/**
 * Returns a branch of the session with the records that a prompt would add. If the prompt continues the open epoch, the
 * prompt stream of the session is built first, so that the next request can use it too.
 */
async function branchWith(
  { session, promptStreams, turn }: StepContext,
  options: CallOptions,
  { notes, words }: { readonly notes: readonly Event[]; readonly words: string },
): Promise<TrialState> {
  const { state, progress } = session;
  if (state.epoch !== undefined && needOf(state, options).do !== 'epoch')
    promptStreams.main = await mainPromptStream(session, promptStreams.main, state, options);
  const branch = branchState(state);
  const stamp = { at: options.at, turn };
  const noted = notes.reduce(asIfRecorded, branch);
  const events: readonly Event[] = [
    ...recover({ state: noted, progress }, 'other', stamp),
    { kind: 'turn.started', ...stamp, data: { trigger: 'user' } },
    { kind: 'prompt.given', ...stamp, data: { parts: [{ type: 'text', text: words }], presenter: 'forecast' } },
  ];
  const { main } = promptStreams;
  // The branch has its own list of spans. Its beginning has the same spans as the list of the prompt stream.
  const kept = main && { ...main, packed: branch.history.packed.buffer };
  return { state: events.reduce(asIfRecorded, noted), kept };
}

/** A call that was drafted on a branch. */
interface Trial {
  readonly drafted: CallDraft;
  readonly price: Omit<NextCallPrice, 'reported'>;
  readonly gauge: Gauge;
}

async function draftOnTrial(
  { session: { log }, turn }: StepContext,
  { state, kept }: TrialState,
  options: CallOptions,
): Promise<Trial> {
  const place = { state, log: { ...defined({ shared: log.shared }), artifacts: readOnly(log.artifacts) } };
  const changing = await whatChanges(place, options, { at: options.at, turn });
  const drafted = await draftCall(place, kept, changing, options);
  const { outlook, rewrite, gauge } = foreseeCall(drafted, changing);
  const { read, write: written, fresh, cost, caching } = outlook.forecast;
  if (gauge === undefined) throw new TypeError('a request of the main stream has no gauge');
  return { drafted, gauge, price: { tokens: { fresh, read, written }, ...defined({ cost, caching, rewrite }) } };
}

function priceOfTrial({ runtime: { rewriteNotice = REWRITE_NOTICE } }: StepContext, { price }: Trial): NextCallPrice {
  return { ...price, reported: price.rewrite !== undefined && isWorthSaying(rewriteNotice, price.rewrite) };
}

/** Returns the time at which the entry that the call reads expires. Returns `undefined` if the call reads no entry. */
function expiryOfRead({ state, promptStream: { sequence }, call }: CallDraft, at: Timestamp): Timestamp | undefined {
  const { read, reads = read > 0 ? 0 : undefined } = call.outlook.forecast;
  if (reads === undefined) return undefined;
  const now = milliseconds(at);
  const prefix = itemAt(sequence.prefixes, reads);
  const ends = state.cache.entries
    .filter((entry) => entry.block === reads && entry.prefix === prefix && isAlive(entry, now))
    .map(expiryOf);
  return ends.length === 0 ? undefined : timestamp(new Date(Math.max(...ends)).toISOString());
}

function triggerOf(place: StepContext, state: State, gauge: Gauge): CompactionTrigger | undefined {
  const policy = policyOf(place);
  // A prompt allows compactions again after earlier ones were refused or freed almost nothing.
  const progress = { compactionRefusals: 0, idleCompactions: 0, recoveryCompactions: 0 };
  return triggerBefore(policy, { state, progress }, gauge) ?? triggerAtTurn(policy, { state, progress }, gauge);
}

/** Returns artifacts that can only be read. `put` returns the digest of the bytes and stores nothing. */
function readOnly(artifacts: Artifacts): Artifacts {
  return {
    async put(bytes) {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) {
        hash.update(chunk);
        size += chunk.length;
      }
      return { digest: digest(hash.digest('hex')), size };
    },
    get: (name) => artifacts.get(name),
    has: (name) => artifacts.has(name),
  };
}
