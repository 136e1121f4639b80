// Compares the caches of newer and older OpenAI models with slow second implementations ("twins"). A twin knows only
// the published rules: it keeps whole prefixes as text and searches them one by one.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  userMessage,
  marked,
  parts,
  respond,
  assistantMessage,
  simulateOpenAI,
  developerMessage,
} from './openai-conversation.ts';

const FLOOR = 1024;
const LIFE = 30 * 60_000;
const WORTH = 600;

type Word = 'a' | 'b' | 'c';

interface Turn {
  readonly speaker: 'developer' | 'user' | 'assistant' | 'mark';
  readonly word: Word;
}

interface Shot {
  /** Number of turns kept from the previous request. The turns in `grow` are added after them. */
  readonly keep: number;
  readonly grow: readonly Turn[];
  readonly explicit: boolean;
  readonly pause: number;
}

const shots = fc.array(
  fc.record<Shot>({
    keep: fc.nat(60),
    grow: fc.array(
      fc.record<Turn>({
        speaker: fc.constantFrom('developer', 'user', 'user', 'assistant', 'assistant', 'mark'),
        word: fc.constantFrom('a', 'b', 'c'),
      }),
      { minLength: 1, maxLength: 30 },
    ),
    explicit: fc.boolean(),
    pause: fc.constantFrom(1, 1, 1000, LIFE - 2, LIFE),
  }),
  { minLength: 1, maxLength: 12 },
);

function itemOf({ speaker, word }: Turn): ReturnType<typeof userMessage> {
  if (speaker === 'mark') return marked(word);
  if (speaker === 'developer') return developerMessage(word);
  return speaker === 'user' ? userMessage(word) : assistantMessage(word);
}

const ascending = (places: readonly number[]): readonly number[] => [...new Set(places)].toSorted((a, b) => a - b);

/**
 * Returns the places at which a request may read entries (`looks`), and the places at which it writes entries
 * (`writes`). Uses only the rules of provider-facts §2.2.
 */
function placesOf(
  turns: readonly Turn[],
  explicit: boolean,
): { readonly looks: readonly number[]; readonly writes: readonly number[] } {
  const marks = turns.flatMap(({ speaker }, i) => (speaker === 'mark' ? [i] : []));
  const seen = marks.filter((_, i) => i < 2 || i >= marks.length - 50);
  if (explicit) return { looks: seen, writes: marks.slice(-4) };
  const talk = turns.findIndex(({ speaker }) => speaker !== 'developer');
  const opening = (talk === -1 ? turns.length : talk) - 1;
  const ends = turns.flatMap(({ speaker }, i) =>
    speaker === 'user' || speaker === 'mark' || i === opening ? [i] : [],
  );
  const looks = [...seen, ...ends.slice(-21), opening].filter((at) => at >= 0);
  return { looks: ascending(looks), writes: ascending([...marks.slice(-3), ...ends.slice(-1)]) };
}

/**
 * Creates a second implementation of the cache of newer models. For each request it returns the tokens read and written
 * by the published rules.
 */
function newerTwin(): (
  turns: readonly Turn[],
  explicit: boolean,
  now: number,
) => readonly [read: number, written: number] {
  const alive = new Map<string, number>();
  return (turns, explicit, now) => {
    const { looks, writes } = placesOf(turns, explicit);
    const prefix = (at: number): string =>
      turns
        .slice(0, at + 1)
        .map(({ speaker, word }) => `${speaker === 'mark' ? 'user' : speaker}:${word}`)
        .join(' ');
    const longEnough = (at: number): boolean => (at + 1) * WORTH >= FLOOR;
    const lives = (at: number): boolean => (alive.get(prefix(at)) ?? -1) > now;
    const hit = looks.findLast((at) => longEnough(at) && lives(at)) ?? -1;
    const usable = writes.filter(longEnough);
    for (const at of usable) if (at > hit || lives(at)) alive.set(prefix(at), now + LIFE);
    if (hit >= 0) alive.set(prefix(hit), now + LIFE);
    const end = Math.max(hit, ...usable);
    return [(hit + 1) * WORTH, (end - hit) * WORTH];
  };
}

it('a newer model reads and writes exactly the tokens that the rules of §2.2 require, for any history of requests', () => {
  fc.assert(
    fc.property(shots, (history) => {
      const simulator = simulateOpenAI();
      const expected = newerTwin();
      let turns: readonly Turn[] = [];
      let now = 0;
      for (const { keep, grow, explicit, pause } of history) {
        now += pause;
        turns = [...turns.slice(0, keep), ...grow];
        const options = explicit ? { prompt_cache_options: { mode: 'explicit' } } : {};
        const answered = respond(simulator, { ...options, input: turns.map(itemOf) }, { at: now, sizes: () => WORTH });
        const [read, written, plain] = parts(answered);
        expect([read, written]).toEqual(expected(turns, explicit, now));
        expect(read + written + plain).toBe(turns.length * WORTH);
      }
    }),
    { numRuns: 200 },
  );
});

interface OldShot {
  readonly keep: number;
  readonly grow: readonly { readonly word: Word; readonly tokens: number }[];
  readonly pause: number;
}

const oldShots = fc.array(
  fc.record<OldShot>({
    keep: fc.nat(12),
    grow: fc.array(
      fc.record({ word: fc.constantFrom<Word>('a', 'b', 'c'), tokens: fc.integer({ min: 1, max: 700 }) }),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
    pause: fc.constantFrom(5000, 10_000, 299_999, 300_000),
  }),
  { minLength: 1, maxLength: 10 },
);

/**
 * Returns the prompt as one word per token. The first word of each message begins with `>`, because the model sees
 * message boundaries too.
 */
function stream(messages: OldShot['grow']): readonly string[] {
  return messages.flatMap(({ word, tokens }) =>
    Array.from({ length: tokens }, (_, i) => (i === 0 ? `>${word}` : word)),
  );
}

it('an older model reads up to a grid point of 128 tokens, from 1,024 tokens on, for any history of requests', () => {
  fc.assert(
    fc.property(oldShots, (history) => {
      const simulator = simulateOpenAI();
      const alive = new Map<string, { readonly until: number; readonly born: number }>();
      let messages: OldShot['grow'] = [];
      let now = 0;
      for (const { keep, grow, pause } of history) {
        now += pause;
        messages = [...messages.slice(0, keep), ...grow];
        const tokens = stream(messages);
        const steps = Array.from({ length: Math.floor(tokens.length / 128) }, (_, i) => (i + 1) * 128).filter(
          (at) => at >= FLOOR,
        );
        const prefix = (at: number): string => tokens.slice(0, at).join(' ');
        // The simulator chooses the machine by the first 256 tokens. Requests that differ within these tokens have no
        // common grid point, because the first grid point is at 1,024 tokens. So the second implementation needs no
        // machines.
        const hit = steps.findLast((at) => (alive.get(prefix(at))?.until ?? -1) > now) ?? 0;
        for (const at of steps) {
          const known = alive.get(prefix(at));
          const born = known !== undefined && known.until > now ? known.born : now;
          alive.set(prefix(at), { until: Math.min(now + 300_000, born + 3_600_000), born });
        }
        const input = messages.map(({ word, tokens: size }) => userMessage(word.repeat(size * 4)));
        const fields = { model: 'gpt-old', prompt_cache_retention: 'in_memory', input };
        const answered = respond(simulator, fields, { at: now, sizes: () => undefined });
        expect(parts(answered)).toEqual([hit, 0, tokens.length - hit]);
      }
    }),
    { numRuns: 60 },
  );
});
