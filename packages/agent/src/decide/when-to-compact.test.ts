// The policies, as tables: who may compact when.

import { emptyState, gaugeOf } from '@tidemark/context';
import type { Gauge } from '@tidemark/context';
import { position, sessionId } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { failure } from '../../tests/small-live.ts';
import { row } from '../../tests/small-session.ts';
import { triggerBefore, triggerBehind } from './when-to-compact.ts';

const EMPTY = gaugeOf(emptyState(), row('claude-sonnet-4-5'));
const critical: Gauge = { ...EMPTY, tier: 'critical', input: 190_000, hard: 160_000 };
const full: Gauge = { ...EMPTY, tier: 'warning', input: 170_000, hard: 160_000 };
const calm: Gauge = { ...EMPTY, tier: 'calm', input: 1_000, hard: 160_000 };
const unknown: Gauge = { ...EMPTY, tier: 'unknown' };
const session = { state: emptyState(), progress: { refusals: 0, recoveries: 0, idle: 0 } };

describe('before a step', () => {
  test.each([
    ['manual', [undefined, undefined, undefined, undefined]],
    ['preflight', ['critical_pressure_preflight', undefined, undefined, undefined]],
    ['auto', ['critical_pressure_preflight', 'auto', undefined, undefined]],
  ] as const)('%s compacts by the gauge of now', (policy, triggers) => {
    expect([critical, full, calm, unknown].map((gauge) => triggerBefore(policy, session, gauge))).toEqual(triggers);
  });

  test('a compaction that waits for the next request is not made once more', () => {
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

  test('two compactions in a row that freed next to nothing stop it', () => {
    const tried = (idle: number): typeof session => ({ ...session, progress: { ...session.progress, idle } });
    const triggers = [1, 2].map((idle) => triggerBefore('auto', tried(idle), critical));
    expect(triggers).toEqual(['critical_pressure_preflight', undefined]);
  });

  test('two refusals in a row stop it', () => {
    const refused = { ...session, progress: { refusals: 2, recoveries: 0, idle: 0 } };
    expect(triggerBefore('auto', refused, critical)).toBeUndefined();
  });
});

describe('behind a failed call', () => {
  const tooLong = failure({ class: 'compaction', code: 'provider/too-long' });
  const died = failure({ code: 'provider/connection' });
  const busy = failure({ code: 'provider/overloaded' });

  test.each([
    ['a request that is too long', tooLong, calm, false, 'overflow_recovery'],
    ['a socket that dies at critical', died, critical, true, 'websocket_critical_recovery'],
    ['a socket that dies while there is room', died, full, true, undefined],
    ['a connection that dies without a socket', died, critical, false, undefined],
    ['an overload', busy, critical, true, undefined],
  ] as const)('%s', (_name, error, gauge, socket, trigger) => {
    expect(triggerBehind('preflight', session, error, { gauge, socket })).toBe(trigger);
    expect(triggerBehind('manual', session, error, { gauge, socket })).toBeUndefined();
  });

  test('the ladder has an end', () => {
    const tried = { ...session, progress: { refusals: 0, recoveries: 5, idle: 0 } };
    expect(triggerBehind('preflight', tried, tooLong, { gauge: calm, socket: false })).toBeUndefined();
  });
});
