// How full the next request is before it is written: its gauge, the tier that it reaches, and the output it may ask for.

import type { PressureCrossed, RenderParameters, SizeForecast, Timestamp } from '@tidemark/log';
import type { BudgetSettings, Gauge, State } from '@tidemark/context';
import { crossingOf, fitOutput, gaugeOf, nextInput, sizeForecast, expectedInput } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import type { CallPlan } from './call-plan.ts';
import type { Beside } from './request-record.ts';

/** What it is read with. */
export interface PressureOptions {
  readonly at: Timestamp;
  readonly capabilities: Capabilities;
  /** Output tokens that are asked for. */
  readonly outputLimit: number;
  readonly call: CallPlan;
  readonly budgets?: BudgetSettings;
  readonly beside?: Beside;
}

/** See the head of this file. A side call has no gauge: what it adds is gone with it. */
export interface Pressure {
  readonly gauge: Gauge | undefined;
  readonly crossed: PressureCrossed | undefined;
  readonly size: SizeForecast | undefined;
  /** As asked, or as much as fits. */
  readonly outputLimit: number;
}

/** Reads the pressure of the request that this state is about to send. */
export function pressureOf(state: State, options: PressureOptions): Pressure {
  const { at, capabilities, outputLimit: asked, call, budgets, beside } = options;
  const least = leastOutput(state.epoch?.inForce.parameters ?? {});
  if (beside !== undefined) {
    const outputLimit = fitOutput(capabilities, { asked, input: expectedInput(call.outlook.forecast), least });
    return { gauge: undefined, crossed: undefined, size: undefined, outputLimit };
  }
  const gauge = gaugeOf(state, capabilities, { outputLimit: asked, at, ...(budgets === undefined ? {} : { budgets }) });
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
