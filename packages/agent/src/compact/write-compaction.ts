// A compaction as it would be recorded: planned down the ladder, its checkpoint written, and judged with its real size.
// Nothing is recorded here, and a model is asked only where the order says so.

import { defined } from '@tidemark/core';
import type {
  Checkpoint,
  CompactionPlan,
  CompactionRefusal,
  CompactionSizes,
  Gauge,
  ModelFields,
} from '@tidemark/context';
import {
  LAST_RUNG,
  behindRange,
  boundAt,
  breakCost,
  checkpointSize,
  checkpointText,
  cliffCleared,
  compactionContract,
  judgeCompaction,
  makeCheckpoint,
  planCompaction,
  readCheckpoint,
} from '@tidemark/context';
import type { HistoryCompacted, LogWriter, Recorded } from '@tidemark/log';
import { gaugeNow } from '../decide/when-to-compact.ts';
import type { CompactionReport, CompactionTrigger } from '../ports/compaction.ts';
import type { Runtime } from '../ports/runtime.ts';
import { leavesWhole } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import type { CheckpointAsker, MadeQuestion } from './ask-for-checkpoint.ts';
import { askForCheckpoint } from './ask-for-checkpoint.ts';

/** What is asked for, and who is asked for what only a reader of the history can tell; nobody without `ask`. */
export interface CompactionOrder extends CheckpointAsker {
  readonly trigger: CompactionTrigger;
  /** The first rung of the ladder. Default: 0. */
  readonly from?: number;
  /** Most tokens of the tail that is kept, and no less is tried: by default down the ladder, from what the budgets give. */
  readonly tail?: number;
  /** Most tokens of the checkpoint, on the model's scale: by default what the free room allows. */
  readonly checkpoint?: number;
  /** Nothing is recorded, refusals neither, and nobody is asked. */
  readonly dryRun?: boolean;
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

/** Writes it. @throws what the store throws. */
export async function writeCompaction(writing: CompactionWriting, order: WritingOrder): Promise<WrittenCompaction> {
  const { session, runtime } = writing;
  const { state, progress } = session;
  const gauge = gaugeNow(session, runtime);
  const noted = [...progress.lastNotes.values()].map(({ position }) => position);
  const { tail, checkpoint: most, alone = false, adds = [], from: first = 0 } = order;
  const last = tail === undefined && !alone ? LAST_RUNG : first;
  // Only a reader of the history adds something to a checkpoint that waits, once, and where the order names the reader.
  const anew = order.ask !== undefined && order.optional !== true && state.compacted?.data.strategy === 'deterministic';
  const asked = defined({ tail, checkpoint: most });
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
    if (refused === undefined) return writtenCompaction(writing, order, { ...plan, sizes }, checkpoint, help);
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

function writtenCompaction(
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
    ...defined({
      shortens,
      before: sizes.before,
      after: sizes.after,
      made: made === undefined ? undefined : { ...made, model: runtime.capabilities.model },
    }),
  };
  const report = {
    outcome: 'planned',
    ...said,
    ...(asked === true && { askedInVain: true as const }),
    sizes,
    keeps,
    kept: kept.length,
    rewrite,
    ...defined({ cliff }),
  } as const;
  return defined({ data, report, help });
}

/** What a checkpoint is written from: the records that are new to it, and those behind its range. */
interface CheckpointSource {
  readonly records: readonly Recorded[];
  readonly previous?: HistoryCompacted;
}

/** Reads what the checkpoint before it does not stand for. */
async function readSource(session: ReadHistory, { range }: CompactionPlan['draft']): Promise<CheckpointSource> {
  const previous = session.state.compacted?.data;
  const carried = previous && readCheckpoint(previous);
  const from = carried === undefined ? range.from : carried.range.to + 1;
  const records = await recordsOf(session, from);
  return defined({ records, previous });
}

/** Times that a checkpoint is written shorter because the model counts more for its text than for the mean of its range. */
const SHORTER = 6;

/** Writes it within the tokens of the plan, as the model counts them. `fromModel`: what a model adds; it takes nothing away. */
async function writeCheckpoint(
  session: ReadHistory,
  { draft, most, bound: first }: Pick<CompactionPlan, 'draft' | 'most' | 'bound'>,
  source: CheckpointSource,
  fromModel?: ModelFields,
): Promise<Checkpoint> {
  const { range, keeps } = draft;
  const behind = behindRange(source.records, range.to);
  const input = {
    ...source,
    range,
    keptPrompts: keeps,
    skillsInTail: session.progress.loadedSkills.flatMap((load) => (leavesWhole(draft, load) ? [load.name] : [])),
    filesInTail: behind.flatMap(filesOf),
    ...defined({ fromModel }),
  };
  let bound = first;
  for (let times = 0; ; times += 1) {
    const checkpoint = makeCheckpoint({ ...input, bound });
    const { tokens, scale } = checkpointSize(session.state, checkpoint);
    const less = boundAt(most, scale);
    if (tokens <= most || less >= bound || times === SHORTER) return checkpoint;
    bound = less;
  }
}

function filesOf(record: Recorded): readonly string[] {
  if (record.kind !== 'tool.returned') return [];
  return (record.data.files ?? []).map(({ path }) => path);
}

async function recordsOf({ log, writer, state }: ReadHistory, from: number): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of log.read(writer.session, from, state.length)) records.push(record);
  return records;
}

/** A history up to where its fold ends. An open session is one. */
export interface ReadHistory extends Pick<Session, 'log' | 'state' | 'progress'> {
  readonly writer: Pick<LogWriter, 'session'>;
}
