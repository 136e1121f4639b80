// A call decided and not yet made: its prompt streams, markers, price and pressure, as the log will stand in front of it. Nothing of
// it is committed, so that it can still be refused.

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
} from '@tidemark/context';
import type { PressureCrossed, RenderParameters, SizeForecast, Timestamp, TurnId } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Capabilities, Encoder, JsonValue } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { Lasting } from '../ports/runtime.ts';
import { asKept, loadCapabilities, loadFront } from '../session/materials.ts';
import type { Session } from '../session/session.ts';
import { asIfRecorded } from '../session/session.ts';
import type { CallPlan, PlanOptions } from './call-plan.ts';
import { planCall } from './call-plan.ts';
import type { PromptStream, Resize } from './prompt-stream.ts';
import { beginPromptStream, sideCallPromptStream, extendPromptStream, stillHolds } from './prompt-stream.ts';
import type { Beside } from './request-record.ts';
import type { Changing } from './what-changes.ts';

/** A call that was decided and not made. Nothing of it is committed. */
export interface CallDraft {
  /** As the log will stand in front of the request. */
  readonly state: State;
  readonly main: PromptStream;
  /** The call's own: the main one, unless it is a side call. */
  readonly promptStream: PromptStream;
  readonly capabilities: Capabilities;
  readonly call: CallPlan;
  readonly price: EpochPrice;
  readonly pressure: Pressure;
}

/** Drafts the call that goes out behind these changes; `kept` is the main prompt stream as the last request left it. */
export async function draftCall(
  session: Session,
  kept: PromptStream | undefined,
  { pruned, epoch, texts, changes }: Changing,
  options: CallOptions,
): Promise<CallDraft> {
  const inFront = [...(pruned === undefined ? [] : [pruned]), ...(epoch === undefined ? [] : [epoch]), ...changes];
  const state = inFront.reduce(asIfRecorded, session.state);
  const main = await mainPromptStream(session, kept, state, { ...options, ...defined({ texts }) });
  const promptStream = await callPromptStream(session, main, state, options);
  const capabilities = options.beside === undefined ? options.capabilities : promptStream.materials.capabilities;
  const call = planCall(state, promptStream, planOptions(options, capabilities, main));
  const price = priceOf(session.state, call, options);
  return {
    state,
    main,
    promptStream: promptStream,
    capabilities,
    call,
    price,
    pressure: pressureOf(state, { ...options, capabilities, call }),
  };
}

/** What is said of it to who may refuse it. */
export function foreseen(
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

/** What the price of opening an epoch, or of going on in one, is made from. Another provider or model is a change of its own. */
function priceOf(
  before: State,
  { outlook, markers }: CallPlan,
  { capabilities, at, account, wanted }: CallOptions,
): EpochPrice {
  const { provider, model } = before.epoch?.opened ?? wanted;
  const same = provider === wanted.provider && model === wanted.model;
  // Where nothing is written, what is paid again is paid as fresh input.
  const ttl = outlook.forecast.write === 0 ? undefined : (markers.at(-1)?.ttl ?? capabilities.ttls[0]);
  return { state: before, outlook, capabilities, at, ttl, ...(same && { account }) };
}

/** What the next call is made with. */
export interface CallOptions {
  readonly at: Timestamp;
  readonly wanted: RequestSpec;
  readonly capabilities: Capabilities;
  readonly encoder: Encoder;
  /** The account that is asked; absent where it is not known. */
  readonly account?: string | undefined;
  readonly outputLimit: number;
  readonly purpose?: string;
  readonly attempt?: number;
  /** What is set of the window's budgets; by default the usual ones. */
  readonly budgets?: BudgetSettings;
  /** How long a written cache entry is asked to live. Default: `auto`. */
  readonly ttl?: Lasting;
  readonly envelope?: { readonly [name: string]: JsonValue };
  readonly betas?: readonly string[];
  /** Set for a side call, which is made in the epoch in force, whatever is wanted now. */
  readonly beside?: Beside;
  /** Whether the provider can go on from an earlier answer by its id. */
  readonly continues?: boolean;
  /** Sizes that a recording knows. */
  readonly resize?: Resize;
  /** The turn that asks: its records carry it. */
  readonly turn?: TurnId;
  /** Whether old results may be shortened where that pays. Default: `never`. */
  readonly pruning?: 'auto' | 'never';
  /** Whether the runtime compacts by itself where the window is nearly full. By default it does not. */
  readonly compacts?: boolean;
  /** Asked before anything is committed: what it throws leaves the log as it was. */
  readonly admit?: (foreseen: Foreseen) => void;
}

/** What is known of a call before anything of it is committed. */
export interface Foreseen {
  readonly step: number;
  /** How full the request is; absent for a side call. */
  readonly gauge: Gauge | undefined;
  readonly outlook: Outlook;
  /** What it pays again of what was sent before; absent when it reads all of that. */
  readonly rewrite: ForeseenRewrite | undefined;
}

/** What it is read with. */
interface PressureOptions {
  readonly at: Timestamp;
  readonly capabilities: Capabilities;
  /** Output tokens that are asked for. */
  readonly outputLimit: number;
  readonly call: CallPlan;
  readonly budgets?: BudgetSettings;
  readonly beside?: Beside;
}

/**
 * How full the next request is before it is written: its gauge, the tier that it reaches, and the output it may ask
 * for. A side call has no gauge: what it adds is gone with it.
 */
interface Pressure {
  readonly gauge: Gauge | undefined;
  readonly crossed: PressureCrossed | undefined;
  readonly size: SizeForecast | undefined;
  /** As asked, or as much as fits. */
  readonly outputLimit: number;
}

/** Reads the pressure of the request that this state is about to send. */
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

/** Tokens that an answer needs to say anything. */
const WORDS = 1_024;

/** Anthropic refuses a reasoning budget that does not fit into the output limit. */
function leastOutput({ thinking }: RenderParameters): number {
  if (typeof thinking !== 'object' || thinking === null || !('budget_tokens' in thinking)) return WORDS;
  const { budget_tokens: budget } = thinking;
  return typeof budget === 'number' ? budget + WORDS : WORDS;
}

/** The part of a call that its prompt streams depend on. */
interface PromptStreamOptions {
  readonly encoder: Encoder;
  readonly wanted: Pick<RequestSpec, 'capabilities'>;
  readonly capabilities: Capabilities;
  /** Of the epoch in force, where it is about to open: they need not be read back. */
  readonly texts?: FrontTexts;
  readonly beside?: Beside;
  readonly resize?: Resize;
}

/** The main prompt stream, with all that was packed since; as it is where a call needs nothing of that. */
async function mainPromptStream(
  session: Session,
  kept: PromptStream | undefined,
  state: State,
  options: PromptStreamOptions,
): Promise<PromptStream> {
  const held = kept !== undefined && stillHolds(kept, state) ? kept : await newPromptStream(session, state, options);
  return options.beside?.history === 'none'
    ? held
    : extendPromptStream(held, state, session.log.artifacts, options.resize);
}

/** The prompt stream of the call itself. */
async function callPromptStream(
  { log }: Session,
  main: PromptStream,
  state: State,
  { beside }: PromptStreamOptions,
): Promise<PromptStream> {
  if (beside === undefined) return main;
  const before = beside.history === 'none' ? beginPromptStream(main.materials, state) : main;
  return sideCallPromptStream(before, state, { parts: beside.extra, position: position(state.length) }, log.artifacts);
}

/** The catalog row is the epoch's own, as it is when the request is made again: another one may lower otherwise (L2). */
async function newPromptStream(
  { log: { artifacts } }: Session,
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

/** After the append the epoch has its real record: the prompt stream goes on under it. */
export function rebased(promptStream: PromptStream, state: State): PromptStream {
  if (state.epoch === undefined) return promptStream;
  return {
    ...promptStream,
    packed: state.history.packed.buffer,
    materials: { ...promptStream.materials, epoch: state.epoch },
  };
}
