// Role changes: reopens a session with another role. If the model accepts a system message inside the history, the role
// is appended and nothing is written again. Otherwise an epoch opens, with its price.

import { describe, expect, test } from 'vitest';
import type { AnswerPlan } from '@tidemark/simulator';
import { defineTool } from '@tidemark/kit';
import { z } from 'zod';
import type { Billed, Stage } from './billed-stage.ts';
import { epochsOf, expectSound, missesOf, openStage, recordsOf, ROLE } from './billed-stage.ts';

const OTHER = `${ROLE}\nAnswer in verse.`;
const done: AnswerPlan = { answer: { text: 'Done.' } };
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ bytes: z.number() }),
  effect: 'read',
  run: ({ bytes }) => 'seen '.repeat(bytes / 5),
});
const looks: AnswerPlan = { answer: { text: 'I look.', calls: [{ name: 'look', arguments: { bytes: 9_000 } }] } };

interface Reopened {
  readonly stage: Stage;
  readonly id: string;
  readonly before: Billed;
  readonly after: Billed;
}

async function reopened(model: string, role: string): Promise<Reopened> {
  const stage = await openStage({ model, tools: [look] });
  const first = await stage.open();
  await stage.turn(first, 'Look.', looks, done);
  await first.close();
  const again = await stage.open({ id: first.id, instructions: role });
  await stage.turn(again, 'And now?', done);
  await again.close();
  const [before = expect.unreachable(), after = expect.unreachable()] = stage.billed().slice(-2);
  return { stage, id: first.id, before, after };
}

/**
 * Returns the tokens that a provider keeps in its cache after a call. If writing is free and not reported, the provider
 * keeps the input rounded down to a multiple of 128 tokens.
 */
function keptOf({ read, written, input }: Billed): number {
  return written > 0 ? read + written : input - (input % 128);
}

const changes = async ({ stage, id }: Reopened): Promise<readonly unknown[]> =>
  (await recordsOf(stage, id)).flatMap((one) => (one.kind === 'role.changed' ? [one.data.text] : []));

describe('another role', () => {
  test.each(['claude-opus-5-5', 'claude-opus-4-8', 'gpt-5.1', 'gpt-6.1-sol'])(
    'is appended on %s without a new epoch, and everything sent before is read from the cache',
    async (model) => {
      const played = await reopened(model, OTHER);
      const { stage, id, before, after } = played;
      expect(await epochsOf(stage, id)).toEqual(['initial']);
      expect(await changes(played)).toEqual([OTHER]);
      expect(after.read).toBe(keptOf(before));
      expect(await missesOf(stage, id)).toEqual([]);
      expect(stage.bodies.at(-1)).toContain('Answer in verse.');
      expect(stage.bodies.at(-1)?.indexOf('Answer in verse.')).toBeGreaterThan(
        stage.bodies.at(-1)?.indexOf('And now?') ?? Infinity,
      );
      await expectSound(stage, id);
    },
  );

  test.each(['claude-sonnet-4-5', 'claude-haiku-4-5'])('opens an epoch of cause `role` on %s', async (model) => {
    const played = await reopened(model, OTHER);
    const { stage, id } = played;
    expect(await epochsOf(stage, id)).toEqual(['initial', 'role']);
    expect(await changes(played)).toEqual([]);
    await expectSound(stage, id);
  });

  test('that is changed back is appended again, and the next epoch contains only the last role', async () => {
    const { stage, id } = await reopened('claude-opus-5-5', OTHER);
    const back = await stage.open({ id, instructions: ROLE });
    await stage.turn(back, 'And now?', looks, done);
    expect(await epochsOf(stage, id)).toEqual(['initial']);
    expect(await back.compact({ tailTokens: 500 })).toMatchObject({ outcome: 'compacted' });
    await stage.turn(back, 'Go on.', done);
    expect(await epochsOf(stage, id)).toEqual(['initial', 'compaction']);
    expect(stage.bodies.at(-1)).not.toContain('Your role instructions have changed');
    expect(stage.bodies.at(-1)).not.toContain('Answer in verse.');
    await expectSound(stage, id);
  });

  test('with the same text opens no epoch and appends nothing', async () => {
    const played = await reopened('claude-opus-5-5', ROLE);
    expect([await epochsOf(played.stage, played.id), await changes(played)]).toEqual([['initial'], []]);
  });
});
