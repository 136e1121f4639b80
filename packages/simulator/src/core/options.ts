// What a simulator is made of, as asked for and as resolved. Options of an unknown name are refused.

import { defaultCatalog, findModel } from '@tidemark/model';
import type { Capabilities } from '@tidemark/model';
import { z } from 'zod';
import type { PlannedAnswer } from './answer.ts';
import type { ClockChoice } from './clock.ts';
import type { RecordedSizes } from './tokens.ts';
import { SimulatorError } from './errors.ts';
import type { Fault } from './faults.ts';
import { parseScenario } from './parse-scenario.ts';
import type { Scenario, ReceivedRequest } from './scenario.ts';

/** What the embedding process gives for one call. */
export interface AnswerPlan {
  readonly answer?: PlannedAnswer;
  /** Recorded tokens by running number of the block: tools, system, then message content in wire order. */
  readonly sizes?: RecordedSizes;
  readonly fault?: Fault;
}

/** The same for a call that has not come yet, with its time on a virtual clock. */
export interface TimedAnswerPlan extends AnswerPlan {
  /** Milliseconds since the epoch. */
  readonly at?: number;
}

/** What a simulator can be told. */
export interface SimulatorOptions {
  /**
   * The catalog row of a model name, `undefined` for an unknown one (a 404). By default the shipped catalog's. Each door
   * knows the models of its own provider, the router's those of all.
   */
  readonly capabilities?: (model: string) => Capabilities | undefined;
  /** Default: `real`. */
  readonly clock?: ClockChoice;
  readonly scenario?: Scenario;
  /** Looks at each valid request and may say how to answer it. */
  readonly onRequest?: (sent: ReceivedRequest) => AnswerPlan | undefined;
  /** `issued`: a signature that was never issued here is taken as issued where it is first seen. Default `refused`. */
  readonly recordedSignatures?: 'issued' | 'refused';
  /** Whether a run of calls, or of results, is one position. By default as the catalog row says. */
  readonly collapseRuns?: boolean;
  /** Whether a long-lived write behind a short-lived entry lives long. By default as the row says, `works` when unverified. */
  readonly promotion?: 'works' | 'fails';
  /** Milliseconds until an answer begins, on the clock: 1 on a virtual one, so that equal times are parallel; else 0. */
  readonly firstByteMs?: number;
  /** Characters in one delta of a stream: 48. */
  readonly deltaCharacters?: number;
  /** Calls kept in the ledger: 10,000. */
  readonly ledgerCalls?: number;
}

/** Options with nothing left open. */
export interface SimulatorSettings extends Required<
  Omit<SimulatorOptions, 'scenario' | 'onRequest' | 'collapseRuns' | 'promotion'>
> {
  readonly scenario: Scenario | undefined;
  readonly onRequest: SimulatorOptions['onRequest'] | undefined;
  readonly collapseRuns: boolean | undefined;
  readonly promotion: 'works' | 'fails' | undefined;
}

const anyFunction = z.custom<() => unknown>((value) => typeof value === 'function', 'expected a function');

const optionsSchema = z.strictObject({
  capabilities: anyFunction.optional(),
  clock: z.union([z.enum(['real', 'virtual']), anyFunction]).optional(),
  scenario: z.unknown().optional(),
  onRequest: anyFunction.optional(),
  recordedSignatures: z.enum(['issued', 'refused']).optional(),
  collapseRuns: z.boolean().optional(),
  promotion: z.enum(['works', 'fails']).optional(),
  firstByteMs: z.number().min(0).optional(),
  deltaCharacters: z.int().min(1).optional(),
  ledgerCalls: z.int().min(0).optional(),
});

/**
 * Checks options and fills in what they leave open.
 *
 * @throws SimulatorError `simulator/bad-options`, `simulator/bad-scenario`.
 */
export function resolveOptions(options: SimulatorOptions): SimulatorSettings {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw badOptions(parsed.error);
  const clock = options.clock ?? 'real';
  return {
    capabilities: options.capabilities ?? ((model) => findModel(defaultCatalog(), model)),
    clock,
    scenario: options.scenario === undefined ? undefined : parseScenario(options.scenario),
    onRequest: options.onRequest,
    recordedSignatures: options.recordedSignatures ?? 'refused',
    collapseRuns: options.collapseRuns,
    promotion: options.promotion,
    firstByteMs: options.firstByteMs ?? (clock === 'virtual' ? 1 : 0),
    deltaCharacters: options.deltaCharacters ?? 48,
    ledgerCalls: options.ledgerCalls ?? 10_000,
  };
}

function badOptions(error: z.ZodError): SimulatorError {
  const problems = error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
  return new SimulatorError(
    'simulator/bad-options',
    `A simulator cannot be made of these options: ${problems.join('; ')}. Correct them.`,
    { problems },
    error,
  );
}
