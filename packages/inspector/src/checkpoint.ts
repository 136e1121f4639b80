// Checkpoints of a session: for each compaction, the records that it replaced and the text that stands for them.

import type { HistoryCompacted, Kind, Log, Recorded, SessionId } from '@tidemark/log';

/** Numbers of the replaced records, by what they are in the conversation. */
export interface ReplacedRecords {
  readonly prompts: number;
  readonly answers: number;
  readonly results: number;
}

/** One compaction. */
export interface ShownCheckpoint {
  readonly position: number;
  readonly at: string;
  readonly strategy: HistoryCompacted['strategy'];
  readonly trigger: string;
  /** First and last replaced record. */
  readonly from: number;
  readonly to: number;
  /** Messages inside the range that stay unchanged after the checkpoint. */
  readonly keeps: readonly number[];
  /** Tokens of the context before and after. Absent if they were not recorded. */
  readonly before?: number;
  readonly after?: number;
  readonly limitations: readonly string[];
  /** Text that the model reads in place of the range. */
  readonly text: string;
  readonly replaced: ReplacedRecords;
  /** Position of the first request after the compaction. In an import, of its answer. Absent if there is none. */
  readonly request?: number;
}

/**
 * Reads the checkpoints of a session, oldest first.
 *
 * @throws LogError as the store does.
 */
export async function readCheckpoints(log: Log, session: SessionId): Promise<readonly ShownCheckpoint[]> {
  const kinds: string[] = [];
  const found: ShownCheckpoint[] = [];
  let imported = false;
  for await (const record of log.read(session)) {
    const { kind, position, at } = record;
    kinds[position] = kind;
    if (record.kind === 'session.created') imported = record.data.imported !== undefined;
    if (record.kind === 'history.compacted') found.push(checkpointOf(record.data, { position, at }, kinds));
    const last = found.at(-1);
    if (last !== undefined && last.request === undefined && isRequest(record, imported))
      found[found.length - 1] = { ...last, request: position };
  }
  return found;
}

function checkpointOf(
  { strategy, trigger, range, keeps = [], before, after, limitations, checkpoint }: HistoryCompacted,
  place: Pick<ShownCheckpoint, 'position' | 'at'>,
  kinds: readonly string[],
): ShownCheckpoint {
  const replaced = kinds.slice(range.from, range.to + 1);
  const count = (...wanted: readonly Kind[]): number =>
    replaced.filter((kind) => wanted.some((one) => one === kind)).length;
  return {
    ...place,
    strategy,
    trigger,
    from: range.from,
    to: range.to,
    keeps,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    limitations,
    text: checkpoint,
    replaced: {
      prompts: count('prompt.given'),
      answers: count('answer.received', 'answer.interrupted'),
      results: count('tool.returned', 'tool.failed'),
    },
  };
}

function isRequest(record: Recorded, imported: boolean): boolean {
  if (record.kind === 'request.prepared') return record.data.stream === 'main';
  return imported && record.kind === 'answer.received' && record.data.stream === 'main';
}
