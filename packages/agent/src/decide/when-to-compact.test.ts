// Tests in which situation each compaction policy compacts.

import { emptyState, evolve, gaugeOf } from '@tidemark/context';
import type { Gauge, State } from '@tidemark/context';
import type { Event, Recorded } from '@tidemark/log';
import { CHAIN_START, position, sessionId } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { failure } from '../../tests/small-live.ts';
import { prompt, row, second } from '../../tests/small-session.ts';
import { triggerAtTurn, triggerBefore, triggerBehind } from './when-to-compact.ts';

const EMPTY = gaugeOf(emptyState(), row('claude-sonnet-4-5'));
const critical: Gauge = { ...EMPTY, tier: 'critical', input: 190_000, hard: 160_000 };
const full: Gauge = { ...EMPTY, tier: 'warning', input: 170_000, hard: 160_000 };
const calm: Gauge = { ...EMPTY, tier: 'calm', input: 1_000, hard: 160_000 };
const unknown: Gauge = { ...EMPTY, tier: 'unknown' };
const session = {
  state: emptyState(),
  progress: { compactionRefusals: 0, recoveryCompactions: 0, idleCompactions: 0 },
};

/** Returns the state of a session with one turn for each answer. The last turn has no answer yet. */
function turns(answers: readonly string[]): State {
  const at = second(0);
  const events = answers.flatMap((text): readonly Event[] => {
    const parts = [{ type: 'text', text }] as const;
    const said = { step: 0, stream: 'main', provider: 'anthropic', model: 'm', parts, stop: 'end' } as const;
    const begun: readonly Event[] = [{ kind: 'turn.started', at, data: { trigger: 'user' } }, prompt('go on')];
    const answered: Event = { kind: 'answer.received', at, data: { ...said, truncated: 'no', usage: {} } };
    return text === '' ? begun : [...begun, answered];
  });
  const id = sessionId('s');
  const created: Event = { kind: 'session.created', at, data: { id, root: id, workspace: '/w' } };
  const recorded = [created, ...events].map((event, index): Recorded => ({
    ...event,
    v: 1,
    position: position(index),
    fence: 1,
    chain: CHAIN_START,
  }));
  return recorded.reduce(evolve, emptyState());
}

describe('before a step', () => {
  test.each([
    ['manual', [undefined, undefined, undefined, undefined]],
    ['preflight', ['critical_pressure_preflight', undefined, undefined, undefined]],
    ['auto', ['critical_pressure_preflight', 'auto', undefined, undefined]],
  ] as const)('policy %s compacts according to the current gauge', (policy, triggers) => {
    expect([critical, full, calm, unknown].map((gauge) => triggerBefore(policy, session, gauge))).toEqual(triggers);
  });

  test('no compaction is made while one is waiting for the next request', () => {
    const data = {
      range: { from: position(0), to: position(3) },
      strategy: 'deterministic',
      trigger: 'manual',
      checkpoint: 'So far.',
      limitations: [],
    } as const;
    const compacted = { position: position(4), session: sessionId('s'), data };
    const waiting = { ...session, state: { ...emptyState(), compacted } };
    for (const gauge of [critical, full]) expect(triggerBefore('auto', waiting, gauge)).toBeUndefined();
  });

  test('no compaction is made after two consecutive compactions that freed almost nothing', () => {
    const tried = (idleCompactions: number): typeof session => ({
      ...session,
      progress: { ...session.progress, idleCompactions },
    });
    const triggers = [1, 2].map((idle) => triggerBefore('auto', tried(idle), critical));
    expect(triggers).toEqual(['critical_pressure_preflight', undefined]);
  });

  test('no compaction is made after two consecutive refusals', () => {
    const refused = { ...session, progress: { compactionRefusals: 2, recoveryCompactions: 0, idleCompactions: 0 } };
    expect(triggerBefore('auto', refused, critical)).toBeUndefined();
  });
});

describe('before the first step of a turn', () => {
  /** Two turns of about 1,000 tokens, and one turn that has only begun. */
  const worked = { ...session, state: turns(['seen '.repeat(1_000), 'seen '.repeat(1_000), '']) };
  const at = (input: number): { readonly input: number; readonly limit: number } => ({ input, limit: 10_000 });

  test('the runtime compacts if a turn that grows like the turns before it would become critical', () => {
    expect(triggerAtTurn('preflight', worked, at(8_300))).toBe('turn_preflight');
    expect(triggerAtTurn('auto', worked, at(8_300))).toBe('turn_preflight');
    expect(triggerAtTurn('preflight', worked, at(7_000))).toBeUndefined();
    expect(triggerAtTurn('manual', worked, at(8_300))).toBeUndefined();
  });

  test('the runtime does not compact a window that is less than half full, even after long turns', () => {
    const limit = 1_800;
    expect(triggerAtTurn('preflight', worked, { input: 890, limit })).toBeUndefined();
    expect(triggerAtTurn('preflight', worked, { input: 900, limit })).toBe('turn_preflight');
  });

  test('the runtime does not compact again after idle or refused compactions', () => {
    for (const change of [{ idleCompactions: 2 }, { compactionRefusals: 2 }]) {
      const tried = { ...worked, progress: { ...session.progress, ...change } };
      expect(triggerAtTurn('preflight', tried, at(8_300))).toBeUndefined();
    }
  });

  test('the runtime does not compact if the growth of turns or the window is unknown', () => {
    expect(triggerAtTurn('preflight', session, at(8_900))).toBeUndefined();
    expect(triggerAtTurn('preflight', worked, { limit: 10_000 })).toBeUndefined();
    expect(triggerAtTurn('preflight', worked, { input: 8_300, limit: 0 })).toBeUndefined();
  });
});

describe('the trigger after a failed call', () => {
  const tooLong = failure({ class: 'compaction', code: 'provider/too-long' });
  const died = failure({ code: 'provider/connection' });
  const busy = failure({ code: 'provider/overloaded' });

  test.each([
    ['a request that is too long', tooLong, calm, false, 'overflow_recovery'],
    [
      'a WebSocket connection that breaks while the gauge is critical',
      died,
      critical,
      true,
      'websocket_critical_recovery',
    ],
    ['a WebSocket connection that breaks while the window has room', died, full, true, undefined],
    ['an HTTP connection that breaks', died, critical, false, undefined],
    ['an overloaded provider', busy, critical, true, undefined],
  ] as const)('matches the failure: %s', (_name, error, gauge, socket, trigger) => {
    expect(triggerBehind('preflight', session, error, { gauge, socket })).toBe(trigger);
    expect(triggerBehind('manual', session, error, { gauge, socket })).toBeUndefined();
  });

  test('is `undefined` after the last rung of the ladder', () => {
    const tried = { ...session, progress: { compactionRefusals: 0, recoveryCompactions: 5, idleCompactions: 0 } };
    expect(triggerBehind('preflight', tried, tooLong, { gauge: calm, socket: false })).toBeUndefined();
  });
});
