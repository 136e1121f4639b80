// Tests the fit of the chosen TTLs: on each recorded session except one, they cost at most 1.02 times the better fixed
// TTL.

import { describe, expect, it } from 'vitest';

import { chargedBy } from './charged-by.ts';
import { fitLifetimes, LIMIT, overFixed } from './fit-lifetimes.ts';
import { oracle, play, playChosen } from './lives-played.ts';
import type { PausedSession } from './recorded-pauses.ts';
import { recordedPauses, reportedSession } from './recorded-pauses.ts';

const recorded = recordedPauses();
const sessions: readonly PausedSession[] = [...recorded, reportedSession()];
const table = fitLifetimes(sessions, chargedBy);

/** The only session above the limit. Its own tests below show the reason and the excess. */
const UNREACHED = 'codex-83';
const reached = table.filter(({ name }) => name !== UNREACHED);

function sessionOf(name: string): PausedSession {
  return sessions.find((session) => session.name === name) ?? expect.unreachable(`no session ${name}`);
}

describe('chosen TTLs cost at most 1.02 times the better fixed TTL', () => {
  it.each(reached.map(({ name, ...row }) => [name, row] as const))('with the shipped margin: %s', (_, { played }) => {
    expect(overFixed(played, played.chosen)).toBeLessThanOrEqual(LIMIT);
  });

  it.each(reached.map(({ name, ...row }) => [name, row] as const))(
    'with the margin fitted on the other sessions: %s',
    (_, { played, leftOut }) => {
      expect(overFixed(played, leftOut.cost)).toBeLessThanOrEqual(LIMIT);
    },
  );

  it.each(recorded.map((session) => [session.name, session] as const).filter(([name]) => name !== UNREACHED))(
    'at the prices of Opus 5.5, which were not used to fit the margin: %s',
    (_, { steps }) => {
      const played = play(steps, chargedBy('claude-opus-5-5'));
      expect(overFixed(played, played.chosen)).toBeLessThanOrEqual(LIMIT);
    },
  );
});

describe('codex-83, with three pauses below an hour after a first hour that is like that of codex-28', () => {
  const charged = chargedBy(sessionOf(UNREACHED).model);
  const { steps } = sessionOf(UNREACHED);
  const better = Math.min(play(steps, charged)['5m'], play(steps, charged)['1h']);
  const firstPause = steps.findIndex(({ gap }) => gap >= 300_000);

  it('costs 1.250 times as much with the shipped margin as with the fixed TTL of one hour', () => {
    expect(playChosen(steps, charged) / better).toBeCloseTo(1.25, 3);
  });

  it('costs at least 1.09 times the better fixed TTL with any rule that keeps codex-28 within 1.02', () => {
    // For codex-28 to stay within 1.02, at most 8,008 of its tokens can be written with the long TTL. codex-83 begins
    // in the same way, so the same maximum applies to codex-83. An entry written after a short-lived entry is also
    // short-lived.
    const short = play(sessionOf('codex-28').steps, charged)['5m'];
    const long = ((LIMIT - 1) * short) / (2 - 1.25);
    expect(long).toBeCloseTo(8_009, -1);
    // Lower bound of the cost: every later pause is known, and the maximum saving of these tokens is subtracted. Each
    // token saves at most a rewrite at 2 minus a read at 0.1.
    const least = oracle(steps, charged, firstPause) - long * (2 - 0.1);
    expect(least / better).toBeGreaterThan(1.09);
  });
});

describe('the reported session', () => {
  const session = reportedSession();
  const row = table.at(-1) ?? expect.unreachable('no row');

  it('costs what was reported: 1.145 times the ideal if the one-hour TTL is chosen after one pause, and 1.107 with the fixed TTL of one hour', () => {
    const one = playChosen(session.steps, chargedBy(session.model), { margin: 0.5 });
    expect(one / row.ideal).toBeCloseTo(1.145, 2);
    expect(row.played['1h'] / row.ideal).toBeCloseTo(1.107, 2);
  });

  it('keeps the five-minute TTL after its one pause, which is the cheaper TTL', () => {
    expect(row.played.chosen).toBe(row.played['5m']);
    expect(row.played['5m']).toBeLessThan(row.played['1h']);
  });
});

describe('the fit of the margin', () => {
  it('chooses a margin of 1.2 rewrites if any one session is left out, except that it chooses 1 without pi-coding-session-sonnet', () => {
    const margins = Object.fromEntries(table.map(({ name, leftOut }) => [name, leftOut.margin]));
    expect(margins).toEqual({
      ...Object.fromEntries(sessions.map(({ name }) => [name, 1.2])),
      'pi-coding-session-sonnet': 1,
    });
  });

  it.each(['1.1', '1.3'])(
    'gives every session the same cost, within 0.2%%, for a margin of %s instead of 1.2',
    (margin) => {
      for (const { steps, model } of sessions) {
        const other = playChosen(steps, chargedBy(model), { margin: Number(margin) });
        expect(Math.abs(other / playChosen(steps, chargedBy(model)) - 1)).toBeLessThan(0.002);
      }
    },
  );

  it('needs codex-286 to set how long evidence counts: with the earlier fade of 0.8 this session costs 1.119 times the better fixed TTL', () => {
    const { steps, model } = sessionOf('codex-286');
    const played = play(steps, chargedBy(model));
    expect(overFixed(played, playChosen(steps, chargedBy(model), { fade: 0.8 }))).toBeCloseTo(1.119, 3);
  });

  it('needs two sessions to wait for a second pause: without codex-81 and the reported session, the margin is below 1', () => {
    const without = fitLifetimes(recorded, chargedBy).find(({ name }) => name === 'codex-81');
    expect(without?.leftOut.margin).toBeLessThan(1);
  });
});
