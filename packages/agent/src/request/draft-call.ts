// Drafts a call: its prompt streams, markers, price and pressure. They are computed from the log as it will be just
// before the request. Nothing of the draft is committed, so the call can still be refused.

import { defined } from '@tidemark/core';
import type {
  BudgetSettings,
  EpochPrice,
  ForeseenRewrite,
  FrontTexts,
  Gauge,
  Outlook,
  RequestSpec,
  State,
} from '@tidemark/context';
import {
  crossingOf,
  expectedInput,
  fitOutput,
  foreseeRewrite,
  gaugeOf,
  nextInput,
  sizeForecast,
  withEntry,
} from '@tidemark/context';
import type { PressureCrossed, RenderParameters, SharedEntry, SizeForecast, Timestamp, TurnId } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Capabilities, Encoder, JsonValue } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { Lasting } from '../ports/runtime.ts';
import { asKept, loadCapabilities, loadFront } from '../session/materials.ts';
import { asIfRecorded } from '../session/session.ts';
import type { CallPlan, PlanOptions } from './call-plan.ts';
import { planCall } from './call-plan.ts';
import { findFamilyEntry } from './family-entry.ts';
import type { PromptStream, Resize } from './prompt-stream.ts';
import { beginPromptStream, sideCallPromptStream, extendPromptStream, stillHolds } from './prompt-stream.ts';
import type { Beside } from './request-record.ts';
import type { Changing, PlannedFrom } from './what-changes.ts';

/** A planned call. Nothing of it is committed yet. */
export interface CallDraft {
  /** State of the log just before the request. */
  readonly state: State;
  readonly main: PromptStream;
  /** Prompt stream of the call: a separate one for a side call, else `main`. */
  readonly promptStream: PromptStream;
  readonly capabilities: Capabilities;
  readonly call: CallPlan;
  /** Entry of another session of the same root that the call counts on. */
  readonly found?: SharedEntry;
  readonly price: EpochPrice;
  readonly pressure: Pressure;
}

/** Drafts the call that comes after these changes. `kept` is the main prompt stream after the last request. */
export async function draftCall(
  session: PlannedFrom,
  kept: PromptStream | undefined,
  { pruned, epoch, texts, changes }: Changing,
  options: CallOptions,
): Promise<CallDraft> {
  const inFront = [...(pruned === undefined ? [] : [pruned]), ...(epoch === undefined ? [] : [epoch]), ...changes];
  const state = inFront.reduce(asIfRecorded, session.state);
  const main = await mainPromptStream(session, kept, state, { ...options, ...defined({ texts }) });
  const promptStream = await callPromptStream(session, main, state, options);
  const capabilities = options.beside === undefined ? options.capabilities : promptStream.materials.capabilities;
  const found =
    options.beside === undefined ? await findFamilyEntry(session.log, state, promptStream, options) : undefined;
  const known = withEntry(state, found?.entry);
  const call = planCall(known, promptStream, planOptions(options, capabilities, main));
  const price = priceOf(session.state, call, options);
  return {
    state: known,
    main,
    promptStream: promptStream,
    ...defined({ found: found?.recorded }),
    capabilities,
    call,
    price,
    pressure: pressureOf(state, { ...options, capabilities, call }),
  };
}

/** Returns the facts about the call. They are passed to `admit`, which can then refuse the call. */
export function foreseeCall(
  { state: { steps, epoch }, price, pressure: { gauge } }: CallDraft,
  changing: Changing,
): Foreseen {
  const { cause, also = [] } = epoch?.opened ?? { cause: 'initial' };
  const rewrite = foreseeRewrite(price, { opens: changing.epoch !== undefined, cause, also });
  return { step: steps, gauge, outlook: price.outlook, rewrite };
}

function planOptions(
  { at, ttl, resize, beside, account }: CallOptions,
  capabilities: Capabilities,
  main: PromptStream,
): PlanOptions {
  return {
    at,
    capabilities,
    account,
    ...defined({ ttl, resize }),
    ...(beside === undefined ? {} : { beside: true }),
    ...(beside?.history === 'none' ? { history: 'none' } : {}),
    ...(beside?.history === 'main' ? { historyEnd: main.sequence.blocks.length - 1 } : {}),
    ...defined({ keeps: beside?.keeps }),
  };
}

/**
 * Returns the input for the price of opening an epoch or continuing in the current one. If the provider or the model
 * changes, the account is omitted. The switch is then reported as the cause, and not the account.
 */
function priceOf(
  before: State,
  { outlook, markers }: CallPlan,
  { capabilities, at, account, wanted }: CallOptions,
): EpochPrice {
  const { provider, model } = before.epoch?.opened ?? wanted;
  const same = provider === wanted.provider && model === wanted.model;
  // If the call writes nothing to the cache, repeated tokens have the price of fresh input. This price does not depend
  // on a lifetime.
  const ttl = outlook.forecast.write === 0 ? undefined : (markers.at(-1)?.ttl ?? capabilities.ttls[0]);
  return { state: before, outlook, capabilities, at, ttl, ...(same && { account }) };
}

export interface CallOptions {
  readonly at: Timestamp;
  readonly wanted: RequestSpec;
  readonly capabilities: Capabilities;
  readonly encoder: Encoder;
  /** Provider account that the call uses. Absent if it is not known. */
  readonly account?: string | undefined;
  readonly outputLimit: number;
  readonly purpose?: string;
  readonly attempt?: number;
  /** Token budgets of the window that replace the computed ones. Default: computed from the window. */
  readonly budgets?: BudgetSettings;
  /** Lifetime of the entries that the call writes. Default: `auto`. */
  readonly ttl?: Lasting;
  readonly envelope?: { readonly [name: string]: JsonValue };
  readonly betas?: readonly string[];
  /**
   * Words, stream and history of a side call. Absent for a request of the main stream. A side call uses the open epoch,
   * even if other settings have been chosen.
   */
  readonly beside?: Beside;
  /** True if the provider can continue from an earlier answer by its id. */
  readonly continues?: boolean;
  /** Replaces the sizes of the blocks by the sizes in a recording. */
  readonly resize?: Resize;
  /** Turn of the call. It is written to each record of the call. */
  readonly turn?: TurnId;
  /** `auto` if old results may be shortened to save cost. Default: `never`. */
  readonly pruning?: 'auto' | 'never';
  /** True if the runtime compacts without a command when the window is nearly full. Default: false. */
  readonly compacts?: boolean;
  /** Called before anything is committed. If it throws, the log remains unchanged. */
  readonly admit?: (foreseen: Foreseen) => void;
}

/** Facts about a call that are known before anything of it is committed. */
export interface Foreseen {
  readonly step: number;
  /** Fill level of the window with this request. Absent for a side call. */
  readonly gauge: Gauge | undefined;
  readonly outlook: Outlook;
  /**
   * Tokens that were sent before and that are billed again for this call. Absent if the call reads all of them from the
   * cache.
   */
  readonly rewrite: ForeseenRewrite | undefined;
}

interface PressureOptions {
  readonly at: Timestamp;
  readonly capabilities: Capabilities;
  /** Output limit that the caller asks for, in tokens. */
  readonly outputLimit: number;
  readonly call: CallPlan;
  readonly budgets?: BudgetSettings;
  readonly beside?: Beside;
}

/**
 * Pressure of the next request before it is written. A side call has no gauge, because its words are not added to the
 * history.
 */
interface Pressure {
  readonly gauge: Gauge | undefined;
  readonly crossed: PressureCrossed | undefined;
  readonly size: SizeForecast | undefined;
  /**
   * Output limit of the call: the limit that the caller set. If the window has too little room for it, a lower limit.
   */
  readonly outputLimit: number;
}

function pressureOf(state: State, options: PressureOptions): Pressure {
  const { at, capabilities, outputLimit: asked, call, budgets, beside } = options;
  const least = leastOutput(state.epoch?.inForce.parameters ?? {});
  if (beside !== undefined) {
    const outputLimit = fitOutput(capabilities, { asked, input: expectedInput(call.outlook.forecast), least });
    return { gauge: undefined, crossed: undefined, size: undefined, outputLimit };
  }
  const gauge = gaugeOf(state, capabilities, defined({ outputLimit: asked, at, budgets }));
  const size = sizeForecast(state, nextInput(state, capabilities.window.tokens));
  return {
    gauge,
    crossed: crossingOf(state, gauge),
    size: size && { ...size, ...call.blocks },
    outputLimit: fitOutput(capabilities, { asked, input: gauge.input, margin: gauge.margin ?? 0, least }),
  };
}

/** Minimum output tokens for a useful answer. */
const WORDS = 1_024;

/**
 * Returns the smallest output limit of the call. Anthropic requires that the reasoning budget fits into the output
 * limit, so the budget is added.
 */
function leastOutput({ thinking }: RenderParameters): number {
  if (typeof thinking !== 'object' || thinking === null || !('budget_tokens' in thinking)) return WORDS;
  const { budget_tokens: budget } = thinking;
  return typeof budget === 'number' ? budget + WORDS : WORDS;
}

interface PromptStreamOptions {
  readonly encoder: Encoder;
  readonly wanted: Pick<RequestSpec, 'capabilities'>;
  readonly capabilities: Capabilities;
  /**
   * Texts of the front, for an epoch that will open now. With them, nothing has to be read from the artifacts of the
   * log.
   */
  readonly texts?: FrontTexts;
  readonly beside?: Beside;
  readonly resize?: Resize;
}

/**
 * Returns the main prompt stream, extended by everything that was packed since the last request. The stream is not
 * extended for a side call without history.
 */
export async function mainPromptStream(
  session: PlannedFrom,
  kept: PromptStream | undefined,
  state: State,
  options: PromptStreamOptions,
): Promise<PromptStream> {
  const isKept = kept?.materials.encoder.revision === options.encoder.revision && stillHolds(kept, state);
  const held = isKept ? kept : await newPromptStream(session, state, options);
  return options.beside?.history === 'none'
    ? held
    : extendPromptStream(held, state, session.log.artifacts, options.resize);
}

async function callPromptStream(
  { log }: PlannedFrom,
  main: PromptStream,
  state: State,
  { beside }: PromptStreamOptions,
): Promise<PromptStream> {
  if (beside === undefined) return main;
  const before = beside.history === 'none' ? beginPromptStream(main.materials, state) : main;
  return sideCallPromptStream(before, state, { parts: beside.extra, position: position(state.length) }, log.artifacts);
}

/**
 * Begins a prompt stream with the epoch's own catalog row. `verify` does the same when it rebuilds the request. With
 * another row the encoder might convert the same spans to different blocks (L2).
 */
async function newPromptStream(
  { log: { artifacts } }: PlannedFrom,
  state: State,
  options: PromptStreamOptions,
): Promise<PromptStream> {
  const { epoch } = state;
  if (epoch === undefined) throw new AgentError('agent/no-epoch', 'no epoch is open: prepare opens one first');
  const { encoder, wanted, texts = await loadFront(artifacts, epoch.opened) } = options;
  const isWanted = epoch.opened.capabilities === wanted.capabilities;
  const capabilities = isWanted ? asKept(options.capabilities) : await loadCapabilities(artifacts, epoch.opened);
  return beginPromptStream({ epoch, texts, capabilities, encoder }, state);
}

/**
 * Returns the prompt stream with the recorded epoch. Before the append, the epoch of the prompt stream was not in the
 * log yet.
 */
export function rebasePromptStream(promptStream: PromptStream, state: State): PromptStream {
  if (state.epoch === undefined) return promptStream;
  return {
    ...promptStream,
    packed: state.history.packed.buffer,
    materials: { ...promptStream.materials, epoch: state.epoch },
  };
}
