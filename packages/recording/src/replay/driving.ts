// State of a session while it is driven: its options, and data that its log does not contain.

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

/** Recorded call after it was driven, with the request and the usage of the drive. */
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

/** Options for driving one session. */
export interface DriveOptions extends Pick<Destination, 'id' | 'root' | 'parent' | 'name'> {
  readonly session: Session;
  /** Recorded facts in order. `bytes` is the store of the bytes to which they refer. */
  readonly records: AsyncIterable<Recorded>;
  readonly bytes: Artifacts;
  /** Returns the catalog row for a recorded model. */
  readonly row: (model: string) => StandInRow;
  readonly provider: ReplayProvider;
  readonly ttl?: Lasting;
  /** True if the cache is kept warm during pauses between turns. */
  readonly warm: boolean;
  readonly pruning: ReplayPruning;
  /** Positions of the recording at which forks leave it. */
  readonly forksAt: ReadonlySet<number>;
  readonly onCall: (call: DrivenCall) => void;
  readonly onWarm: (call: WarmCall) => void;
}

/** Data about a stream that its log does not contain. A fork continues with a copy of its parent's memory. */
export interface Memory {
  readonly sizes: Sizes;
  readonly levels: Levels;
  /** Length of the driven log after each recorded position, by position. */
  readonly lengths: readonly number[];
  /**
   * Like `lengths`, but for the parent's log. This is the parent's own list, which grows while the parent is driven.
   */
  readonly trunk: readonly number[];
  readonly front: FrontTexts | undefined;
  readonly reasoning: string | undefined;
}

/** Session that is being driven, with the data that its log does not contain. */
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
  /** Options of the last driven call. */
  called: CallOptions | undefined;
  /** Time of the last event or call, in milliseconds. */
  clock: number;
  /** True if the driven log already contains a record of its own. */
  begun: boolean;
}

/** Returns the state of a session before its first record is driven. */
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

/** Returns the memory that a fork takes over from this session now. */
export function memoryOf({ sizes, levels, lengths, front, reasoning }: Driving): Memory {
  return { sizes: sizes.copy(), levels, lengths: [...lengths], trunk: lengths, front, reasoning };
}

/**
 * Returns a recorded time in milliseconds, but never a time before the current clock. If the recorded clock went back,
 * the clock of the drive stays the same, because calls start in recorded order.
 */
export function later({ clock }: Driving, time: Timestamp): number {
  return Math.max(clock, Date.parse(time));
}

/** Converts milliseconds to a timestamp of the log. */
export function asTime(clock: number): Timestamp {
  return timestamp(new Date(clock).toISOString());
}

/**
 * Returns the render parameters of a reasoning level, for a model with this output limit. No two levels have the same
 * parameters. So a change of level is a break in the drive too, as it was in the recording.
 */
export type Levels = (level: string | undefined, outputLimit: number) => RenderParameters;

/**
 * Reasoning budget of each usual level name, in tokens. A level name can also be a number, as in some recordings. This
 * number is then the budget.
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

const LEAST = 1_024;

/** Level names that turn reasoning off. */
const NONE: ReadonlySet<string> = new Set(['off', 'none', '0']);

/** Creates the function that returns the parameters of reasoning levels for one recording. */
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

/** Returns the budget of a level. If another level already has this budget, returns the next smaller free one. */
function freeBudget(level: string, most: number, taken: ReadonlyMap<number, string>): number {
  const asked = Math.round(BUDGETS.get(level) ?? (Number.isFinite(Number(level)) ? Number(level) : USUAL_BUDGET));
  let budget = Math.min(Math.max(asked, LEAST), most);
  while ((taken.get(budget) ?? level) !== level) budget = budget > LEAST ? budget - 1 : most;
  return budget;
}

/**
 * Catalog row with which a recorded call is driven. It is the model's own row, or else the row of the nearest Anthropic
 * model under the recorded name.
 */
export interface StandInRow {
  readonly capabilities: Capabilities;
  /**
   * Model whose row is used in place of the recorded model's. Absent if the recorded model has an Anthropic row of its
   * own.
   */
  readonly standIn?: string;
}

/** Model whose row is used if no other row is near. Calls to other providers are driven as calls to this model. */
const USUAL_MODEL = 'claude-sonnet-4-5';

/**
 * Room for an answer in addition to the largest recorded input, in tokens. The recorded input itself must fit, because
 * its provider accepted it.
 */
const OUTPUT_ROOM = 32_768;

/**
 * Returns the catalog row of a recorded model. If another model's row is used, it gets the recorded name, because a
 * switch between two recorded models must stay a break.
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
