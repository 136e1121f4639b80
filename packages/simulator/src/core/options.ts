// Options of a simulator, before and after defaults are applied. An unknown option name is an error.

import { defaultCatalog, findModel } from '@tidemark/model';
import type { Capabilities } from '@tidemark/model';
import { z } from 'zod';
import type { PlannedAnswer } from './answer.ts';
import type { ClockChoice } from './clock.ts';
import type { RecordedSizes } from './tokens.ts';
import { SimulatorError } from './errors.ts';
import type { Fault } from './faults.ts';
import type { CallWatcher, RejectedRequest } from './ledger.ts';
import { parseScenario } from './parse-scenario.ts';
import type { ReceivedRequest } from './received.ts';
import type { Scenario } from './scenario.ts';

/** Plan for one call, set by the program that creates the simulator: an answer, recorded sizes and a fault. */
export interface AnswerPlan {
  readonly answer?: PlannedAnswer;
  /**
   * Recorded tokens by block index. The index counts all tools, then the system blocks, then the content of the
   * messages.
   */
  readonly sizes?: RecordedSizes;
  readonly fault?: Fault;
}

/** Plan for a later call, with the time of the call on a virtual clock. */
export interface TimedAnswerPlan extends AnswerPlan {
  /** Time of the call, in milliseconds since the epoch. */
  readonly at?: number;
}

/** Options of a simulator. */
export interface SimulatorOptions {
  /**
   * Returns the catalog row of a model, or `undefined` for an unknown model. By default the rows are those of the
   * shipped catalog. Each endpoint knows only the models of its own provider. The router endpoint knows the models of
   * all providers. A request for an unknown model is refused. The status is 404 in the Messages and Chat APIs, and 400
   * in the Responses API and through the router.
   */
  readonly capabilities?: (model: string) => Capabilities | undefined;
  /** Names of the models that `GET /v1/models` lists. Default: the names of the shipped catalog. */
  readonly models?: readonly string[];
  /** Clock of the simulator and its caches. Default: `real`. */
  readonly clock?: ClockChoice;
  readonly scenario?: Scenario;
  /** Hook that receives each valid request and can return a plan for its answer. */
  readonly onRequest?: (sent: ReceivedRequest) => AnswerPlan | undefined;
  /**
   * Treatment of a signature that this simulator never issued. With `issued`, the signature counts as issued at the
   * place where it is first seen. With `refused`, the request is refused. Default: `refused`.
   */
  readonly recordedSignatures?: 'issued' | 'refused';
  /**
   * Treatment of tools that the provider itself runs, for example web search. With `offered`, such a tool is part of
   * the prompt. It is never called, because the answers are scripted. With `refused`, the request is refused. Default:
   * `refused`.
   */
  readonly serverTools?: 'offered' | 'refused';
  /**
   * True if consecutive calls count as one lookback position. The same then applies to consecutive results. Default:
   * the value in the catalog row.
   */
  readonly collapseRuns?: boolean;
  /**
   * Lifetime of an entry in this case: a request reads an entry of 5 minutes and writes an entry marked one hour. With
   * `works` the written entry lives one hour, with `fails` it lives 5 minutes. Default: the value in the catalog row.
   * An unverified value in the row counts as `works`.
   */
  readonly promotion?: 'works' | 'fails';
  /**
   * Milliseconds from the start of a call to the start of its answer, on the simulator's clock. A cache entry is
   * readable when the answer starts. The default on a virtual clock is 1. So two calls with the same time do not read
   * each other's entries. The default on another clock is 0.
   */
  readonly firstByteMs?: number;
  /** Number of characters in one delta of a stream. Default: 48. */
  readonly deltaCharacters?: number;
  /**
   * Text from which all ids and signatures are derived. Two simulators with the same seed give the same ids in the same
   * order. So use a seed only if a test compares ids. Default: a random seed.
   */
  readonly idSeed?: string;
  /** Receives each call when it is answered or refused, for example for a log. */
  readonly onCall?: CallWatcher;
  /** Receives each request that no endpoint received, for example a request for an unknown path. */
  readonly onRejected?: (rejected: RejectedRequest) => void;
  /**
   * True if the report names a cause for each call that read nothing from the cache. Then the simulator compares the
   * parts of each request with earlier requests. Default: false.
   */
  readonly explainMisses?: boolean;
  /**
   * Number of calls kept in the ledger. Default: 10,000. With 0, the ledger keeps no calls, `onCall` receives none, and
   * the report counts none.
   */
  readonly ledgerCalls?: number;
}

/** Options with all defaults applied. */
export interface SimulatorSettings extends Required<
  Omit<
    SimulatorOptions,
    'onCall' | 'onRejected' | 'scenario' | 'onRequest' | 'collapseRuns' | 'promotion' | 'idSeed' | 'models'
  >
> {
  readonly scenario: Scenario | undefined;
  readonly onRequest: SimulatorOptions['onRequest'] | undefined;
  readonly onCall: CallWatcher | undefined;
  readonly onRejected: SimulatorOptions['onRejected'] | undefined;
  readonly collapseRuns: boolean | undefined;
  readonly promotion: 'works' | 'fails' | undefined;
  readonly idSeed: string | undefined;
  readonly models: readonly string[] | undefined;
}

const anyFunction = z.custom<() => unknown>((value) => typeof value === 'function', 'expected a function');

const optionsSchema = z.strictObject({
  capabilities: anyFunction.optional(),
  models: z.array(z.string()).optional(),
  clock: z.union([z.enum(['real', 'virtual']), anyFunction]).optional(),
  scenario: z.unknown().optional(),
  onRequest: anyFunction.optional(),
  onCall: anyFunction.optional(),
  onRejected: anyFunction.optional(),
  explainMisses: z.boolean().optional(),
  recordedSignatures: z.enum(['issued', 'refused']).optional(),
  serverTools: z.enum(['offered', 'refused']).optional(),
  collapseRuns: z.boolean().optional(),
  promotion: z.enum(['works', 'fails']).optional(),
  firstByteMs: z.number().min(0).optional(),
  deltaCharacters: z.int().min(1).optional(),
  idSeed: z.string().min(1).optional(),
  ledgerCalls: z.int().min(0).optional(),
});

/**
 * Checks options and fills in the defaults.
 *
 * @throws SimulatorError `simulator/bad-options` when an option is unknown or has a wrong value,
 *   `simulator/bad-scenario` when the scenario is wrong.
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
    onCall: options.onCall,
    onRejected: options.onRejected,
    explainMisses: options.explainMisses ?? false,
    recordedSignatures: options.recordedSignatures ?? 'refused',
    serverTools: options.serverTools ?? 'refused',
    collapseRuns: options.collapseRuns,
    promotion: options.promotion,
    idSeed: options.idSeed,
    models: options.models,
    firstByteMs: options.firstByteMs ?? (clock === 'virtual' ? 1 : 0),
    deltaCharacters: options.deltaCharacters ?? 48,
    ledgerCalls: options.ledgerCalls ?? 10_000,
  };
}

function badOptions(error: z.ZodError): SimulatorError {
  const problems = error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
  return new SimulatorError(
    'simulator/bad-options',
    `The simulator cannot use these options: ${problems.join('; ')}. Correct them.`,
    { problems },
    error,
  );
}
