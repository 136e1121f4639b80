// The checkpoint of a planned compaction, made from the records of its range, and what a model adds to them.

import type { HistoryCompacted, Recorded, SessionId } from '@tidemark/log';
import type { Checkpoint, CompactionPlan, ModelFields, Size } from '@tidemark/context';
import { checkpointText, checkpointTokens, makeCheckpoint } from '@tidemark/context';
import type { ReadHistory } from './read-history.ts';

/** What a checkpoint is written from. */
export interface CheckpointSource {
  readonly records: readonly Recorded[];
  readonly previous?: HistoryCompacted;
}

/** Reads what the checkpoint before it does not stand for. */
export async function readSource(session: ReadHistory, { range }: CompactionPlan['draft']): Promise<CheckpointSource> {
  const previous = session.state.compacted?.data;
  const from = previous?.fields === undefined ? range.from : previous.range.to + 1;
  const records = await recordsOf(session, from, range.to + 1);
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
  const behind = await recordsOf(session, range.to + 1, session.state.length);
  return makeCheckpoint({
    ...source,
    range,
    bound,
    keptPrompts: keeps,
    skillsInTail: behind.flatMap((one) => (one.kind === 'skill.loaded' ? [one.data.name] : [])),
    filesInTail: behind.flatMap(filesOf),
    ...(fromModel === undefined ? {} : { fromModel }),
  });
}

function filesOf(record: Recorded): readonly string[] {
  if (record.kind !== 'tool.returned') return [];
  return (record.data.files ?? []).map(({ path }) => path);
}

async function recordsOf(session: ReadHistory, from: number, to: number): Promise<readonly Recorded[]> {
  const id: SessionId = session.writer.session;
  const records: Recorded[] = [];
  for await (const record of session.log.read(id, from, to)) records.push(record);
  return records;
}

/** How large a checkpoint is, as the model reads it: before any ratio. */
export function sizeOfCheckpoint(checkpoint: Checkpoint): Size {
  const { text, limitations } = checkpointText(checkpoint);
  return { tokens: checkpointTokens(checkpoint), bytes: Buffer.byteLength([text, ...limitations].join('\n')) };
}
