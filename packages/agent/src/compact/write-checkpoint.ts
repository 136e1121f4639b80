// The checkpoint of a planned compaction, made from the records of its range, and what a model adds to them.

import type { HistoryCompacted, Recorded } from '@tidemark/log';
import type { Checkpoint, CompactionPlan, ModelFields, Size } from '@tidemark/context';
import { behindRange, checkpointText, checkpointTokens, makeCheckpoint, readCheckpoint } from '@tidemark/context';
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

/** Writes it. `fromModel`: what a model adds; it takes nothing away. */
export async function writeCheckpoint(
  session: ReadHistory,
  { draft, bound }: Pick<CompactionPlan, 'draft' | 'bound'>,
  source: CheckpointSource,
  fromModel?: ModelFields,
): Promise<Checkpoint> {
  const { range, keeps } = draft;
  const behind = behindRange(source.records, range.to);
  return makeCheckpoint({
    ...source,
    range,
    bound,
    keptPrompts: keeps,
    skillsInTail: session.progress.skills.flatMap((load) => (leavesWhole(draft, load) ? [load.name] : [])),
    filesInTail: behind.flatMap(filesOf),
    ...(fromModel === undefined ? {} : { fromModel }),
  });
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

/** How large a checkpoint is, as the model reads it: before any ratio. */
export function sizeOfCheckpoint(checkpoint: Checkpoint): Size {
  const { text, limitations } = checkpointText(checkpoint);
  return { tokens: checkpointTokens(checkpoint), bytes: Buffer.byteLength([text, ...limitations].join('\n')) };
}
