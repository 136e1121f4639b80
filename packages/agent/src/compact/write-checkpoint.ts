// The checkpoint of a planned compaction, made from the records of its range, and what a model adds to them.

import type { HistoryCompacted, Recorded } from '@tidemark/log';
import type { Checkpoint, CompactionPlan, ModelFields } from '@tidemark/context';
import { behindRange, boundAt, checkpointSize, makeCheckpoint, readCheckpoint } from '@tidemark/context';
import { leavesWhole } from '../session/progress.ts';
import type { ReadHistory } from './read-history.ts';

/** What a checkpoint is written from: the records that are new to it, and those behind its range. */
export interface CheckpointSource {
  readonly records: readonly Recorded[];
  readonly previous?: HistoryCompacted;
}

/** Reads what the checkpoint before it does not stand for. */
export async function readSource(session: ReadHistory, { range }: CompactionPlan['draft']): Promise<CheckpointSource> {
  const previous = session.state.compacted?.data;
  const carried = previous && readCheckpoint(previous);
  const from = carried === undefined ? range.from : carried.range.to + 1;
  const records = await recordsOf(session, from);
  return { records, ...(previous === undefined ? {} : { previous }) };
}

/** Times that a checkpoint is written shorter because the model counts more for its text than for the mean of its range. */
const SHORTER = 6;

/** Writes it within the tokens of the plan, as the model counts them. `fromModel`: what a model adds; it takes nothing away. */
export async function writeCheckpoint(
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
    skillsInTail: session.progress.skills.flatMap((load) => (leavesWhole(draft, load) ? [load.name] : [])),
    filesInTail: behind.flatMap(filesOf),
    ...(fromModel === undefined ? {} : { fromModel }),
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
