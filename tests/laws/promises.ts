// Guarantees of an agent's session (L8): an accepted command is in the log once, a refused command is not in the log, a
// subscriber gets every record, and nothing runs after the close.

import type { FinishedTotals } from '@tidemark/agent';
import { AgentError } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { ProviderError } from '@tidemark/model';
import { expect } from 'vitest';
import type { Process, Promised, Stage } from './agent-session.ts';

/** Error codes with which each command may be refused. */
const REFUSALS: Readonly<Record<Promised['what'], readonly string[]>> = {
  // An interrupt before the hooks of a prompt have answered counts as a denial.
  prompt: ['agent/closed', 'agent/hook-denied'],
  resume: ['agent/closed'],
  steer: ['agent/not-running', 'agent/closed', 'agent/hook-denied'],
  side: ['agent/stopped', 'agent/closed', 'agent/limited'],
  mode: ['agent/closed'],
  notify: ['agent/closed'],
  refresh: ['agent/closed'],
  interrupt: [],
};

/** Checks the result of every command against the log. A command to a process that crashed needs no result. */
export function expectPromisesKept({ promised, crashed }: Stage, records: readonly Recorded[]): void {
  const ends = new Map(records.map((record) => [record.position, record]));
  for (const { what, words, process, result } of promised) {
    const times = records.filter((record) => contains(record, words)).length;
    expect({ words, times: times <= 1 }).toEqual({ words, times: true });
    if (crashed.has(process)) continue;
    if (result === undefined) throw new Error(`the promise of ${words} was not settled`);
    if ('error' in result) {
      expect({ words, error: nameOf(result.error, what) }).toEqual({ words, error: 'as it may be' });
      expect({ words, times }).toEqual({ words, times: 0 });
    } else if (what === 'prompt' || what === 'steer' || what === 'notify') {
      expect({ words, times }).toEqual({ words, times: 1 });
    }
    if ('value' in result && (what === 'prompt' || what === 'resume')) checkEnd(ends, result.value);
  }
}

function nameOf(error: unknown, what: Promised['what']): string {
  if (what === 'side' && error instanceof ProviderError) return 'as it may be';
  const known = error instanceof AgentError && REFUSALS[what].includes(error.code);
  return known ? 'as it may be' : String(error);
}

function contains(record: Recorded, words: string): boolean {
  const isPrompt = record.kind === 'prompt.given' || record.kind === 'notification.received';
  return isPrompt && JSON.stringify(record.data).includes(words);
}

/** Checks the end of a turn against its record. The caller's totals also split the input, which the record does not. */
function checkEnd(ends: ReadonlyMap<number, Recorded>, value: unknown): void {
  const end: { readonly position?: unknown; readonly outcome?: unknown; readonly totals?: unknown } = Object(value);
  const record = typeof end.position === 'number' ? ends.get(end.position) : undefined;
  expect(record).toMatchObject({ kind: 'turn.ended', data: { outcome: end.outcome } });
  expect({ totals: end.totals }).toMatchObject({ totals: record?.kind === 'turn.ended' ? record.data.totals : {} });
  const { inputBuckets, input }: Partial<FinishedTotals> = Object(end.totals);
  if (inputBuckets === undefined) return;
  expect(inputBuckets.fresh + inputBuckets.read + inputBuckets.written).toBe(input);
}

/**
 * Checks that a subscriber got every record of a process, in order. The subscriber listened from the start of the
 * process, and `until` is the length of the log.
 */
export function expectAllEvents({ events }: Process, until: number): void {
  const positions = events.flatMap((event) => (event.type === 'recorded' ? [Number(event.record.position)] : []));
  const first = positions[0] ?? until;
  expect(positions).toEqual(Array.from({ length: until - first }, (_, index) => first + index));
}

/** Checks that each tool and stream has ended or was aborted, and that no timer is waiting. */
export function expectNothingRuns({ runs, providers, clock }: Stage): void {
  expect(runs.filter(({ ended, signal }) => !ended && !signal.aborted).map(({ call }) => call)).toEqual([]);
  expect([...providers.streams].filter((signal) => !signal.aborted)).toEqual([]);
  expect(clock.waiting).toBe(0);
}
