// A session while it is driven: what it is driven with, and what is known of it beside its log.

import type { CallOptions, Lasting, Lines, Prepared, Session } from '@tidemark/agent';
import { newHash } from '@tidemark/agent';
import type { FrontTexts, RequestSpec } from '@tidemark/context';
import type { Artifacts, Recorded, Timestamp } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import type { Usage } from '@tidemark/model';
import type { Destination } from './carry.ts';
import type { Levels } from './reasoning-level.ts';
import { createLevels } from './reasoning-level.ts';
import type { RecordedCall } from './recorded-call.ts';
import type { ReplayProvider } from './serve.ts';
import type { Sizes } from './size.ts';
import { createSizes } from './size.ts';
import type { StandInRow } from './stand-in.ts';

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
  readonly lines: Lines;
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
    lines: { main: undefined },
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
