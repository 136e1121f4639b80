// Forecasts the call that a prompt would make now. The request is drafted exactly as for a step, but on a branch of the
// state: nothing is recorded and nothing is sent.

import type { Gauge, State } from '@tidemark/context';
import { branchState, expiryOf, isAlive, itemAt } from '@tidemark/context';
import { defined } from '@tidemark/core';
import type {
  Artifacts,
  ContentPart,
  Event,
  HistoryCompacted,
  NotificationReceived,
  Timestamp,
  TurnId,
} from '@tidemark/log';
import { milliseconds, money, timestamp, turnId } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';
import { recover } from '../decide/next-move.ts';
import { triggerAtTurn, triggerBefore } from '../decide/when-to-compact.ts';
import type { CompactionReport, CompactionTrigger, PricedInput } from '../ports/compaction.ts';
import type { Words } from '../ports/live-session.ts';
import type { Skill } from '../ports/skill-shelf.ts';
import type { InputBuckets } from '../ports/input-buckets.ts';
import type { NextCall, NextCallPrice, PromptSize } from '../ports/next-call.ts';
import type { Mode } from '../ports/permissions.ts';
import { REWRITE_NOTICE } from '../ports/runtime.ts';
import type { CallDraft, CallOptions } from '../request/draft-call.ts';
import { draftCall, foreseeCall, mainPromptStream } from '../request/draft-call.ts';
import { requireSendable } from '../request/prepare.ts';
import type { PromptStream } from '../request/prompt-stream.ts';
import { needOf, whatChanges } from '../request/what-changes.ts';
import { artifactsInMemory, readOnlyArtifacts } from '../session/artifacts-on-trial.ts';
import { keepGiven } from '../session/keep-images.ts';
import type { Session } from '../session/session.ts';
import { asIfRecorded } from '../session/session.ts';
import { findNotes } from '../sources/ask-sources.ts';
import type { StepContext } from './prepare-step.ts';
import { isWorthSaying, stepOptions } from './prepare-step.ts';
import { writeCompaction } from '../compact/write-compaction.ts';
import { policyOf } from './recover-context.ts';
import { bringSkills } from './begin-turn.ts';

/** Turn id of records that are folded on trial. No log contains it. */
export const FORECAST_TURN: TurnId = turnId('forecast');

/** Content of a prompt, as the user gives it. */
type GivenParts = Exclude<Words, string>;

/** A prompt that is forecast. */
interface ForecastPrompt {
  readonly parts: GivenParts;
  /** Skills that are loaded with the prompt. */
  readonly skills: readonly Skill[];
  /** Notifications that are recorded before the prompt. */
  readonly notifications: readonly NotificationReceived[];
  /** Permission mode of the prompt. The log does not contain it yet if it was chosen when the session was opened. */
  readonly mode: Mode;
}

/**
 * Forecasts the call that a prompt with this content would make now, and its price at the time at which the cache entry
 * that it reads expires. The work depends on the content that was added after the last request. Only references are
 * copied from the whole history.
 *
 * @throws AgentError `agent/unknown-kind` if a later version wrote the log.
 */
export async function forecastCall(
  place: StepContext,
  { parts: given, skills, notifications, mode }: ForecastPrompt,
): Promise<NextCall> {
  const { session, runtime } = place;
  const artifacts = artifactsInMemory(session.log.artifacts);
  const { secrets, state: shown } = session;
  // Images and sources take some time, so they are prepared outside of the mutex.
  const parts = await keepGiven({ session: { secrets, state: shown, log: { artifacts } }, runtime }, given);
  const found = await findNotes({ ...place, mode });
  return place.session.mutex.pass(async () => {
    const options = await stepOptions(place);
    const told = notifications.map((data): Event => ({
      kind: 'notification.received',
      at: options.at,
      turn: place.turn,
      data,
    }));
    const notes = [...told, ...found];
    const brought = bringSkills(place, skills, [], { at: options.at, turn: place.turn }).events;
    const trial = await branchWith(place, options, { notes, parts, brought });
    const { state } = trial;
    requireSendable(state);
    const draft = (at: Timestamp): Promise<Trial> => draftOnTrial(place, { ...trial, artifacts }, { ...options, at });
    const now = await draft(options.at);
    const largePrompt = await largePromptOf(place, now.price, parts, async () => {
      const small = await branchWith(place, options, { notes, parts: SMALL });
      return (await draftOnTrial(place, { ...small, artifacts }, options)).price;
    });
    const expires = expiryOfRead(now.drafted, options.at);
    const later = expires === undefined ? undefined : priceOfTrial(place, await draft(expires));
    const { provider, model, parameters } = options.wanted;
    const { gauge } = now;
    const compacts = triggerOf(place, state, gauge);
    const data = compacts && (await plannedCompaction(place, compacts));
    const compacted =
      data && (await priceWith({ ...place, artifacts }, options, { notes, parts, brought, compaction: data }));
    return {
      provider,
      model,
      parameters,
      gauge,
      ...priceOfTrial(place, now),
      ...defined({ compacts, compacted, largePrompt, expires, expired: later }),
    };
  });
}

/** Session of a forecast. An idle session without a runtime fits this type too. */
interface ForecastPlace extends Pick<StepContext, 'promptStreams' | 'turn'> {
  readonly session: Pick<Session, 'state' | 'progress' | 'log'>;
}

/** Records of a prompt on trial: notes and notifications before the turn, notes of its skills (`brought`), and its content. */
interface TrialPrompt {
  readonly notes: readonly Event[];
  readonly brought?: readonly Event[];
  readonly parts: readonly ContentPart[];
  /** Compaction that comes before the prompt. */
  readonly compaction?: HistoryCompacted;
}

/** A state with the prompt, and the prompt stream of the session's last request for it. */
interface TrialState {
  readonly state: State;
  readonly kept: PromptStream | undefined;
}

/** Content of the prompt with which a prompt is compared. */
const SMALL: readonly ContentPart[] = [{ type: 'text', text: '.' }];

/**
 * Returns the input that the content of a prompt adds, if it reaches the threshold for notices. `priceOfSmall` drafts
 * the same call with a small prompt. It is called only if the threshold can be reached.
 */
async function largePromptOf(
  { runtime: { rewriteNotice = REWRITE_NOTICE } }: StepContext,
  { tokens, cost }: Trial['price'],
  parts: readonly ContentPart[],
  priceOfSmall: () => Promise<Trial['price']>,
): Promise<PromptSize | undefined> {
  // A token has at least one byte. Only an image can have more tokens than its record has bytes.
  const most = parts.some(({ type }) => type === 'image') ? Infinity : Buffer.byteLength(JSON.stringify(parts));
  if (!isWorthSaying(rewriteNotice, { tokens: most, ...defined({ cost }) })) return undefined;
  const small = await priceOfSmall();
  const added = {
    tokens: inputOf(tokens) - inputOf(small.tokens),
    ...(cost !== undefined && small.cost !== undefined && { cost: money(sumOfMoney([cost, `-${small.cost}`])) }),
  };
  return isWorthSaying(rewriteNotice, added) ? added : undefined;
}

function inputOf({ fresh, read, written }: InputBuckets): number {
  return fresh + read + written;
}

/**
 * Returns a branch of the session with the records that a prompt would add. If the prompt continues the open epoch, the
 * prompt stream of the session is built first, so that the next request can use it too.
 */
async function branchWith(
  { session, promptStreams, turn }: ForecastPlace,
  options: CallOptions,
  { notes, parts, brought = [], compaction }: TrialPrompt,
): Promise<TrialState> {
  const { state, progress } = session;
  if (state.epoch !== undefined && needOf(state, options).do !== 'epoch')
    promptStreams.main = await mainPromptStream(session, promptStreams.main, state, options);
  const branch = branchState(state);
  const stamp = { at: options.at, turn };
  const compacted: readonly Event[] =
    compaction === undefined ? [] : [{ kind: 'history.compacted', ...stamp, data: compaction }];
  const noted = [...compacted, ...notes].reduce(asIfRecorded, branch);
  const events: readonly Event[] = [
    ...recover({ state: noted, progress }, 'other', stamp),
    { kind: 'turn.started', ...stamp, data: { trigger: 'user' } },
    ...brought,
    { kind: 'prompt.given', ...stamp, data: { parts, presenter: 'forecast' } },
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
  { session: { log }, turn }: ForecastPlace,
  { state, kept, artifacts }: TrialState & { readonly artifacts: Artifacts },
  options: CallOptions,
): Promise<Trial> {
  const place = { state, log: { ...defined({ shared: log.shared }), artifacts: readOnlyArtifacts(artifacts) } };
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

/**
 * Forecasts the call that an almost empty prompt would make now, with the history as it is and with a compaction of it.
 * The caller holds the mutex of the session, or no other code uses the session.
 *
 * @throws AgentError `agent/unknown-kind` if a later version wrote the log.
 */
export async function forecastCompaction(
  place: ForecastPlace,
  options: CallOptions,
  data: HistoryCompacted,
): Promise<CompactionReport['next']> {
  requireSendable(place.session.state);
  const artifacts = artifactsInMemory(place.session.log.artifacts);
  const trial = { ...place, artifacts };
  const uncompacted = await priceWith(trial, options, { notes: [], parts: SMALL });
  return { uncompacted, compacted: await priceWith(trial, options, { notes: [], parts: SMALL, compaction: data }) };
}

/** Returns the price of a prompt on trial. */
async function priceWith(
  place: ForecastPlace & { readonly artifacts: Artifacts },
  options: CallOptions,
  prompt: TrialPrompt,
): Promise<PricedInput> {
  const trial = await branchWith(place, options, prompt);
  const { tokens, cost } = (await draftOnTrial(place, { ...trial, artifacts: place.artifacts }, options)).price;
  return { tokens, ...defined({ cost }) };
}

/** Compactions that the runtime would make before the next call, by the state for which they were planned. */
const PLANNED: WeakMap<State, Promise<HistoryCompacted | undefined>> = new WeakMap();

/**
 * Returns the compaction that the runtime would make, with a checkpoint from the log. It is planned once for each state,
 * because it reads the history. Returns `undefined` if the compaction is refused.
 */
function plannedCompaction(
  { session, runtime }: StepContext,
  trigger: CompactionTrigger,
): Promise<HistoryCompacted | undefined> {
  const known = PLANNED.get(session.state);
  if (known !== undefined) return known;
  const planned = writeCompaction({ session, runtime }, { trigger, dryRun: true }).then(({ data }) => data);
  PLANNED.set(session.state, planned);
  return planned;
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
