// A call decided and not yet made: its lines, markers, price and pressure, as the log will stand in front of it. Nothing of
// it is committed, so that it can still be refused.

import type { EpochPrice, State } from '@tidemark/context';
import { foreseeRewrite } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import type { Session } from '../session/session.ts';
import { asIfRecorded } from './as-if-recorded.ts';
import type { CallOptions, Foreseen } from './call-options.ts';
import type { CallPlan, PlanOptions } from './call-plan.ts';
import { planCall } from './call-plan.ts';
import { callLine, mainLine } from './hold-lines.ts';
import type { PromptStream } from './prompt-stream.ts';
import type { Pressure } from './pressure.ts';
import { pressureOf } from './pressure.ts';
import type { Changing } from './what-changes.ts';

/** See the head of this file. */
export interface CallDraft {
  /** As the log will stand in front of the request. */
  readonly state: State;
  readonly main: PromptStream;
  /** The call's own: the main one, unless it is a side call. */
  readonly line: PromptStream;
  readonly capabilities: Capabilities;
  readonly call: CallPlan;
  readonly price: EpochPrice;
  readonly pressure: Pressure;
}

/** Drafts the call that goes out behind these changes; `kept` is the main line as the last request left it. */
export async function draftCall(
  session: Session,
  kept: PromptStream | undefined,
  { pruned, epoch, texts, changes }: Changing,
  options: CallOptions,
): Promise<CallDraft> {
  const inFront = [...(pruned === undefined ? [] : [pruned]), ...(epoch === undefined ? [] : [epoch]), ...changes];
  const state = inFront.reduce(asIfRecorded, session.state);
  const main = await mainLine(session, kept, state, { ...options, ...(texts && { texts }) });
  const line = await callLine(session, main, state, options);
  const capabilities = options.beside === undefined ? options.capabilities : line.materials.capabilities;
  const call = planCall(state, line, planOptions(options, capabilities, main));
  const price = priceOf(session.state, call, options);
  return {
    state,
    main,
    line,
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
    ...(ttl === undefined ? {} : { ttl }),
    ...(resize === undefined ? {} : { resize }),
    ...(beside === undefined ? {} : { beside: true }),
    ...(beside?.history === 'none' ? { history: 'none' } : {}),
    ...(beside?.history === 'main' ? { historyEnd: main.sequence.blocks.length - 1 } : {}),
    ...(beside?.keeps === undefined ? {} : { keeps: beside.keeps }),
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
