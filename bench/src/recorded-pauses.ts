// Pauses and sizes of recorded sessions, as a fixture of this project: what the margin of `chooseLifetime` was fitted on. The
// fixture holds times and token counts, no text, so the fit needs nothing from outside of the project.

import { readFileSync } from 'node:fs';

import { z } from 'zod';

import type { Step } from './pause-sequences.ts';

/** One session of the fit. */
export interface PausedSession {
  readonly name: string;
  /** The model at whose prices it is played. */
  readonly model: string;
  /** Units of the base input price that the recording paid; absent where its provider sells no choice of lives. */
  readonly billed?: number;
  readonly steps: readonly Step[];
}

const FIXTURE = new URL('../fixtures/recorded-pauses.json', import.meta.url);

const calls = z.array(z.tuple([z.number().nonnegative(), z.int().positive(), z.int().nonnegative()]));
const file = z.object({
  sessions: z.array(z.object({ session: z.string(), model: z.string(), billed: z.number().nullable(), calls })),
});

/** Returns the ten recorded sessions. @throws ZodError where the fixture is damaged. */
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

/** Tokens that the reported session held at its pause. */
const AT_STAKE = 63_568;

/**
 * Returns the session that was reported with three numbers only: 63,568 tokens at stake in one long early pause, 1.145 of the
 * ideal where the first pause buys an hour, 1.107 with always an hour. It is rebuilt from these: growth up to the pause,
 * growth behind it, one compaction. Its calls and the length of its pause are not those of the recording.
 */
export function reportedSession(): PausedSession {
  const steps: Step[] = [{ gap: 0, tokens: 26_000, kept: 0 }];
  grow(steps, AT_STAKE, 20, 20 * SECOND);
  grow(steps, 130_000, 86, 40 * MINUTE);
  steps.push({ gap: 20 * SECOND, tokens: 36_000, kept: 21_000 });
  grow(steps, 60_000, 10, 20 * SECOND);
  return { name: 'reported (rebuilt)', model: 'claude-opus-4-6', steps };
}

/** Appends `count` calls of equal growth up to `tokens`, the first after `pause`, the others 20 s apart. */
function grow(steps: Step[], tokens: number, count: number, pause: number): void {
  const from = steps.at(-1)?.tokens ?? 0;
  for (let index = 1; index <= count; index += 1) {
    const kept = steps.at(-1)?.tokens ?? 0;
    const grown = Math.round(from + ((tokens - from) * index) / count);
    steps.push({ gap: index === 1 ? pause : 20 * SECOND, tokens: grown, kept });
  }
}
