// Usage without a split of cache writes: a gateway to Anthropic's models, such as Bedrock or Vertex, omits
// `cache_creation`. The usage then has the total of written tokens, but not their TTLs.

import type { RecordedOf } from '@tidemark/log';
import { allWritten, inputTokens } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import type { Billed, Stage } from './billed-stage.ts';
import { openStage, recordsOf } from './billed-stage.ts';

const MINUTE = 60_000;
/**
 * Minutes of pause before each turn. All pauses are shorter than the one-hour TTL, and some are longer than the
 * five-minute TTL.
 */
const PAUSES = [0, 1, 20, 25, 2, 30, 40, 15];
const LONG = 'a line of what was said before, in words. '.repeat(300);

const unsplit: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, init);
  const text = (await response.text()).replaceAll(/"cache_creation":\{[^}]*\},?/g, '');
  return new Response(text, { status: response.status, headers: response.headers });
};

interface Played {
  readonly stage: Stage;
  readonly calls: readonly Billed[];
  readonly answers: readonly RecordedOf<'answer.received'>[];
  readonly markers: readonly (readonly string[])[];
}

async function play(gateway?: typeof globalThis.fetch, pauses: readonly number[] = PAUSES): Promise<Played> {
  const stage = await openStage({}, gateway === undefined ? {} : { gateway });
  const live = await stage.open();
  for (const [turn, minutes] of pauses.entries()) {
    stage.clock.pass(minutes * MINUTE);
    await stage.turn(live, `${turn}: ${LONG}`, { answer: { text: 'noted' } });
  }
  // The side call sets markers with two TTLs: the long one for the history and the short one for its own prompt.
  stage.simulator.next({ answer: { text: 'A title' } });
  await live.side({ purpose: 'title', prompt: 'Name it.', history: 'main' });
  const records = await recordsOf(stage, live.id);
  const answers = records.flatMap((one) => (one.kind === 'answer.received' ? [one] : []));
  const markers = records.flatMap((one) =>
    one.kind === 'request.prepared' ? [[...new Set(one.data.markers.map(({ ttl }) => ttl))]] : [],
  );
  return { stage, calls: stage.billed(), answers, markers };
}

describe('a session with pauses, through a gateway that does not split cache writes', () => {
  test('is billed exactly like a session with the split, because it chooses the same TTLs', async () => {
    const [split, gateway] = [await play(), await play(unsplit)];
    expect(gateway.calls).toEqual(split.calls);
    expect(gateway.calls.some(({ long }) => long > 0)).toBe(true);
    expect(gateway.markers).toEqual(split.markers);
  });

  test('records an exact cost if the markers of a request have one TTL, and an upper bound if they have two', async () => {
    const [split, gateway] = [await play(), await play(unsplit)];
    const lives = gateway.markers.map(({ length }) => length);
    expect([lives.includes(1), lives.includes(2)]).toEqual([true, true]);
    for (const [index, { data }] of gateway.answers.entries()) {
      const { cost: billed, usage } = split.answers[index]?.data ?? {};
      expect(inputTokens(data.usage)).toBe(inputTokens(usage ?? {}));
      if (lives[index] === 1) expect([data.cost, data.usage]).toEqual([billed, usage]);
      else {
        expect(data).not.toHaveProperty('cost');
        expect(data.usage).toMatchObject({ written: allWritten(usage ?? {}) });
        expect(Number(data.costAtMost)).toBeGreaterThanOrEqual(Number(billed));
      }
    }
  });
});
