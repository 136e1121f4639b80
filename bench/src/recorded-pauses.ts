// Reads the pauses and sizes of recorded sessions from a fixture of this project. The margin of `chooseLifetime` was
// fitted on them. The fixture contains times and token counts but no text, so the fit needs nothing from outside the
// project.

import { readFileSync } from 'node:fs';

import { z } from 'zod';

import type { Step } from './pause-sequences.ts';

/** One session used for the fit. */
export interface PausedSession {
  readonly name: string;
  /** Model whose prices are used to compute the cost of the session. */
  readonly model: string;
  /**
   * Amount that the recorded session paid, in units of the base input price. Undefined if its provider offers no choice
   * of TTLs.
   */
  readonly billed?: number;
  readonly steps: readonly Step[];
}

const FIXTURE = new URL('../fixtures/recorded-pauses.json', import.meta.url);

const calls = z.array(z.tuple([z.number().nonnegative(), z.int().positive(), z.int().nonnegative()]));
const file = z.object({
  sessions: z.array(z.object({ session: z.string(), model: z.string(), billed: z.number().nullable(), calls })),
});

/**
 * Returns the ten recorded sessions.
 * @throws ZodError if the fixture is damaged.
 */
export function recordedPauses(): readonly PausedSession[] {
  const { sessions } = file.parse(JSON.parse(readFileSync(FIXTURE, 'utf8')));
  return sessions.map(({ session, model, billed, calls: rows }) => ({
    name: session,
    model,
    ...(billed === null ? {} : { billed }),
    steps: rows.map(([gap, tokens, kept]) => ({ gap, tokens, kept })),
  }));
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Tokens that the reported session had in the cache at its pause. */
const AT_STAKE = 63_568;

/**
 * Returns a session rebuilt from a report that had only three numbers. One long early pause began with 63,568 tokens in
 * the cache. The cost was 1.145 times the ideal if the one-hour TTL was chosen after the first pause, and 1.107 times
 * with the fixed TTL of one hour. The rebuilt session grows up to the pause and after it, and has one compaction. Its
 * calls and the length of its pause are not those of the recording.
 */
export function reportedSession(): PausedSession {
  const steps: Step[] = [{ gap: 0, tokens: 26_000, kept: 0 }];
  grow(steps, AT_STAKE, 20, 20 * SECOND);
  grow(steps, 130_000, 86, 40 * MINUTE);
  steps.push({ gap: 20 * SECOND, tokens: 36_000, kept: 21_000 });
  grow(steps, 60_000, 10, 20 * SECOND);
  return { name: 'reported (rebuilt)', model: 'claude-opus-4-6', steps };
}

/**
 * Appends `count` calls that grow evenly up to `tokens`. The first call comes after `pause`, and the others are 20 s
 * apart.
 */
function grow(steps: Step[], tokens: number, count: number, pause: number): void {
  const from = steps.at(-1)?.tokens ?? 0;
  for (let index = 1; index <= count; index += 1) {
    const kept = steps.at(-1)?.tokens ?? 0;
    const grown = Math.round(from + ((tokens - from) * index) / count);
    steps.push({ gap: index === 1 ? pause : 20 * SECOND, tokens: grown, kept });
  }
}
