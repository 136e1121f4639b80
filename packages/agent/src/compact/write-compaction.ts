// A compaction as it would be recorded: planned down the ladder, its checkpoint written, and judged with its real size.
// Nothing is recorded here, and a model is asked only where the order says so.

import type { HistoryCompacted, Money, Position, Range, SessionId } from '@tidemark/log';
import type {
  Checkpoint,
  CompactionPlan,
  CompactionRefusal,
  CompactionSizes,
  Gauge,
  ModelFields,
} from '@tidemark/context';
import {
  breakCost,
  checkpointSize,
  checkpointText,
  cliffCleared,
  compactionContract,
  gaugeOf,
  judgeCompaction,
  LAST_RUNG,
  planCompaction,
} from '@tidemark/context';
import type { CompactionTrigger } from '../session/triggers.ts';
import type { Runtime } from '../turn/runtime.ts';
import type { CheckpointAsker, MadeQuestion } from './ask-for-checkpoint.ts';
import { askForCheckpoint } from './ask-for-checkpoint.ts';
import type { ReadHistory } from './read-history.ts';
import type { CheckpointSource } from './write-checkpoint.ts';
import { readSource, writeCheckpoint } from './write-checkpoint.ts';

/** What is asked for, and who is asked for what only a reader of the history can tell; nobody without `ask`. */
export interface CompactionOrder extends CheckpointAsker {
  readonly trigger: CompactionTrigger;
  /** The first rung of the ladder: 0 unless said. */
  readonly from?: number;
  /** Most tokens of the tail that is kept, and no less is tried: down the ladder from what the budgets say unless given. */
  readonly tail?: number;
  /** Most tokens of the checkpoint, on the model's scale: by the room that there is unless given. */
  readonly checkpoint?: number;
  /** Nothing is recorded, refusals neither, and nobody is asked. */
  readonly dryRun?: boolean;
}

/** What came of it. Sizes are estimates, in tokens of the model. */
export interface CompactionReport {
  readonly outcome: 'compacted' | 'planned' | 'refused';
  readonly trigger: CompactionTrigger;
  readonly strategy: HistoryCompacted['strategy'];
  readonly sizes: CompactionSizes;
  readonly refused?: CompactionRefusal | 'interrupted';
  readonly range?: Range;
  /** Prompts and steers of the turn under way that stay as they were said. */
  readonly keeps?: readonly Position[];
  /** Messages that stay behind the checkpoint. */
  readonly kept?: number;
  /** Tokens that are written again because of it, and what that costs above reading them; absent when unknown. */
  readonly rewrite?: { readonly tokens: number; readonly cost?: Money };
  /** A length above which all of a request costs more, and that the next one stays below because of it. */
  readonly cliff?: number;
  readonly limitations?: readonly string[];
  /** Why no model helped, where one was to. */
  readonly fallback?: string;
  /** A model was asked, and did not help. */
  readonly askedInVain?: true;
  /** Its record, where one was made. */
  readonly position?: Position;
  /** Of a fresh start, the session that goes on from the checkpoint: that holds its record. */
  readonly fork?: SessionId;
}

/** What is written from. */
export interface CompactionWriting {
  readonly session: ReadHistory;
  readonly runtime: Pick<Runtime, 'capabilities' | 'outputLimit' | 'budgets' | 'surroundings'>;
}

/** What it is written by, beside what was ordered. */
export interface WritingOrder extends CompactionOrder {
  /** Nothing is kept behind the checkpoint. */
  readonly alone?: boolean;
  /** Said of the checkpoint beside its own limitations. */
  readonly adds?: readonly string[];
  /** What a model said already: none is asked. */
  readonly help?: Help;
}

/** What a model adds; or why none did. */
export interface Help {
  readonly fields?: ModelFields;
  readonly made?: MadeQuestion;
  readonly fallback?: string;
  readonly asked?: boolean;
}

/** A compaction that is worth it, or the reason why it is not. */
export type WrittenCompaction =
  | { readonly data: HistoryCompacted; readonly report: CompactionReport; readonly help?: Help }
  | {
      readonly data?: undefined;
      readonly refused: CompactionRefusal | 'interrupted';
      readonly sizes: CompactionSizes;
    };

/** Reads the gauge of a session as it is now. */
export function gaugeNow({ session, runtime }: CompactionWriting): Gauge {
  const { capabilities, outputLimit, budgets, surroundings } = runtime;
  const at = surroundings.now();
  return gaugeOf(session.state, capabilities, { outputLimit, at, ...(budgets && { budgets }) });
}

/** Writes it. @throws what the store throws. */
export async function writeCompaction(writing: CompactionWriting, order: WritingOrder): Promise<WrittenCompaction> {
  const { session, runtime } = writing;
  const { state, progress } = session;
  const gauge = gaugeNow(writing);
  const noted = [...progress.noted.values()].map(({ position }) => position);
  const { tail, checkpoint: most, alone = false, adds = [], from: first = 0 } = order;
  const last = tail === undefined && !alone ? LAST_RUNG : first;
  // Only a reader of the history adds something to a checkpoint that waits, once, and where the order names the reader.
  const anew = order.ask !== undefined && order.optional !== true && state.compacted?.data.strategy === 'deterministic';
  const asked = { ...(tail !== undefined && { tail }), ...(most !== undefined && { checkpoint: most }) };
  const input = { row: runtime.capabilities, gauge, noted, last, alone, anew, ...asked };
  let { help } = order;
  let from = first;
  for (;;) {
    const plan = planCompaction(state, { ...input, from });
    if ('refused' in plan) return plan;
    const source = await readSource(session, plan.draft);
    // Asked once: on a lower rung the answer still holds.
    help ??= await assist(order, gauge, plan, source);
    // Who interrupts the question wants no checkpoint without it: the next turn asks again.
    if (order.signal?.aborted === true) return { refused: 'interrupted', sizes: plan.sizes };
    const made = await writeCheckpoint(session, plan, source, help?.fields);
    const checkpoint = { ...made, limitations: [...made.limitations, ...adds] };
    const { sizes, refused } = judgeCompaction(state, gauge, plan.draft, checkpointSize(state, checkpoint));
    if (refused === undefined) return written(writing, order, { ...plan, sizes }, checkpoint, help);
    if (plan.rung === last) return { refused, sizes };
    from = plan.rung + 1;
  }
}

/** What a model adds. It is asked behind what the next request would hold, where that leaves room for the question. */
async function assist(
  { ask, optional, trigger, dryRun = false }: CompactionOrder,
  { input, limit }: Gauge,
  { draft: { range }, sizes: { hard } }: CompactionPlan,
  source: CheckpointSource,
): Promise<Help | undefined> {
  if (ask === undefined || dryRun) return undefined;
  const contract = compactionContract({ ...source, range, chunk: Math.floor(hard / 2) });
  const room = input === undefined || trigger === 'overflow_recovery' ? 0 : limit - input;
  return askForCheckpoint({ ask, ...(optional && { optional }) }, contract, room);
}

function written(
  { runtime }: CompactionWriting,
  { trigger }: CompactionOrder,
  { draft, sizes }: Pick<CompactionPlan, 'draft' | 'sizes'>,
  checkpoint: Checkpoint,
  help: Help | undefined,
): WrittenCompaction {
  const { range, keeps, kept, shortens } = draft;
  const { strategy, limitations } = checkpoint;
  const { made, fallback, asked } = help ?? {};
  const at = runtime.surroundings.now();
  const rewrite = breakCost(sizes, runtime.capabilities, at);
  const cliff = cliffCleared(sizes, runtime.capabilities, at);
  const why = fallback === undefined ? {} : { fallback };
  const said = { range, strategy, trigger, limitations, ...why };
  const data: HistoryCompacted = {
    ...said,
    checkpoint: checkpointText(checkpoint).text,
    fields: checkpoint,
    ...(keeps.length === 0 ? {} : { keeps }),
    ...(shortens === undefined ? {} : { shortens }),
    before: sizes.before,
    after: sizes.after,
    ...(made === undefined ? {} : { made: { ...made, model: runtime.capabilities.model } }),
  };
  const report = {
    outcome: 'planned',
    ...said,
    ...(asked === true && { askedInVain: true as const }),
    sizes,
    keeps,
    kept: kept.length,
    rewrite,
    ...(cliff !== undefined && { cliff }),
  } as const;
  return { data, report, ...(help && { help }) };
}
