// History of a session for the terminal: the conversation so far, and the state of its last turn.

import type { Log, RecordedOf, SessionId, TurnEnded } from '@tidemark/log';

import { formatNumber } from '../../frame/numbers.ts';
import { withStyle } from '../../frame/shown.ts';
import { costBefore } from '../../reports/line-cost.ts';
import type { Conversation } from '../state/conversation.ts';
import { add, EMPTY_CONVERSATION, foldRecord } from '../state/conversation.ts';
import type { StatusFacts } from '../state/status-facts.ts';
import { foldStatusRecord, NO_FACTS, withCostBefore } from '../state/status-facts.ts';

/** Conversation of a session until now, and the state of its last turn. */
export interface SessionHistory {
  readonly conversation: Conversation;
  /** Facts of the status line after the records. */
  readonly facts: StatusFacts;
  /** Number of records that were read. The next record has this position. */
  readonly length: number;
  /** End of the last turn if it can be resumed: an outcome, or `cut off` without a recorded end. */
  readonly resumable: Exclude<TurnEnded['outcome'], 'completed'> | 'cut off' | undefined;
}

/** Maximum number of blocks that are printed when a session is opened. */
const MOST_BLOCKS = 200;

/** Reads the history of a session. Only the latest blocks are kept, because all of them are printed at once. */
export async function readHistory(log: Log, session: SessionId): Promise<SessionHistory> {
  let conversation = EMPTY_CONVERSATION;
  let facts = NO_FACTS;
  let resumable: SessionHistory['resumable'];
  let length = 0;
  let created: RecordedOf<'session.created'> | undefined;
  for await (const record of log.read(session)) {
    conversation = foldRecord(conversation, record);
    facts = foldStatusRecord(facts, record);
    length = record.position + 1;
    if (record.kind === 'session.created') created = record;
    if (record.kind === 'turn.started' || record.kind === 'turn.resumed') resumable = 'cut off';
    if (record.kind === 'turn.ended') resumable = record.data.outcome === 'completed' ? undefined : record.data.outcome;
  }
  if (created?.data.parent !== undefined) facts = withCostBefore(facts, await costBefore(log, created));
  return { conversation: latestBlocks(conversation), facts, length, resumable };
}

function latestBlocks(conversation: Conversation): Conversation {
  const { blocks, live } = conversation;
  const omitted = blocks.length - MOST_BLOCKS;
  if (omitted <= 0) return conversation;
  const line = withStyle('dim', `… ${formatNumber(omitted)} earlier parts; Ctrl-T shows them`);
  const first = add(EMPTY_CONVERSATION, { kind: 'lines', key: 'earlier', lines: [line] });
  return { ...blocks.from(omitted).reduce(add, first), live };
}
