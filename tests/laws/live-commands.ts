// What can happen to a session at work, as data: what people say and do to it at any moment, what a model answers, what
// its tools do, how its provider and its process fail.

import fc from 'fast-check';

/** What a tool does with a call. */
export const FATES = [
  'returns',
  'fails',
  'throws',
  'throws-nothing',
  'says-nothing',
  'floods',
  'shows',
  'writes-on',
  'waits',
  'hangs',
  'ends-late',
  'is-deaf',
  'bad-arguments',
  'cannot-read',
  'never-reads',
] as const;

/** One of them. */
export type Fate = (typeof FATES)[number];

/** What a person says when a call is asked about. */
export type Asked = 'allowed' | 'denied' | 'throws' | 'hangs';

/** One call of an answer. `raw` stands for the arguments as a model should not write them. */
export interface MadeCall {
  readonly id: 'fresh' | 'repeated' | 'doubled' | 'foreign';
  readonly tool: string;
  readonly fate: Fate;
  readonly asked: Asked;
  readonly raw?: string;
}

/** How a provider fails. `at`: the share of the stream that came before. */
export type Failing =
  | { readonly kind: 'overloaded' | 'rate-limited' | 'server-error' | 'no-key' }
  /** It rejects one block, at this share of the history. */
  | { readonly kind: 'rejects'; readonly at: number }
  | { readonly kind: 'cut' | 'ends' | 'silent' | 'deaf'; readonly at: number };

/** One answer. `pace`: turns of the event loop before each piece. */
export interface MadeAnswer {
  readonly said: readonly { readonly type: 'text' | 'thinking' | 'redacted' | 'blank'; readonly size: number }[];
  readonly calls: readonly MadeCall[];
  /** The output limit came: the arguments of the last call are cut. */
  readonly cut: boolean;
  readonly refuses: boolean;
  readonly pace: number;
  readonly failing?: Failing;
}

/** How a context source behaves from now on. */
export type World = 'changed' | 'urgent' | 'throws' | 'slow' | 'silent';

/** One thing that is done. */
export type Deed =
  | { readonly do: 'prompt'; readonly answers: readonly MadeAnswer[] }
  | { readonly do: 'resume'; readonly answers: readonly MadeAnswer[] }
  | { readonly do: 'steer' }
  | { readonly do: 'interrupt' }
  | { readonly do: 'mode'; readonly mode: 'read-only' | 'ask' | 'auto' }
  | { readonly do: 'tools'; readonly set: number; readonly when: 'now' | 'next-epoch' }
  | { readonly do: 'effort'; readonly effort: 'low' | 'high' | 'unset' }
  | { readonly do: 'switch'; readonly model: number }
  | { readonly do: 'notify' }
  | { readonly do: 'refresh' }
  | { readonly do: 'side'; readonly history: 'main' | 'none'; readonly answer: MadeAnswer; readonly stops: boolean }
  | { readonly do: 'world'; readonly world: World }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'rest' }
  | { readonly do: 'fork' }
  | { readonly do: 'restart'; readonly model: number }
  | { readonly do: 'crash'; readonly model: number; readonly lost: number };

/** When a deed is done: so many moments after the one before it, or when the log is written to for the nth time from then. */
export interface When {
  readonly by: 'moments' | 'writes';
  readonly count: number;
}

/** A deed and its moment. */
export type LiveCommand = Deed & { readonly after: When };

/** A random life of a session. */
export interface LiveStory {
  readonly model: number;
  readonly steps: number | undefined;
  /** Each write to the log takes a turn of the event loop. */
  readonly slow: boolean;
  readonly commands: readonly LiveCommand[];
}

/** Arguments as they should not be, and as they may be. */
const RAW = ['', ' ', '{}', '[1]', 'null', '"text"', '{"fate":', '{"fate":"returns"} x', '{"n":1e999,"__proto__":{}}'];

const TOOLS = ['look', 'look', 'look', 'change', 'change', 'run', 'later', 'no_such'] as const;

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fate>('returns') },
  { weight: 4, arbitrary: fc.constantFrom(...FATES) },
);
const call: fc.Arbitrary<MadeCall> = fc
  .record({
    id: fc.constantFrom(
      'fresh' as const,
      'fresh' as const,
      'repeated' as const,
      'doubled' as const,
      'foreign' as const,
    ),
    tool: fc.constantFrom(...TOOLS),
    fate,
    asked: fc.constantFrom<Asked>('allowed', 'allowed', 'denied', 'throws', 'hangs'),
    raw: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...RAW) }),
  })
  .map(({ raw, ...rest }) => (raw === undefined ? rest : { ...rest, raw }));
const failing: fc.Arbitrary<Failing> = fc.oneof(
  fc.record({ kind: fc.constantFrom('overloaded', 'rate-limited', 'server-error', 'no-key') }),
  fc.record({
    kind: fc.constantFrom('rejects', 'rejects', 'cut', 'cut', 'ends', 'silent', 'deaf'),
    at: fc.constantFrom(0, 0.2, 0.5, 0.8, 1),
  }),
);
const said = fc.record({
  type: fc.constantFrom('text' as const, 'text' as const, 'thinking' as const, 'redacted' as const, 'blank' as const),
  size: fc.constantFrom(30, 200, 3_000),
});
const answer: fc.Arbitrary<MadeAnswer> = fc
  .record({
    said: fc.array(said, { maxLength: 3 }),
    calls: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 3, arbitrary: fc.array(call, { minLength: 1, maxLength: 5, size: 'max' }) },
    ),
    cut: fc.constantFrom(false, false, false, false, true),
    refuses: fc.constantFrom(...Array.from({ length: 12 }, () => false), true),
    pace: fc.constantFrom(0, 0, 1, 3),
    failing: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: failing }),
  })
  .map(({ failing: how, ...rest }) => (how === undefined ? rest : { ...rest, failing: how }));
const answers: fc.Arbitrary<readonly MadeAnswer[]> = fc.array(answer, { maxLength: 4, size: 'max' });
const model: fc.Arbitrary<number> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(-1) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }) },
);

/** What is done. A model of -1 is the one at hand. */
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: answers.map((one): Deed => ({ do: 'prompt', answers: one })) },
  { weight: 4, arbitrary: answers.map((one): Deed => ({ do: 'resume', answers: one })) },
  { weight: 3, arbitrary: fc.constant<Deed>({ do: 'steer' }) },
  { weight: 4, arbitrary: fc.constant<Deed>({ do: 'interrupt' }) },
  { weight: 2, arbitrary: fc.constantFrom('read-only', 'ask', 'auto').map((mode): Deed => ({ do: 'mode', mode })) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('tools'),
      set: fc.integer({ min: 0, max: 3 }),
      when: fc.constantFrom('now', 'next-epoch'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('low', 'high', 'high', 'unset').map((effort): Deed => ({ do: 'effort', effort })),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }).map((to): Deed => ({ do: 'switch', model: to })) },
  { weight: 2, arbitrary: fc.constant<Deed>({ do: 'notify' }) },
  { weight: 2, arbitrary: fc.constant<Deed>({ do: 'refresh' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('side'),
      history: fc.constantFrom('main', 'none'),
      answer,
      stops: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<World>('changed', 'urgent', 'throws', 'slow', 'silent')
      .map((world): Deed => ({ do: 'world', world })),
  },
  { weight: 3, arbitrary: fc.constantFrom(500, 2_500, 6_000, 200_000).map((ms): Deed => ({ do: 'pass', ms })) },
  { weight: 8, arbitrary: fc.constant<Deed>({ do: 'rest' }) },
  { weight: 1, arbitrary: fc.constant<Deed>({ do: 'fork' }) },
  { weight: 2, arbitrary: model.map((one): Deed => ({ do: 'restart', model: one })) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('crash'), model, lost: fc.constantFrom(0, 0.1, 0.5, 1) }),
  },
);

const after: fc.Arbitrary<When> = fc.oneof(
  moments(0),
  moments(12),
  moments(120),
  moments(600),
  fc.record({ by: fc.constant('writes'), count: fc.integer({ min: 1, max: 12 }) }),
);

function moments(max: number): fc.Arbitrary<When> {
  return fc.record({ by: fc.constant('moments'), count: fc.integer({ min: 0, max }) });
}

const AT_ONCE: When = { by: 'moments', count: 0 };

const single: fc.Arbitrary<readonly LiveCommand[]> = fc
  .tuple(deed, after)
  .map(([one, when]): readonly LiveCommand[] => [{ ...one, after: when }]);

/** Work that is struck in its midst, and what comes right behind it. */
const struck: fc.Arbitrary<readonly LiveCommand[]> = fc
  .tuple(
    answers,
    after,
    fc.constantFrom<Deed>(
      { do: 'interrupt' },
      { do: 'crash', model: -1, lost: 0.5 },
      { do: 'restart', model: -1 },
      { do: 'steer' },
      { do: 'notify' },
    ),
    fc.oneof(
      answers.map((then): Deed => ({ do: 'prompt', answers: then })),
      answers.map((then): Deed => ({ do: 'resume', answers: then })),
      fc.constant<Deed>({ do: 'restart', model: -1 }),
    ),
  )
  .map(([first, when, stroke, then]): readonly LiveCommand[] => [
    { do: 'prompt', answers: first, after: AT_ONCE },
    { ...stroke, after: when },
    { ...then, after: AT_ONCE },
  ]);

/** A random life. */
export function liveStory(length: number): fc.Arbitrary<LiveStory> {
  const random = fc.record({
    model: fc.integer({ min: 0, max: 3 }),
    steps: fc.constantFrom(undefined, undefined, undefined, 3),
    slow: fc.boolean(),
    commands: fc
      .array(fc.oneof({ weight: 6, arbitrary: single }, { weight: 1, arbitrary: struck }), {
        minLength: 1,
        maxLength: length,
        size: 'max',
      })
      .map((phrases) => phrases.flat()),
  });
  // A bias to what is small and first would leave most answers without a call, and most deeds without a moment between.
  return fc.noBias(random);
}
