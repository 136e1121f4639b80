// Tally of a turn: the tokens and subagents of the running turn, and the line that reports its end.

import type { Recorded, RecordedOf, TurnEnded } from '@tidemark/log';

import { formatCount } from '../../frame/numbers.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { costInWords, forSubagents } from '../../present/report-turn.ts';
import type { SeenTokens } from '../../present/seen-tokens.ts';
import { addSeen, NOTHING_SEEN, tokensInWords } from '../../present/seen-tokens.ts';
import type { ShownSubagent } from '../../present/subagent-lines.ts';
import { withSubagent } from '../../present/subagent-lines.ts';
import { duration } from '../../present/tool-line.ts';

/** Tokens and subagents of a turn. */
export interface TurnTally {
  readonly tokens: SeenTokens;
  /** Number of model calls whose tokens were added. */
  readonly answers: number;
  /** Number of tool calls that the model made. Some of them may not have run, such as a call with a wrong argument. */
  readonly calls: number;
  readonly subagents: readonly ShownSubagent[];
  /** Time of the beginning, in milliseconds since 1970. */
  readonly startedAt?: number;
}

/** Tally before the first record of a turn. */
export const EMPTY_TALLY: TurnTally = { tokens: NOTHING_SEEN, answers: 0, calls: 0, subagents: [] };

/** Returns the tally after a record. A new turn begins with an empty tally. */
export function tallyAfter(tally: TurnTally, record: Recorded): TurnTally {
  switch (record.kind) {
    case 'turn.started':
    case 'turn.resumed':
      return { ...EMPTY_TALLY, startedAt: Date.parse(record.at) };
    case 'answer.received':
    case 'answer.interrupted':
      return withCalls(withTokens(tally, record.data), record);
    case 'answer.failed':
      return record.data.usage === undefined ? tally : withTokens(tally, record.data);
    case 'subagent.started':
    case 'subagent.ended':
      return { ...tally, subagents: withSubagent(tally.subagents, record) };
    default:
      return tally;
  }
}

function withTokens(tally: TurnTally, call: Parameters<typeof addSeen>[1]): TurnTally {
  return { ...tally, tokens: addSeen(tally.tokens, call, tally.answers === 0), answers: tally.answers + 1 };
}

function withCalls(
  tally: TurnTally,
  { data }: RecordedOf<'answer.received'> | RecordedOf<'answer.interrupted'>,
): TurnTally {
  const made = data.stream === 'main' ? data.parts.filter(({ type }) => type === 'call').length : 0;
  return made === 0 ? tally : { ...tally, calls: tally.calls + made };
}

const OUTCOME_STYLES = { completed: 'green', limited: 'yellow', interrupted: 'yellow', failed: 'red' } as const;

/** Returns the lines about the end of a turn: one line, and the error with its next step if there is one. */
export function turnEndLines({ data, at }: RecordedOf<'turn.ended'>, tally: TurnTally): readonly Shown[] {
  const { outcome, error, totals } = data;
  const time = tally.startedAt === undefined ? '' : ` in ${duration(Math.max(0, Date.parse(at) - tally.startedAt))}`;
  const sums = totals === undefined ? '' : totalsInWords(totals, tally);
  return [
    ...(error === undefined ? [] : errorLines(outcome, error)),
    [withStyle(OUTCOME_STYLES[outcome], outcome), withStyle('dim', `${time}${sums}`)],
  ];
}

function errorLines(outcome: TurnEnded['outcome'], error: NonNullable<TurnEnded['error']>): readonly Shown[] {
  const head = outcome === 'failed' ? withStyle('red', 'error') : withStyle('yellow', 'notice');
  return [[head, `: ${error.message}`], ...(error.next === '' ? [] : [`next: ${error.next}`])];
}

function totalsInWords(
  totals: NonNullable<TurnEnded['totals']>,
  { tokens, answers, calls, subagents }: TurnTally,
): string {
  const made = formatCount(Math.max(calls, totals.calls), 'tool call');
  return [
    `: ${formatCount(totals.steps, 'step')}, ${calls > totals.calls ? `${totals.calls} of ${made} ran` : made}`,
    ...(answers === 0 ? [] : [`tokens: ${tokensInWords(tokens)}`]),
    `${costInWords(totals)}${forSubagents(subagents.filter(({ status }) => status !== null))}`,
  ].join('; ');
}
