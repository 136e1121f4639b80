// Checks of the work in an agent's session (L8), from its log and the runs of its tools: each call is closed exactly
// once, a tool runs only after its start is recorded, a tool that changes something runs once, and every turn ends.

import type { AnswerReceived, EffectClass, Recorded, RecordedOf } from '@tidemark/log';
import { expect } from 'vitest';
import type { Run } from './agent-tools.ts';

interface Work {
  /** Open calls of the last answer, by call id. */
  open: Map<string, Open>;
  /** Number of starts of each call id, in the whole log. */
  readonly began: Map<string, number>;
  turn: 'none' | 'open' | 'ended';
  /** True if the last request failed and is not retried. The turn must then make no further request. */
  failed: boolean;
  /**
   * `said` is the position of the last prompt or notification, and `answered` the position of the last request that was
   * answered. Both are -1 at first.
   */
  said: number;
  answered: number;
  readonly noted: Map<string, string>;
}

interface Open {
  /** True if the output limit cut the arguments of the call. */
  readonly cut: boolean;
  began: number;
}

/** Checks the whole log of a closed session, and the runs of its tools. */
export function expectWorkInOrder(records: readonly Recorded[], all: readonly Run[]): void {
  const work: Work = {
    open: new Map(),
    began: new Map(),
    turn: 'none',
    failed: false,
    said: -1,
    answered: -1,
    noted: new Map(),
  };
  const wrong = records.flatMap((record) => {
    const why = check(work, record);
    return why === undefined ? [] : [`${record.kind} at ${record.position}: ${why}`];
  });
  wrong.push(...wrongEffects(records, all));
  for (const [call, runs] of Map.groupBy(all, (one) => one.call))
    if ((work.began.get(call) ?? 0) < runs.length) wrong.push(`${call} ran more often than it began`);
  if (work.open.size > 0) wrong.push('calls are open at the end');
  if (work.turn === 'open') wrong.push('a turn is open at the end');
  expect(wrong).toEqual([]);
}

/** Returns an error text for each run of a tool whose effect class differs from that in the record of its start. */
function wrongEffects(records: readonly Recorded[], all: readonly Run[]): readonly string[] {
  const recorded = new Set(
    records.flatMap(({ kind, data }) => (kind === 'tool.started' ? [`${data.call} ${data.effect}`] : [])),
  );
  return all.flatMap(({ call, effect }) =>
    recorded.has(`${call} ${effect}`) ? [] : [`${call} ran with the effect ${effect}, which is not recorded`],
  );
}

/** Updates the state with a record. Returns an error text if the record is not allowed at its position. */
function check(work: Work, record: Recorded): string | undefined {
  switch (record.kind) {
    case 'answer.received':
      if (record.data.stream !== 'main') return undefined;
      work.answered = record.data.request ?? record.position;
      work.open = openedBy(record.data);
      return undefined;
    case 'answer.failed':
      if (record.data.stream === 'main') work.failed = record.data.retry !== true;
      return undefined;
    case 'request.prepared':
      if (record.data.stream !== 'main') return undefined;
      if (work.turn !== 'open') return 'no turn is open';
      if (work.failed) return 'the last one had failed for good';
      return whyOpen(work);
    case 'tool.started':
      return begin(work, record.data.call, record.data.effect);
    case 'tool.returned':
    case 'tool.failed':
    case 'tool.abandoned':
      return close(work, record);
    case 'prompt.given':
      work.said = record.position;
      return work.turn === 'open' ? undefined : 'no turn is open';
    case 'notification.received':
      work.said = record.position;
      return undefined;
    case 'context.noted': {
      const { source, revision, cause } = record.data;
      // `refresh` adds a note even if the source has not changed.
      const same = work.noted.get(source) === revision && cause !== 'refreshed';
      work.noted.set(source, revision);
      return same ? 'the note repeats the one before' : undefined;
    }
    default:
      return checkTurn(work, record);
  }
}

function checkTurn(work: Work, record: Recorded): string | undefined {
  switch (record.kind) {
    case 'turn.started':
    case 'turn.resumed': {
      const was = work.turn;
      Object.assign(work, { turn: 'open', failed: false });
      if (record.kind === 'turn.resumed') return was === 'none' ? 'no turn began' : undefined;
      return was === 'open' ? 'the one before it is open' : whyOpen(work);
    }
    case 'turn.ended': {
      const was = work.turn;
      work.turn = 'ended';
      if (was !== 'open') return 'no turn is open';
      // A turn is completed only after an answer to every prompt and notification in it.
      const unheard = record.data.outcome === 'completed' && work.answered < work.said;
      return unheard ? 'the last words have no answer' : whyOpen(work);
    }
    default:
      return undefined;
  }
}

function whyOpen({ open }: Work): string | undefined {
  return open.size === 0 ? undefined : `calls are open: ${[...open.keys()].join(', ')}`;
}

/**
 * Returns the calls of an answer by id. If the output limit cut the arguments of the last call, this call is marked as
 * cut.
 */
function openedBy({ parts, stop }: AnswerReceived): Work['open'] {
  const calls = parts.filter((part) => part.type === 'call');
  const last = calls.at(-1);
  const cut = stop === 'length' && last !== undefined && !isJson(last.arguments) ? last.call : undefined;
  return new Map(calls.map(({ call }) => [call, { cut: call === cut, began: 0 }]));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Notes the start of a call. Returns an error text if the call is not open, if its arguments were cut, or if it was
 * started before. Only a tool that changes nothing may start again, in a later process.
 */
function begin(work: Work, call: string, effect: EffectClass): string | undefined {
  const open = work.open.get(call);
  work.began.set(call, (work.began.get(call) ?? 0) + 1);
  if (open === undefined) return `${call} is not open`;
  open.began += 1;
  if (open.cut) return `${call} was cut`;
  return open.began > 1 && effect !== 'read' && effect !== 'none' ? `${call} begins again` : undefined;
}

function close(
  work: Work,
  record: RecordedOf<'tool.returned'> | RecordedOf<'tool.failed'> | RecordedOf<'tool.abandoned'>,
): string | undefined {
  const { call } = record.data;
  const open = work.open.get(call);
  work.open.delete(call);
  if (open === undefined) return `${call} is not open`;
  if (record.kind === 'tool.failed') return open.cut ? `${call} was cut` : undefined;
  if (record.kind === 'tool.returned') return open.began === 0 ? `${call} never began` : undefined;
  const { reason } = record.data;
  const ran = reason === 'interrupted' || reason === 'crashed';
  return ran === open.began > 0 ? undefined : `${call} began ${open.began} times, but is recorded as ${reason}`;
}
