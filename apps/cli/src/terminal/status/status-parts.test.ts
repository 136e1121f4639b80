import type { NextCall } from '@tidemark/kit';
import type { Gauge } from '@tidemark/context';
import { money, timestamp } from '@tidemark/log';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';

import { render } from '../../frame/shown.ts';
import { NO_FACTS } from '../state/status-facts.ts';
import type { StatusView } from './status-parts.ts';
import { countdown, nextChange, statusParts } from './status-parts.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const gauge: Gauge = {
  input: 62_000,
  limit: 200_000,
  ratio: 0.31,
  tier: 'calm',
  by: 'tokens',
  bytes: 248_000,
  soft: 140_000,
  hard: 180_000,
  tail: 40_000,
  reserve: 16_000,
};
const next: NextCall = {
  provider: 'anthropic',
  model: 'claude-opus-5-5',
  parameters: {},
  gauge,
  tokens: { fresh: 0, read: 62_000, written: 300 },
  cost: money('0.0123'),
  reported: false,
  expires: timestamp('2026-11-20T12:04:12.000Z'),
  expired: {
    tokens: { fresh: 0, read: 0, written: 62_300 },
    cost: money('0.41'),
    reported: true,
    rewrite: { cause: 'expired', tokens: 62_000, cost: money('0.39') },
  },
};
const view: StatusView = {
  status: {
    model: 'claude-opus-5-5',
    effort: 'high',
    branch: 'main',
    gauge,
    hitRate: 0.978,
    cost: money('1.42'),
    next,
    subagents: 0,
    processes: 0,
    changes: 0,
  },
  mode: 'ask',
  running: false,
  stopping: false,
  readOnly: false,
  queued: 0,
};

const shown = (changed: Partial<StatusView> = {}, columns = 200, now = NOW): string =>
  render(statusParts({ ...view, ...changed }, columns, now), false);

describe('statusParts', () => {
  test('shows all facts in a wide row', () => {
    expect(shown()).toBe('ask · claude-opus-5-5 high · ██░░░ 31% · hit 97% · $1.42 · next $0.0123 · cache 4:10 · main');
  });

  test('shows the price after the expiry of the cache entry, with the reason, from that moment on', () => {
    const expires = Date.parse('2026-11-20T12:04:12.000Z');
    expect(shown({}, 200, expires - 1)).toContain('next $0.0123 · cache 0:00');
    expect(shown({}, 200, expires)).toContain('next $0.410 (cache expired) · main');
    expect(render(statusParts(view, 200, expires), true)).toContain('\u001b[33mnext $0.410 (cache expired)');
  });

  test('names the tokens that are paid again for another reason', () => {
    const changed: NextCall = { ...next, rewrite: { cause: 'model', tokens: 61_700 } };
    expect(shown({ status: { ...view.status, next: changed } })).toContain('next $0.0123 (62k again)');
    const small: NextCall = { ...next, rewrite: { cause: 'model', tokens: 600 } };
    expect(shown({ status: { ...view.status, next: small } })).toContain('next $0.0123 ·');
  });

  test('shows the price after the compaction if the runtime compacts before the call', () => {
    const compacted = { tokens: { fresh: 0, read: 3_000, written: 9_000 }, cost: money('0.0234') };
    const changed: NextCall = { ...next, compacts: 'turn_preflight', compacted };
    expect(shown({ status: { ...view.status, next: changed } })).toContain(' · next $0.0234 (compacts first) · ');
    expect(shown({ status: { ...view.status, next: changed } }, 40)).toContain('next $0.0234!');
  });

  test.each([200, 100, 80, 60, 40, 20, 8, 3])('is one row of at most %i columns', (columns) => {
    const full = { subagents: 2, warmUntil: NOW + 600_000 };
    const status = { ...view.status, ...full, branch: '分岐/とても長い名前のブランチはここで切られます' };
    expect(stringWidth(shown({ status, queued: 3 }, columns))).toBeLessThanOrEqual(columns);
  });

  test('drops the least important facts first', () => {
    expect(shown({}, 80)).toBe('ask · opus-5-5 high · ██░░░ 31% · hit 97% · $1.42 · next $0.0123 · cache 4:10');
    expect(shown({}, 40)).toBe('ask · 31% · next $0.0123 · cache 4:10');
    expect(shown({}, 12)).toBe('ask');
  });

  test('shows no forecast and no countdown while a turn runs', () => {
    expect(shown({ running: true, queued: 2 })).toBe(
      'ask · claude-opus-5-5 high · ██░░░ 31% · hit 97% · $1.42 · working, esc interrupt · 2 queued · main',
    );
  });

  test('marks a cost that is a lower bound', () => {
    expect(shown({ status: { ...view.status, costsMore: true } })).toContain(' · ≥ $1.42 · ');
  });

  test('shows a lower bound before any cost is known, as after an interrupt of the first answer', () => {
    const { cost: _cost, ...status } = view.status;
    expect(shown({ status: { ...status, costsMore: true } })).toContain(' · ≥ $0 · ');
    expect(shown({ status })).not.toContain('$0 ');
  });

  test('shows that an interrupted turn is stopping', () => {
    expect(shown({ running: true, stopping: true })).toContain(' · stopping · ');
  });

  test('marks the plan mode, a session of another process, and a full window', () => {
    expect(shown({ mode: 'plan' })).toMatch(/^◇ plan · /);
    expect(shown({ readOnly: true })).toMatch(/^open elsewhere · /);
    const full = { ...gauge, ratio: 0.93, tier: 'critical' } as const;
    expect(shown({ status: { ...view.status, gauge: full } })).toContain('█████ 93% critical');
  });

  test('removes escape sequences from a branch name', () => {
    expect(shown({ status: { ...NO_FACTS, branch: '\u001b[2Jmain' } })).not.toContain('\u001b');
  });

  test('shows nothing for unknown facts', () => {
    expect(shown({ status: NO_FACTS })).toBe('ask');
  });
});

test.each([
  [252_000, '4:10'],
  [60_001, '1:00'],
  [60_000, '1:00'],
  [59_999, '0:59'],
  [999, '0:00'],
  [3_599_000, '59:50'],
  [3_905_000, '1 h 5 min'],
])('countdown formats %i ms as %s', (left, text) => {
  expect(countdown(left)).toBe(text);
});

test.each([252_000, 60_000, 61_234, 999, 4_000_000])(
  'nextChange returns the pause after which the countdown from %i ms changes',
  (left) => {
    const now = Date.parse(next.expires ?? '') - left;
    const pause = nextChange(view.status, now) ?? Number.NaN;
    expect(shown({}, 200, now + pause - 1)).toBe(shown({}, 200, now));
    expect(shown({}, 200, now + pause)).not.toBe(shown({}, 200, now));
  },
);

test('nextChange returns undefined after the expiry', () => {
  expect(nextChange(view.status, Date.parse(next.expires ?? ''))).toBeUndefined();
  expect(nextChange(NO_FACTS, NOW)).toBeUndefined();
});

test('a running turn shows its seconds, the key that interrupts it, and the tokens that arrived', () => {
  const at = (work: StatusView['work'], columns: number): string =>
    render(statusParts({ ...view, running: true, work }, columns, NOW), false);
  expect(at({ ms: 12_900, characters: 0 }, 120)).toContain(' · working 12 s, esc interrupt · ');
  expect(at({ ms: 61_000, characters: 1_240 }, 120)).toContain(' · working 1 min 1 s, about 310 tokens, esc interrupt');
  expect(at({ ms: 12_900, characters: 1_240 }, 45)).toContain('working 12 s, esc interrupt');
  expect(at({ ms: 12_900, characters: 1_240 }, 20)).toContain('working');
});

test('running background processes are counted', () => {
  const counted = (processes: number): string => shown({ status: { ...view.status, processes } });
  expect(counted(0)).not.toContain('process');
  expect(counted(1)).toContain(' · 1 process');
  expect(counted(3)).toContain(' · 3 processes');
});

test('a turn that waits for an answer says so instead of `working`', () => {
  const at = (change: Partial<StatusView>, columns: number): string =>
    render(statusParts({ ...view, running: true, asks: true, ...change }, columns, NOW), false);
  expect(at({ work: { ms: 12_900, characters: 1_240 } }, 120)).toContain(' · waits for your answer · ');
  expect(at({}, 120)).not.toContain('working');
  expect(at({}, 20)).toContain('waits');
  expect(at({ stopping: true }, 120)).toContain('stopping');
  expect(at({ running: false }, 120)).not.toContain('waits');
});
