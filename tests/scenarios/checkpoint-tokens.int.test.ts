// Checkpoint size: a checkpoint takes at most its limit of tokens, as the model counts them, for every kind of text
// that it quotes.

import type { AnswerPlan } from '@tidemark/simulator';
import { expect, test } from 'vitest';
import { openStage } from './billed-stage.ts';
import * as stories from './break-stories.ts';

const done: AnswerPlan = { answer: { text: 'Done.' } };
const calling = (name: string): AnswerPlan => ({ answer: { text: 'I look.', calls: [{ name, arguments: {} }] } });

test.each([800, 1_500])('a checkpoint that quotes dumps takes at most its limit of %i tokens', async (most) => {
  const stage = await openStage({ model: 'claude-sonnet-4-5', tools: stories.TOOLS, instructions: stories.LONG_ROLE });
  const live = await stage.open();
  for (let turn = 0; turn < 3; turn += 1) await stage.turn(live, 'Now the dump.', calling('dump'), done);
  await stage.turn(live, 'The shelves are full, and what is missing goes out with the next order. '.repeat(60), done);
  for (let turn = 0; turn < 2; turn += 1) await stage.turn(live, 'And the stock?', calling('stock'), done);
  const { sizes } = await live.compact({ tailTokens: 2_500, checkpointTokens: most });
  await stage.turn(live, 'And now?', done);
  const counted = checkpointBytes(stage.bodies.at(-1) ?? '') / 4;
  expect(sizes.parts.checkpoint).toBeLessThanOrEqual(most);
  expect(sizes.parts.checkpoint).toBeGreaterThan(0.7 * most);
  expect(counted).toBeLessThanOrEqual(1.05 * most);
});

/** Returns the size of the checkpoint in a body, in bytes. The simulator counts four bytes as one token. */
function checkpointBytes(body: string): number {
  const { messages }: { readonly messages: readonly { readonly content: readonly { readonly text?: string }[] }[] } =
    JSON.parse(body);
  const texts = messages.flatMap(({ content }) => content.map(({ text }) => text ?? ''));
  return Buffer.byteLength(texts.find((text) => text.startsWith('<checkpoint>')) ?? expect.unreachable());
}
