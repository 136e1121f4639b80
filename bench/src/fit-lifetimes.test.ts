// The check of the issue: on each recorded session the chosen lives cost at most 1.02 times the better fixed life.

import { describe, expect, it } from 'vitest';

import { chargedBy } from './charged-by.ts';
import { fitLifetimes, LIMIT, overFixed } from './fit-lifetimes.ts';
import { oracle, play, playChosen } from './lives-played.ts';
import type { PausedSession } from './recorded-pauses.ts';
import { recordedPauses, reportedSession } from './recorded-pauses.ts';

const recorded = recordedPauses();
const sessions: readonly PausedSession[] = [...recorded, reportedSession()];
const table = fitLifetimes(sessions, chargedBy);

/** The only session above the limit; its own tests below say why, and how far. */
const UNREACHED = 'codex-83';
const reached = table.filter(({ name }) => name !== UNREACHED);

function sessionOf(name: string): PausedSession {
  return sessions.find((session) => session.name === name) ?? expect.unreachable(`no session ${name}`);
}

describe('chosen lives cost at most 1.02 times the better fixed life', () => {
  it.each(reached.map(({ name, ...row }) => [name, row] as const))('with the shipped margin: %s', (_, { played }) => {
    expect(overFixed(played, played.chosen)).toBeLessThanOrEqual(LIMIT);
  });

  it.each(reached.map(({ name, ...row }) => [name, row] as const))(
    'with the margin that the other sessions choose: %s',
    (_, { played, leftOut }) => {
      expect(overFixed(played, leftOut.cost)).toBeLessThanOrEqual(LIMIT);
    },
  );

  it.each(recorded.map((session) => [session.name, session] as const).filter(([name]) => name !== UNREACHED))(
    'at the prices of Opus 5.5, which no choice of the margin has seen: %s',
    (_, { steps }) => {
      const played = play(steps, chargedBy('claude-opus-5-5'));
      expect(overFixed(played, played.chosen)).toBeLessThanOrEqual(LIMIT);
    },
  );
});

describe('codex-83, three pauses within the hour after an hour that is like that of codex-28', () => {
  const charged = chargedBy(sessionOf(UNREACHED).model);
  const { steps } = sessionOf(UNREACHED);
  const better = Math.min(play(steps, charged)['5m'], play(steps, charged)['1h']);
  const firstPause = steps.findIndex(({ gap }) => gap >= 300_000);

  it('costs 1.250 times always an hour with the shipped margin', () => {
    expect(playChosen(steps, charged) / better).toBeCloseTo(1.25, 3);
  });

  it('costs at least 1.09 times with any rule that keeps codex-28 within 1.02', () => {
    // Within 1.02 at most 8,008 tokens of codex-28 are written long; whatever is written after a short entry is short.
    const short = play(sessionOf('codex-28').steps, charged)['5m'];
    const long = ((LIMIT - 1) * short) / (2 - 1.25);
    expect(long).toBeCloseTo(8_009, -1);
    // Even with every later pause known, and with all that these tokens can save taken off: a rewrite at 2 less a read each.
    const least = oracle(steps, charged, firstPause) - long * (2 - 0.1);
    expect(least / better).toBeGreaterThan(1.09);
  });
});

describe('the session that was reported', () => {
  const session = reportedSession();
  const row = table.at(-1) ?? expect.unreachable('no row');

  it('costs what was reported: 1.145 of the ideal where one pause buys an hour, 1.107 with always an hour', () => {
    const one = playChosen(session.steps, chargedBy(session.model), { margin: 0.5 });
    expect(one / row.ideal).toBeCloseTo(1.145, 2);
    expect(row.played['1h'] / row.ideal).toBeCloseTo(1.107, 2);
  });

  it('keeps five minutes after its one pause, which is the cheaper life', () => {
    expect(row.played.chosen).toBe(row.played['5m']);
    expect(row.played['5m']).toBeLessThan(row.played['1h']);
  });
});

describe('the fit', () => {
  it('chooses 1.2 rewrites without any one session, and 1 without pi', () => {
    const margins = Object.fromEntries(table.map(({ name, leftOut }) => [name, leftOut.margin]));
    expect(margins).toEqual({
      ...Object.fromEntries(sessions.map(({ name }) => [name, 1.2])),
      'pi-coding-session-sonnet': 1,
    });
  });

  it.each(['1.1', '1.3'])(
    'costs the same on every session, within 0.2%%, with a margin of %s instead of 1.2',
    (margin) => {
      for (const { steps, model } of sessions) {
        const other = playChosen(steps, chargedBy(model), { margin: Number(margin) });
        expect(Math.abs(other / playChosen(steps, chargedBy(model)) - 1)).toBeLessThan(0.002);
      }
    },
  );

  it('rests on codex-286 for how long evidence lasts: with the fade of 0.8 of before it costs 1.119', () => {
    const { steps, model } = sessionOf('codex-286');
    const played = play(steps, chargedBy(model));
    expect(overFixed(played, playChosen(steps, chargedBy(model), { fade: 0.8 }))).toBeCloseTo(1.119, 3);
  });

  it('rests on two sessions for waiting for a second pause: without codex-81 and the reported one it would not wait', () => {
    const without = fitLifetimes(recorded, chargedBy).find(({ name }) => name === 'codex-81');
    expect(without?.leftOut.margin).toBeLessThan(1);
  });
});
