// Tests the fixture `recorded-pauses.json` against its sources, `../shared/facts` and `../shared/transcripts`. These
// folders are next to the repository only on some machines. Without them the tests are skipped and print the reason.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';

import type { Step } from './pause-sequences.ts';
import { recordedPauses } from './recorded-pauses.ts';
import { recordedSessions } from './recorded-sessions.ts';

const FACTS = fileURLToPath(new URL('../../../shared/facts/recorded-sessions.json', import.meta.url));
const TRANSCRIPTS = fileURLToPath(new URL('../../../shared/transcripts', import.meta.url));
const [hasFacts, hasTranscripts] = [existsSync(FACTS), existsSync(TRANSCRIPTS)];
if (!hasFacts) console.warn('skipped: no ../shared/facts next to the repository');
if (!hasTranscripts) console.warn('skipped: no ../shared/transcripts next to the repository');

const fixture = recordedPauses();

const count = z.number().default(0);
const call = z.object({
  at: z.number(),
  read: count,
  fresh: count,
  write5m: count,
  write1h: count,
  model: z.string().optional(),
});
const facts = z.object({ sessions: z.array(z.object({ session: z.string(), calls: z.array(call) })) });

type Call = z.infer<typeof call>;

const total = ({ read, fresh, write5m, write1h }: Call): number => read + fresh + write5m + write1h;

/**
 * Returns the tokens that an append-only engine could read again if no entry expired. This is the whole previous input.
 * If the model changed, or if the input shrank by a quarter or more because it was packed again, returns the tokens
 * that were really read.
 */
function keptOf(now: Call, before: Call): number {
  const again = now.model !== before.model || total(now) < 0.75 * total(before);
  return Math.min(total(now), again ? now.read : total(before));
}

function stepsOf(calls: readonly Call[]): readonly Step[] {
  return calls.map((now, index): Step => {
    const before = calls[index - 1];
    const tokens = total(now);
    return before === undefined
      ? { gap: 0, tokens, kept: 0 }
      : { gap: now.at - before.at, tokens, kept: keptOf(now, before) };
  });
}

test('the fixture contains ten sessions, with only times and token counts', () => {
  expect(fixture.map(({ name, steps }) => [name, steps.length])).toEqual([
    ['claude-code-4d56', 139],
    ['claude-code-fa81', 157],
    ['claude-code-ae4a', 217],
    ['codex-286', 286],
    ['codex-83', 83],
    ['codex-81', 81],
    ['codex-28', 28],
    ['claude-code-session-opus', 152],
    ['claude-code-subagent-sonnet', 3],
    ['pi-coding-session-sonnet', 439],
  ]);
  for (const { kept, tokens } of fixture.flatMap(({ steps }) => steps)) expect(kept).toBeLessThanOrEqual(tokens);
});

describe.skipIf(!hasFacts)('the seven sessions of ../shared/facts', () => {
  const { sessions } = hasFacts ? facts.parse(JSON.parse(readFileSync(FACTS, 'utf8'))) : { sessions: [] };

  it.each(sessions.map(({ session, calls }) => [session, calls] as const))(
    'are unchanged in the fixture: %s',
    (name, calls) => {
      expect(fixture.find((one) => one.name === name)?.steps).toEqual(stepsOf(calls));
    },
  );
});

describe.skipIf(!hasTranscripts)('the three transcripts of ../shared', () => {
  test('are in the fixture as their replays with the one-hour TTL record them', async () => {
    const replays = (await recordedSessions('1h')).filter(({ real }) => real);
    expect(replays.map(({ name }) => name)).toEqual(fixture.slice(7).map(({ name }) => name));
    for (const { name, steps } of replays) expect(fixture.find((one) => one.name === name)?.steps).toEqual(steps);
  });
});
