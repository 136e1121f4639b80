// What must hold of the work of a session, by its log and by what really ran: each call is closed exactly once, nothing ran
// that had not begun there, what changes something ran once, every turn that began has ended (L8).

import type { AnswerReceived, EffectClass, Recorded, RecordedOf } from '@tidemark/log';
import { expect } from 'vitest';
import type { Ran } from './live-tools.ts';

/** What is known behind some record. */
interface Work {
  /** The calls of the answer at hand that wait for their closing: how often each began, and whether it was cut. */
  open: Map<string, Open>;
  /** How often each call id began in all. */
  readonly began: Map<string, number>;
  turn: 'none' | 'open' | 'ended';
  /** The last call failed for good: the turn asks no further. */
  failed: boolean;
  /** Where somebody said something last, and where the request stands that was answered last. */
  said: number;
  answered: number;
  readonly noted: Map<string, string>;
}

interface Open {
  readonly cut: boolean;
  began: number;
}

/** Checks the whole log of a session at rest. */
export function checkWork(records: readonly Recorded[], ran: readonly Ran[]): void {
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
  for (const [call, runs] of Map.groupBy(ran, (one) => one.call))
    if ((work.began.get(call) ?? 0) < runs.length) wrong.push(`${call} ran more often than it began`);
  if (work.open.size > 0) wrong.push('calls are open at the end');
  if (work.turn === 'open') wrong.push('a turn is open at the end');
  expect(wrong).toEqual([]);
}

/** What is wrong with a record where it stands. */
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
      // Whoever asks for a note is given it, changed or not.
      const same = work.noted.get(source) === revision && cause !== 'refreshed';
      work.noted.set(source, revision);
      return same ? 'it was noted already' : undefined;
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
      if (record.kind === 'turn.resumed') return was === 'none' ? 'there is no turn' : undefined;
      return was === 'open' ? 'the one before it is open' : whyOpen(work);
    }
    case 'turn.ended': {
      const was = work.turn;
      work.turn = 'ended';
      if (was !== 'open') return 'no turn is open';
      // Whatever was said into it was answered before it was complete.
      const unheard = record.data.outcome === 'completed' && work.answered < work.said;
      return unheard ? 'what was said last has no answer' : whyOpen(work);
    }
    default:
      return undefined;
  }
}

function whyOpen({ open }: Work): string | undefined {
  return open.size === 0 ? undefined : `calls are open: ${[...open.keys()].join(', ')}`;
}

/** The calls of an answer. Where it stopped at its output limit, the arguments of the last one may be cut. */
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

/** What only looks may begin again in a later process; what may change something never does. */
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
  return ran === open.began > 0 ? undefined : `${call} began ${open.began} times, and is said to be ${reason}`;
}
