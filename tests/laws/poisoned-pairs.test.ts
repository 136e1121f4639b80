// Problems from public threads about calls that were separated from their results by a window, a restart, a compaction
// or malformed arguments. They are reproduced with the real agent against a simulator that refuses such requests.

import type { Recorded } from '@tidemark/log';
import { position, timestamp } from '@tidemark/log';
import { describe, expect, it } from 'vitest';
import {
  byStep,
  cutAfter,
  expectAnswered,
  messagesOf,
  onNew,
  play,
  playedWhole,
  quick,
  resultsOf,
  STORES,
} from './played-agent.ts';
import type { LeftSession } from './played-agent.ts';

const HOWS = ['prompt', 'resume'] as const;

describe.each(STORES)('mastra-ai/mastra#2667, #16981, aaif-goose/goose#2951 on $store', ({ store, stride }) => {
  it('a log that ends after any record of a turn continues by a prompt or by `resume`, with calls and results together', () =>
    onNew(store, async (place) => {
      const { records } = await playedWhole(place);
      for (let last = 0; last < records.length; last += Math.ceil(stride / 2)) {
        for (const how of HOWS) await cutAfter(place, last, (left) => goesOn(left, how, records.slice(0, last + 1)));
      }
    }));

  it('a compaction up to any record keeps calls and results together when it takes effect', () =>
    onNew(store, async (place) => {
      const { records } = await playedWhole(place);
      for (let to = 1; to < records.length; to += stride) {
        await cutAfter(place, records.length - 1, async (left) => {
          await recordCompaction(left, to);
          await play({ ...left, tools: quick, answer: byStep }, async ({ live, bodies }) => {
            await expectAnswered(live);
            expect(bodies.at(-1)).toContain('What was done before.');
            await expectAnswered(live);
          });
        });
      }
    }));

  it('a compaction that is recorded while calls are open keeps them together with their results', () =>
    onNew(store, async (place) => {
      const { records } = await playedWhole(place);
      for (let last = 4; last < records.length; last += stride) {
        for (const how of HOWS) {
          await cutAfter(place, last, async (left) => {
            await recordCompaction(left, last);
            await goesOn(left, how, records.slice(0, last + 1));
          });
        }
      }
    }));
});

describe('mastra-ai/mastra#16981', () => {
  it.each(['', ' ', '{}', '[]', 'null', '"a.ts"', '{"at":', '{"at":5}', '{"path":"a.ts"}'])(
    'arguments %j get an error that names what is missing, and the corrected call runs',
    (bad) =>
      onNew('memory', (place) =>
        play(
          {
            place,
            tools: quick,
            answer: (_sent, arrived) => ({
              answer: [
                { calls: [{ name: 'look', arguments: bad }] },
                { calls: [{ name: 'look', arguments: { at: 'a.ts' } }] },
              ][arrived] ?? { text: 'That is all.' },
            }),
          },
          async ({ live, bodies }) => {
            expect(await live.prompt('Go.')).toMatchObject({ outcome: 'completed', text: 'That is all.' });
            const [wrong, right] = resultsOf(bodies.at(-1));
            expect(wrong).toMatch(/`at` (?:is missing|must be)|JSON/);
            expect(right).toContain('seen a.ts');
            const result = messagesOf(bodies.at(-1) ?? '').flatMap(({ blocks }) =>
              blocks.filter((one) => 'is_error' in one),
            );
            expect(result.map((one) => one['is_error'])).toContain(true);
          },
        ),
      ),
  );

  it('a call of an unknown tool gets an error that names the known tools', () =>
    onNew('memory', (place) =>
      play(
        {
          place,
          tools: quick,
          answer: (_sent, arrived) => ({
            answer: arrived === 0 ? { calls: [{ name: 'lok', arguments: {} }] } : { text: 'That is all.' },
          }),
        },
        async ({ live, bodies }) => {
          await live.prompt('Go.');
          expect(resultsOf(bodies.at(-1))[0]).toContain('look');
        },
      ),
    ));
});

function goesOn(left: LeftSession, how: (typeof HOWS)[number], records: readonly Recorded[]): Promise<void> {
  return play({ ...left, tools: quick, answer: byStep }, async ({ live }) => {
    // A turn whose prompt is not in the log cannot be resumed.
    const last = records.findLast(({ kind }) => kind === 'prompt.given' || kind === 'turn.ended');
    if (how === 'resume' && last?.kind === 'prompt.given')
      expect(await live.resume()).toMatchObject({ outcome: 'completed' });
    await expectAnswered(live);
  });
}

async function recordCompaction({ place, id }: LeftSession, to: number): Promise<void> {
  const writer = await place.open().open(id);
  const range = { from: position(1), to: position(to) };
  const checkpoint = 'What was done before.';
  const data = { range, strategy: 'recorded', trigger: 'test', checkpoint, limitations: [] } as const;
  await writer.append([{ kind: 'history.compacted', at: timestamp('2026-11-20T09:00:00.000Z'), data }], writer.length);
  await writer.close();
}
