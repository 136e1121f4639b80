// What was promised to those who command a session: what they said is in the log once, or they were refused and it is not;
// who listened was told every record; and when all is over, nothing runs any more.

import { AgentError } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { ProviderError } from '@tidemark/model';
import { expect } from 'vitest';
import type { Life, Promised, Stage } from './live-stage.ts';

/** How a command may be refused. */
const REFUSALS: Readonly<Record<Promised['what'], readonly string[]>> = {
  prompt: ['agent/closed'],
  resume: ['agent/closed'],
  steer: ['agent/not-running', 'agent/closed'],
  side: ['agent/stopped', 'agent/closed', 'agent/limited'],
  mode: ['agent/closed'],
  notify: ['agent/closed'],
  refresh: ['agent/closed'],
  interrupt: [],
};

/** Checks what came of every command. `crashed`: the lives that ended without a close, whose promises nobody waits for. */
export function checkPromises(
  promised: readonly Promised[],
  records: readonly Recorded[],
  crashed: ReadonlySet<number>,
): void {
  const ends = new Map(records.map((record) => [record.position, record]));
  for (const { what, words, life, came } of promised) {
    const times = records.filter((record) => isSaid(record, words)).length;
    expect({ words, times: times <= 1 }).toEqual({ words, times: true });
    if (crashed.has(life)) continue;
    if (came === undefined) throw new Error(`${words} was never told what came of it`);
    if ('error' in came) {
      expect({ words, error: nameOf(came.error, what) }).toEqual({ words, error: 'as it may be' });
      expect({ words, times }).toEqual({ words, times: 0 });
    } else if (what === 'prompt' || what === 'steer' || what === 'notify') {
      expect({ words, times }).toEqual({ words, times: 1 });
    }
    if ('value' in came && (what === 'prompt' || what === 'resume')) checkEnd(ends, came.value);
  }
}

function nameOf(error: unknown, what: Promised['what']): string {
  if (what === 'side' && error instanceof ProviderError) return 'as it may be';
  const known = error instanceof AgentError && REFUSALS[what].includes(error.code);
  return known ? 'as it may be' : String(error);
}

function isSaid(record: Recorded, words: string): boolean {
  const said = record.kind === 'prompt.given' || record.kind === 'notification.received';
  return said && JSON.stringify(record.data).includes(words);
}

function checkEnd(ends: ReadonlyMap<number, Recorded>, value: unknown): void {
  const end: { readonly position?: unknown; readonly outcome?: unknown; readonly totals?: unknown } = Object(value);
  const record = typeof end.position === 'number' ? ends.get(end.position) : undefined;
  expect(record).toMatchObject({ kind: 'turn.ended', data: { outcome: end.outcome, totals: end.totals } });
}

/** Whoever listened from the beginning of a life was told every record of it. */
export function checkTold({ told }: Life, until: number): void {
  const positions = told.flatMap((event) => (event.type === 'recorded' ? [Number(event.record.position)] : []));
  const first = positions[0] ?? until;
  expect(positions).toEqual(Array.from({ length: until - first }, (_, index) => first + index));
}

/** Nothing is left running: each tool ended or was told to stop, each stream too, and no pause is under way. */
export function checkQuiet({ ran, server, clock }: Stage): void {
  expect(ran.filter(({ ended, signal }) => !ended && !signal.aborted).map(({ call }) => call)).toEqual([]);
  expect([...server.open].filter((signal) => !signal.aborted)).toEqual([]);
  expect(clock.waiting).toBe(0);
}
