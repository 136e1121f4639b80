// Random script of a recorded session, in terms that fit both transcript formats. `write-pi.ts` and `write-claude.ts`
// turn a script into a transcript. A failing script shrinks to a few steps.

import fc from 'fast-check';

/** Result of a tool call in a script. */
export interface Returned {
  readonly bytes: number;
  readonly error: boolean;
  readonly image: boolean;
  /** True if the file does not contain the result, as if the session had been cut off before it. */
  readonly lost: boolean;
}

/**
 * Form in which the file contains the usage of an answer: complete (`all`), missing (`none`), only zeros (`zeros`),
 * without the cache fields (`no-cache-fields`), with one-hour writes (`long-writes`), without any caching (`uncached`),
 * or only the output (`answer-only`).
 */
export type UsageForm = 'all' | 'none' | 'zeros' | 'no-cache-fields' | 'long-writes' | 'uncached' | 'answer-only';

/** Step of a script. */
export type Step =
  | { readonly do: 'prompt'; readonly bytes: number; readonly image: boolean; readonly pause: number }
  | {
      readonly do: 'answer';
      readonly text: number;
      readonly thinking: 'none' | 'signed' | 'unsigned' | 'redacted' | 'shared-signature' | 'only';
      readonly calls: readonly Returned[];
      readonly ids: 'usual' | 'repeated' | 'foreign';
      readonly input: number;
      readonly end: 'finished' | 'aborted' | 'failed' | 'empty';
      readonly usage: UsageForm;
      readonly pause: number;
      /**
       * True if the user typed a prompt while the tools ran. The prompt is placed before the results of the tools, or
       * between them.
       */
      readonly steer: boolean;
      readonly shuffled: boolean;
    }
  | { readonly do: 'model'; readonly model: number }
  | { readonly do: 'level'; readonly level: number }
  | { readonly do: 'compact'; readonly keep: number }
  | { readonly do: 'note'; readonly bytes: number }
  | { readonly do: 'rewind'; readonly to: number; readonly summary: boolean }
  | { readonly do: 'clear' }
  | { readonly do: 'swell' }
  | { readonly do: 'clock'; readonly back: number }
  | { readonly do: 'aside'; readonly agent: number; readonly steps: number };

/** Script of a whole recording. */
export interface Script {
  readonly version: 1 | 2 | 3;
  readonly models: readonly string[];
  /** Number of tokens of the front, which the file does not contain. */
  readonly front: number;
  readonly steps: readonly Step[];
}

/**
 * Models that strip thinking at a new turn. `KEEPING` lists models that keep thinking, `BINDING` models that bind
 * thinking to the conversation, and `STRANGE` unusual model names.
 */
export const STRIPPING: readonly string[] = ['claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-3-5-haiku-20241022'];
export const KEEPING: readonly string[] = ['claude-opus-4-6', 'claude-sonnet-4-6', 'claude-opus-4-5'];
export const BINDING: readonly string[] = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-2'];
export const STRANGE: readonly string[] = [
  'gpt-5.1-codex',
  'gemini-3-pro',
  'claude-opus-9',
  'llama',
  'claude-sonnet-4-5-20250929',
];

const size = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 400 }), weight: 6 },
  { arbitrary: fc.integer({ min: 0, max: 8_000 }), weight: 3 },
  { arbitrary: fc.integer({ min: 0, max: 60_000 }), weight: 1 },
);
const pause = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 20_000 }), weight: 40 },
  { arbitrary: fc.integer({ min: 290_000, max: 310_000 }), weight: 1 },
  { arbitrary: fc.integer({ min: 20_000, max: 10_800_000 }), weight: 2 },
);
const often = (weight: number): fc.Arbitrary<boolean> =>
  fc.oneof({ arbitrary: fc.constant(false), weight: 10 - weight }, { arbitrary: fc.constant(true), weight });
const returned: fc.Arbitrary<Returned> = fc.record({ bytes: size, error: often(1), image: often(1), lost: often(1) });
const calls = fc.oneof(
  { arbitrary: fc.constant<Returned[]>([]), weight: 3 },
  { arbitrary: fc.array(returned, { minLength: 1, maxLength: 3 }), weight: 5 },
  { arbitrary: fc.array(returned, { minLength: 9, maxLength: 26 }), weight: 1 },
);
const mostly = <const T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 6 }, { arbitrary: fc.constantFrom(usual, ...others), weight: 4 });

const prompt: fc.Arbitrary<Step> = fc.record({ do: fc.constant('prompt'), bytes: size, image: often(1), pause });
const answer: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('answer'),
  text: mostly(200, 0, 3, 4_000),
  thinking: mostly('none', 'signed', 'unsigned', 'redacted', 'shared-signature', 'only'),
  calls,
  ids: mostly('usual', 'repeated', 'foreign'),
  input: fc.nat(8),
  end: mostly('finished', 'aborted', 'failed', 'empty'),
  usage: mostly('all', 'none', 'zeros', 'no-cache-fields', 'long-writes', 'uncached', 'answer-only'),
  pause,
  steer: often(1),
  shuffled: often(2),
});
const others: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('model'), model: fc.nat(2) }),
  fc.record({ do: fc.constant('level'), level: fc.nat(4) }),
  fc.record({ do: fc.constant('compact'), keep: fc.nat(6) }),
  fc.record({ do: fc.constant('note'), bytes: fc.nat(500) }),
  fc.record({ do: fc.constant('rewind'), to: fc.nat(9), summary: fc.boolean() }),
  fc.constant<Step>({ do: 'clear' }),
  fc.constant<Step>({ do: 'swell' }),
  fc.record({ do: fc.constant('clock'), back: fc.nat(900_000) }),
  fc.record({ do: fc.constant('aside'), agent: fc.nat(2), steps: fc.integer({ min: 1, max: 3 }) }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: answer, weight: 10 },
  { arbitrary: prompt, weight: 5 },
  { arbitrary: others, weight: 4 },
);
const model = fc.oneof(
  { arbitrary: fc.constantFrom(...STRIPPING, ...KEEPING, ...BINDING), weight: 5 },
  { arbitrary: fc.constantFrom(...STRANGE), weight: 1 },
);

/** Generates random scripts with at most `most` steps. */
export function scripts(most: number): fc.Arbitrary<Script> {
  return fc.record({
    version: fc.constantFrom<(1 | 2 | 3)[]>(1, 2, 3),
    models: fc.array(model, { minLength: 3, maxLength: 3 }),
    front: fc.oneof(
      { arbitrary: fc.integer({ min: 6_000, max: 40_000 }), weight: 6 },
      { arbitrary: fc.integer({ min: 0, max: 6_000 }), weight: 3 },
      { arbitrary: fc.integer({ min: 150_000, max: 950_000 }), weight: 1 },
    ),
    steps: fc.array(step, { minLength: Math.min(most, 4), maxLength: most, size: 'max' }),
  });
}
