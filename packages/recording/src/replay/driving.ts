// State of a session during its replay: the options, and data that the log does not contain.

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

/** Recorded call after its replay, with the request and the usage of the replay. */
export interface DrivenCall {
  readonly step: number;
  readonly recorded: RecordedCall;
  readonly prepared: Prepared;
  readonly row: StandInRow;
  readonly usage: Usage | undefined;
  /** Reason of the refusal if the simulator refused the call, else `undefined`. */
  readonly refused: string | undefined;
  /** Time at which the previous call on the stream was sent. `undefined` for the first call. */
  readonly before: Timestamp | undefined;
}

/** Request that kept the cache warm during a pause. */
export interface WarmCall {
  readonly prepared: Prepared;
  readonly usage: Usage;
}

/**
 * Pruning mode. With `off`, old results keep their recorded form. With `auto`, old results are shortened if this saves
 * money. With `never`, no result is shortened. With `auto` and `never`, the front contains a tool that reads results
 * back, and all blocks have estimated sizes, because no recording contains the sizes of shortened calls. So the costs
 * of `auto` and `never` can be compared.
 */
export type ReplayPruning = 'off' | 'never' | 'auto';

/**
 * Source of the model and the reasoning level of a call. With `recorded`, they change where they changed in the
 * recording. With `first`, all calls of a session use those of its first call.
 */
export type ReplaySettings = 'recorded' | 'first';

/** Options for the replay of one session. */
export interface DriveOptions extends Pick<Destination, 'id' | 'root' | 'parent' | 'name'> {
  readonly session: Session;
  /** Recorded facts in order. `bytes` is the store of the bytes to which they refer. */
  readonly records: AsyncIterable<Recorded>;
  readonly bytes: Artifacts;
  /** Returns the catalog row with which the calls of a recorded model are replayed. */
  readonly row: (model: string) => StandInRow;
  readonly provider: ReplayProvider;
  readonly ttl?: Lasting;
  /** True if the cache is kept warm during pauses between turns. */
  readonly warm: boolean;
  readonly pruning: ReplayPruning;
  readonly settings: ReplaySettings;
  /** Recorded positions at which forks start. */
  readonly forksAt: ReadonlySet<number>;
  readonly onCall: (call: DrivenCall) => void;
  readonly onWarm: (call: WarmCall) => void;
}

/** Data about a session that its log does not contain. A fork continues with a copy of its parent's memory. */
export interface Memory {
  readonly sizes: Sizes;
  readonly levels: Levels;
  /**
   * Number of records in the replayed log after each recorded event. The index is the position of the recorded event.
   */
  readonly lengths: readonly number[];
  /**
   * Like `lengths`, but for the parent's log. This is the parent's own list, which grows while the parent is replayed.
   */
  readonly trunk: readonly number[];
  readonly front: FrontTexts | undefined;
  readonly reasoning: string | undefined;
  readonly model: string | undefined;
}

/** Session during its replay, with the data that its log does not contain. */
export interface Driving {
  readonly options: DriveOptions;
  readonly sizes: Sizes;
  readonly levels: Levels;
  readonly promptStreams: PromptStreams;
  /** Digest of the stored catalog row of each model, by model name. */
  readonly rows: Map<string, Promise<RequestSpec['capabilities']>>;
  readonly lengths: number[];
  readonly trunk: readonly number[];
  front: FrontTexts | undefined;
  reasoning: string | undefined;
  /** Model of the first replayed call. */
  model: string | undefined;
  /** Options of the last replayed call. */
  called: CallOptions | undefined;
  /** Time of the last event or call, in milliseconds. */
  clock: number;
  /** True if the replayed log already contains a record of this session. Records of its parent do not count. */
  begun: boolean;
}

/** Returns the state of a session before its first record is replayed. */
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
    model: inherited?.model,
    called: undefined,
    clock: 0,
    begun: false,
  };
}

/** Returns the memory for a fork that starts at the current state of this session. */
export function memoryOf({ sizes, levels, lengths, front, reasoning, model }: Driving): Memory {
  return { sizes: sizes.copy(), levels, lengths: [...lengths], trunk: lengths, front, reasoning, model };
}

/**
 * Returns a recorded time in milliseconds, but at least the current time of the replay. If the recorded clock went
 * back, the replay's clock stays the same, because calls start in recorded order.
 */
export function later({ clock }: Driving, time: Timestamp): number {
  return Math.max(clock, Date.parse(time));
}

/** Converts milliseconds to a timestamp of the log. */
export function asTime(clock: number): Timestamp {
  return timestamp(new Date(clock).toISOString());
}

/**
 * Returns the render parameters of a reasoning level, for a model with this output limit. Two levels never get the same
 * parameters, so that a change of level is a break in the replay, as it was in the recording.
 */
export type Levels = (level: string | undefined, outputLimit: number) => RenderParameters;

/**
 * Reasoning budget of each usual level name, in tokens. In some recordings the level is a number, which is then the
 * budget.
 */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1_024],
  ['low', 2_048],
  ['medium', 4_096],
  ['high', 8_192],
  ['xhigh', 16_384],
  ['max', 18_432],
]);

const USUAL_BUDGET = 12_288;

const MIN_BUDGET = 1_024;

/** Level names that turn reasoning off. */
const NONE: ReadonlySet<string> = new Set(['off', 'none', '0']);

/**
 * Creates a function that returns the parameters of reasoning levels. The function remembers the budget of each level,
 * so a session and its forks must use the same function.
 */
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

/**
 * Returns the budget of a level. If another level already has this budget, returns the next smaller free one. After the
 * smallest possible budget, the search continues from `most`.
 */
function freeBudget(level: string, most: number, taken: ReadonlyMap<number, string>): number {
  const asked = Math.round(BUDGETS.get(level) ?? (Number.isFinite(Number(level)) ? Number(level) : USUAL_BUDGET));
  let budget = Math.min(Math.max(asked, MIN_BUDGET), most);
  while ((taken.get(budget) ?? level) !== level) budget = budget > MIN_BUDGET ? budget - 1 : most;
  return budget;
}

/**
 * Catalog row with which a recorded call is replayed: the row of the recorded model, or else a copy of the row of the
 * nearest Anthropic model. The copy has the name of the recorded model.
 */
export interface StandInRow {
  readonly capabilities: Capabilities;
  /** Model whose row was copied. Absent if the recorded model has its own Anthropic row. */
  readonly standIn?: string;
}

/** Model whose row is used for a recorded model that is not a Claude model. */
const USUAL_MODEL = 'claude-sonnet-4-5';

/**
 * Room for an answer in addition to the largest recorded input, in tokens. The recorded input itself must fit, because
 * its provider accepted it.
 */
const OUTPUT_ROOM = 32_768;

/**
 * Returns the catalog row of a recorded model. A copy of another model's row gets the recorded name, because a switch
 * between two recorded models must stay a break.
 */
export function rowFor(catalog: Catalog, model: string): StandInRow {
  const own = findModel(catalog, model, 'anthropic');
  if (own !== undefined) return { capabilities: own };
  const near = nearestModel(catalog, model, 'anthropic')?.capabilities ?? findModel(catalog, USUAL_MODEL, 'anthropic');
  if (near === undefined) throw new Error(`the catalog has no row for ${USUAL_MODEL}: restore the default catalog`);
  return { capabilities: { ...near, model, aliases: [] }, standIn: near.model };
}

/** Returns the row with limits that allow an input of `largest` tokens and an answer. The limits are never lowered. */
export function roomy(row: Capabilities, largest: number): Capabilities {
  if (largest + OUTPUT_ROOM <= row.inputLimit) return row;
  const tokens = Math.max(row.window.tokens, largest + OUTPUT_ROOM);
  return { ...row, inputLimit: Math.max(row.inputLimit, largest + OUTPUT_ROOM), window: { ...row.window, tokens } };
}
