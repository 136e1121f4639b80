// Writes a compaction as it would be recorded. Plans it with a smaller and smaller tail, writes the checkpoint, and
// judges the compaction with its real size. Records nothing, and asks a model only if the order contains `ask`.

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
import type { CompactionReport, CompactionTrigger, PriceCompaction } from '../ports/compaction.ts';
import type { Runtime } from '../ports/runtime.ts';
import { leavesWhole } from '../session/loaded-skills.ts';
import type { Session } from '../session/session.ts';
import type { CheckpointAsker, MadeQuestion } from './ask-for-checkpoint.ts';
import { askForCheckpoint } from './ask-for-checkpoint.ts';

/** Order of a compaction. Without `ask` no model is asked. */
export interface CompactionOrder extends CheckpointAsker {
  readonly trigger: CompactionTrigger;
  /** Index of the first tail size to try (`rung`). Each higher index keeps less history. Default: 0. */
  readonly from?: number;
  /**
   * Maximum tokens of the tail that is kept. With this option only one tail size is tried. Default: the `tail` budget,
   * which is reduced for each further try.
   */
  readonly tail?: number;
  /** Maximum tokens of the checkpoint, as the model counts them. Default: computed from the free room. */
  readonly checkpoint?: number;
  /** True to record nothing, not even a refusal, and to ask no model. */
  readonly dryRun?: boolean;
}

/** Session and runtime from which a compaction is written. */
export interface CompactionWriting {
  readonly session: ReadHistory;
  readonly runtime: Pick<Runtime, 'capabilities' | 'outputLimit' | 'budgets' | 'surroundings'>;
  /** Prices the next request with the compaction. Without it, the report contains no price. */
  readonly price?: PriceCompaction | undefined;
}

/** Order of a compaction, with further settings for callers in this package. */
export interface WritingOrder extends CompactionOrder {
  /** True to keep no history after the checkpoint. */
  readonly alone?: boolean;
  /** Texts to add to the checkpoint's limitations. */
  readonly adds?: readonly string[];
  /** Result of asking a model in an earlier attempt. If present, no model is asked again. */
  readonly help?: Help;
}

/**
 * Fields that a model adds to the checkpoint, with data about the request. If the model added no fields, `fallback` is
 * the reason.
 */
export interface Help {
  readonly fields?: ModelFields;
  readonly made?: MadeQuestion;
  readonly fallback?: string;
  readonly asked?: boolean;
}

/** A compaction that frees enough tokens, or the reason for a refusal. */
export type WrittenCompaction =
  | { readonly data: HistoryCompacted; readonly report: CompactionReport; readonly help?: Help }
  | {
      readonly data?: undefined;
      readonly refused: CompactionRefusal | 'interrupted';
      readonly sizes: CompactionSizes;
    };

/**
 * Plans a compaction and writes its checkpoint, without recording them. Returns the compaction, or the reason for a
 * refusal.
 *
 * @throws what the store throws.
 */
export async function writeCompaction(writing: CompactionWriting, order: WritingOrder): Promise<WrittenCompaction> {
  const { session, runtime } = writing;
  const { state, progress } = session;
  const gauge = gaugeNow(session, runtime);
  const noted = [...progress.lastNotes.values()].map(({ position }) => position);
  const { tail, checkpoint: most, alone = false, adds = [], from: first = 0 } = order;
  const last = tail === undefined && !alone ? LAST_RUNG : first;
  // A checkpoint for this range may already be waiting. It is replaced only if it was written without a model and the
  // order demands the model.
  const anew = order.ask !== undefined && order.optional !== true && state.compacted?.data.strategy === 'deterministic';
  const asked = defined({ tail, checkpoint: most });
  const input = { row: runtime.capabilities, gauge, noted, last, alone, anew, ...asked };
  let { help } = order;
  let from = first;
  for (;;) {
    const plan = planCompaction(state, { ...input, from });
    if ('refused' in plan) return plan;
    const source = await readSource(session, plan.draft);
    // The model is asked only one time. Its answer is still valid for a smaller tail.
    help ??= await askModel(order, gauge, plan, source);
    // An interruption by the user also cancels the compaction. No checkpoint is then written without the model. The
    // next turn asks the model again.
    if (order.signal?.aborted === true) return { refused: 'interrupted', sizes: plan.sizes };
    const made = await writeCheckpoint(session, plan, source, help?.fields);
    const checkpoint = { ...made, limitations: [...made.limitations, ...adds] };
    const { sizes, refused } = judgeCompaction(state, gauge, plan.draft, checkpointSize(state, checkpoint));
    if (refused === undefined) return writtenCompaction(writing, order, { ...plan, sizes }, checkpoint, help);
    if (plan.rung === last) return { refused, sizes };
    from = plan.rung + 1;
  }
}

/**
 * Asks a model for the fields that it can add to the checkpoint. If there is room, the request is sent after the
 * content of the next request. Otherwise the history is sent in chunks. Returns `undefined` if no model may be asked.
 */
async function askModel(
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

async function writtenCompaction(
  { runtime, price }: CompactionWriting,
  { trigger }: CompactionOrder,
  { draft, sizes }: Pick<CompactionPlan, 'draft' | 'sizes'>,
  checkpoint: Checkpoint,
  help: Help | undefined,
): Promise<WrittenCompaction> {
  const { range, keeps, kept, shortens } = draft;
  const { strategy, limitations } = checkpoint;
  const { made, fallback, asked } = help ?? {};
  const at = runtime.surroundings.now();
  const cliff = cliffCleared(sizes, runtime.capabilities, at);
  const why = fallback === undefined ? {} : { fallback };
  const shared = { range, strategy, trigger, limitations, ...why };
  const data: HistoryCompacted = {
    ...shared,
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
  const next = await price?.(data);
  const rewrite = next && breakCost(tokensOf(next), runtime.capabilities, at);
  const report = {
    outcome: 'planned',
    ...shared,
    ...(asked === true && { askedInVain: true as const }),
    sizes,
    keeps,
    kept: kept.length,
    ...defined({ rewrite, next, cliff }),
  } as const;
  return defined({ data, report, help });
}

function tokensOf({ uncompacted, compacted }: NonNullable<CompactionReport['next']>): Parameters<typeof breakCost>[0] {
  return { uncompacted: uncompacted.tokens, compacted: compacted.tokens };
}

interface CheckpointSource {
  readonly records: readonly Recorded[];
  readonly previous?: HistoryCompacted;
}

async function readSource(session: ReadHistory, { range }: CompactionPlan['draft']): Promise<CheckpointSource> {
  const previous = session.state.compacted?.data;
  const carried = previous && readCheckpoint(previous);
  const from = carried === undefined ? range.from : carried.range.to + 1;
  const records = await recordsOf(session, from);
  return defined({ records, previous });
}

/**
 * Maximum number of times that a checkpoint is written again in a shorter form. This is needed if the model counts more
 * tokens in the checkpoint than the plan allows.
 */
const SHORTER = 6;

/**
 * Writes the checkpoint within the plan's maximum of tokens, as the model counts them. `fromModel` contains the fields
 * that a model wrote. They are added to the fields built from the log and replace none of them.
 */
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

/** The history of a session up to a certain record. An open session fits this type. */
export interface ReadHistory extends Pick<Session, 'log' | 'state' | 'progress'> {
  readonly writer: Pick<LogWriter, 'session'>;
}
