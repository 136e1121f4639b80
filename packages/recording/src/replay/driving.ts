// A session while it is driven: what it is driven with, and what is known of it beside its log.

import type { CallOptions, Lasting, PromptStreams, Prepared, Session } from '@tidemark/agent';
import { newHash } from '@tidemark/agent';
import type { FrontTexts, RequestSpec } from '@tidemark/context';
import type { Artifacts, Recorded, Timestamp, RenderParameters } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import type { Usage, Capabilities, Catalog } from '@tidemark/model';
import type { Destination } from './carry.ts';
import type { RecordedCall } from './recorded-call.ts';
import type { ReplayProvider } from './serve.ts';
import type { Sizes } from './size.ts';
import { createSizes } from './size.ts';
import { findModel, nearestModel } from '@tidemark/model';

/** One call as it was driven. */
export interface DrivenCall {
  readonly step: number;
  readonly recorded: RecordedCall;
  readonly prepared: Prepared;
  readonly row: StandInRow;
  readonly usage: Usage | undefined;
  /** The simulator's refusal, where it refused. */
  readonly refused: string | undefined;
  /** When the call before it on its stream was sent. */
  readonly before: Timestamp | undefined;
}

/** A request that kept a pause warm. */
export interface WarmCall {
  readonly prepared: Prepared;
  readonly usage: Usage;
}

/**
 * Whether old results are shortened where that pays. `off`: the recording goes as it went. With the others a tool is offered
 * that reads results back, and blocks have the sizes that are estimated: no recording knows how large its calls would have been.
 */
export type ReplayPruning = 'off' | 'never' | 'auto';

/** What a drive is made with. */
export interface DriveOptions extends Pick<Destination, 'id' | 'root' | 'parent' | 'name'> {
  readonly session: Session;
  /** The facts, in order, and the bytes that they name. */
  readonly records: AsyncIterable<Recorded>;
  readonly bytes: Artifacts;
  /** The row for a recorded model. */
  readonly row: (model: string) => StandInRow;
  readonly provider: ReplayProvider;
  readonly ttl?: Lasting;
  /** Whether pauses between turns are kept warm. */
  readonly warm: boolean;
  readonly pruning: ReplayPruning;
  /** Positions of the recording at which forks leave it. */
  readonly forksAt: ReadonlySet<number>;
  readonly onCall: (call: DrivenCall) => void;
  readonly onWarm: (call: WarmCall) => void;
}

/** What is known of a stream beside its log; a fork goes on with a copy of its parent's. */
export interface Memory {
  readonly sizes: Sizes;
  readonly levels: Levels;
  /** New length of the log after each old record. */
  readonly lengths: readonly number[];
  /** The parent's own list, which goes on to grow. */
  readonly trunk: readonly number[];
  readonly front: FrontTexts | undefined;
  readonly reasoning: string | undefined;
}

/** A session under way. */
export interface Driving {
  readonly options: DriveOptions;
  readonly sizes: Sizes;
  readonly levels: Levels;
  readonly promptStreams: PromptStreams;
  /** The artifact of each model's row. */
  readonly rows: Map<string, Promise<RequestSpec['capabilities']>>;
  readonly lengths: number[];
  readonly trunk: readonly number[];
  front: FrontTexts | undefined;
  reasoning: string | undefined;
  /** What the last call was made with. */
  called: CallOptions | undefined;
  /** Milliseconds of the last thing that happened. */
  clock: number;
  /** Whether its log holds a record of its own. */
  begun: boolean;
}

/** A session of which nothing was driven yet. */
export function beginDriving(options: DriveOptions, inherited: Memory | undefined): Driving {
  return {
    options,
    sizes: inherited?.sizes ?? createSizes(newHash),
    levels: inherited?.levels ?? createLevels(),
    promptStreams: { main: undefined },
    rows: new Map(),
    lengths: [...(inherited?.lengths ?? [])],
    trunk: inherited?.trunk ?? [],
    front: inherited?.front,
    reasoning: inherited?.reasoning,
    called: undefined,
    clock: 0,
    begun: false,
  };
}

/** What a fork that leaves here takes over. */
export function memoryOf({ sizes, levels, lengths, front, reasoning }: Driving): Memory {
  return { sizes: sizes.copy(), levels, lengths: [...lengths], trunk: lengths, front, reasoning };
}

/** Calls start in the order they are recorded: a clock that went back stands still. */
export function later({ clock }: Driving, time: Timestamp): number {
  return Math.max(clock, Date.parse(time));
}

/** Milliseconds as the log writes them. */
export function asTime(clock: number): Timestamp {
  return timestamp(new Date(clock).toISOString());
}

/**
 * Returns the render parameters of a reasoning level, for a model with this output limit. No two levels have the same parameters, so
 * a change of level is a break, as it was in the recording.
 */
export type Levels = (level: string | undefined, outputLimit: number) => RenderParameters;

/** Budgets in tokens of the usual names. A name that is a number is the budget itself, as some recordings have it. */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1_024],
  ['low', 2_048],
  ['medium', 4_096],
  ['high', 8_192],
  ['xhigh', 16_384],
  ['max', 18_432],
]);

const USUAL_BUDGET = 12_288;

const LEAST = 1_024;

/** Names of no reasoning. */
const NONE: ReadonlySet<string> = new Set(['off', 'none', '0']);

/** Levels of one recording. */
export function createLevels(): Levels {
  const given = new Map<number, Map<number, string>>();
  return (level, outputLimit) => {
    if (level === undefined || NONE.has(level)) return {};
    const taken = given.get(outputLimit) ?? new Map<number, string>();
    given.set(outputLimit, taken);
    const budget = freeBudget(level, outputLimit - 1, taken);
    taken.set(budget, level);
    return { thinking: { type: 'enabled', budget_tokens: budget } };
  };
}

/** The budget asked for, or the next smaller one that no other level has. */
function freeBudget(level: string, most: number, taken: ReadonlyMap<number, string>): number {
  const asked = Math.round(BUDGETS.get(level) ?? (Number.isFinite(Number(level)) ? Number(level) : USUAL_BUDGET));
  let budget = Math.min(Math.max(asked, LEAST), most);
  while ((taken.get(budget) ?? level) !== level) budget = budget > LEAST ? budget - 1 : most;
  return budget;
}

/**
 * The catalog row that a recorded call is driven with: the model's own, or that of the nearest model of Anthropic under the
 * recorded name.
 */
export interface StandInRow {
  readonly capabilities: Capabilities;
  /** The model whose row stands in, where the recorded one has none of Anthropic's. */
  readonly standIn?: string;
}

/** Where no row is near: calls of another provider are driven as if this model had been asked. */
const USUAL_MODEL = 'claude-sonnet-4-5';

/** Room for an answer beyond the largest recorded input: a recording shows that its calls were accepted. */
const OUTPUT_ROOM = 32_768;

/** The row of a recorded model. A stand-in keeps the recorded name: to switch to another model is a break, whatever its row. */
export function rowFor(catalog: Catalog, model: string): StandInRow {
  const own = findModel(catalog, model, 'anthropic');
  if (own !== undefined) return { capabilities: own };
  const near = nearestModel(catalog, model, 'anthropic')?.capabilities ?? findModel(catalog, USUAL_MODEL, 'anthropic');
  if (near === undefined) throw new Error(`the catalog has no row for ${USUAL_MODEL}: restore the default catalog`);
  return { capabilities: { ...near, model, aliases: [] }, standIn: near.model };
}

/** The row with limits that hold the largest input that was recorded for its model. */
export function roomy(row: Capabilities, largest: number): Capabilities {
  if (largest + OUTPUT_ROOM <= row.inputLimit) return row;
  const tokens = Math.max(row.window.tokens, largest + OUTPUT_ROOM);
  return { ...row, inputLimit: Math.max(row.inputLimit, largest + OUTPUT_ROOM), window: { ...row.window, tokens } };
}
