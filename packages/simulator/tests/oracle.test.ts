// Compares the Anthropic cache with a slow second implementation ("twin"). The twin knows only the published rules: it
// keeps whole prefixes as text and searches them one by one.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { counts, mark, send, simulate, text, user } from './conversation.ts';

const LIFE = 300_000;
const WORTH = 600;
const FLOOR = 1024;
const LOOKBACK = 20;

interface Shot {
  /** Number of blocks kept from the previous request. The blocks in `grow` are added after them. */
  readonly keep: number;
  readonly grow: readonly string[];
  /** Marked places, at most four. Each is a number of blocks counted back from the last block. */
  readonly markers: readonly number[];
  readonly pause: number;
}

const shots = fc.array(
  fc.record<Shot>({
    keep: fc.nat(60),
    grow: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 }),
    markers: fc.uniqueArray(fc.nat(40), { maxLength: 4 }),
    pause: fc.constantFrom(1, 1, 1000, 200_000, 299_998, 300_000),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Creates a second implementation of the cache. For each request it returns the tokens read by the published rules. */
function twin(): (words: readonly string[], marked: readonly number[], now: number) => number {
  const alive = new Map<string, number>();
  return (words, marked, now) => {
    const usable = marked.filter((at) => (at + 1) * WORTH >= FLOOR);
    const prefix = (at: number): string => words.slice(0, at + 1).join(' ');
    const lives = (at: number): boolean => (alive.get(prefix(at)) ?? -1) > now;
    const searched = usable.toReversed().flatMap((at) => Array.from({ length: LOOKBACK }, (_, back) => at - back));
    const hit = searched.find((at) => at >= 0 && lives(at));
    for (const at of hit === undefined ? usable : [...usable, hit]) alive.set(prefix(at), now + LIFE);
    return hit === undefined ? 0 : (hit + 1) * WORTH;
  };
}

it('a request reads exactly the tokens that the rules of provider-facts §1.1 require, for any history of requests', () => {
  fc.assert(
    fc.property(shots, (history) => {
      const simulator = simulate();
      const expected = twin();
      let words: readonly string[] = [];
      let now = 0;
      for (const shot of history) {
        now += shot.pause;
        words = [...words.slice(0, shot.keep), ...shot.grow];
        const marked = [
          ...new Set(shot.markers.map((back) => words.length - 1 - back).filter((at) => at >= 0)),
        ].toSorted((a, b) => a - b);
        const blocks = words.map((word, i) => (marked.includes(i) ? mark(text(word)) : text(word)));
        const answered = send(simulator, { messages: [user(...blocks)] }, { at: now, sizes: () => WORTH });
        const [read, written, fresh] = counts(answered);
        expect(read).toBe(expected(words, marked, now));
        expect(read + written + fresh).toBe(words.length * WORTH);
      }
    }),
    { numRuns: 300 },
  );
});
