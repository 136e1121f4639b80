// Commands of an agent's session (`agent-session.ts`), as data: actions of users at any time, answers of the model,
// behaviour of the tools, and failures of the provider and of the process.

import fc from 'fast-check';
import type { AnswerSpec, CallIdSpec, CallSpec, SaidSpec } from './content.ts';

/** Behaviours of a tool in a test. */
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

/** Behaviour of a tool during one call. */
export type Fate = (typeof FATES)[number];

/** Behaviour of the function that asks the user for permission. */
export type Asked = 'allowed' | 'denied' | 'throws' | 'hangs';

/**
 * Failure of a provider in one answer. `at` is the share of the stream that arrives before the failure, from 0 to 1.
 */
export type Failing =
  | { readonly kind: 'overloaded' | 'rate-limited' | 'server-error' | 'no-key' }
  /**
   * The provider rejects one block of the request. `at` is the place of the block in the history, as a share from 0 to
   * 1.
   */
  | { readonly kind: 'rejects'; readonly at: number }
  | { readonly kind: 'cut' | 'ends' | 'silent' | 'deaf'; readonly at: number };

/**
 * Answer of the model to a request of an agent. The arguments of its tool calls are a `Task` as JSON
 * (`agent-tools.ts`), or malformed.
 */
export interface AgentAnswer extends AnswerSpec {
  /** True if the answer reaches its output limit, which cuts the arguments of its last call. */
  readonly cut: boolean;
  readonly refuses: boolean;
  /** Number of turns of the event loop before each piece of the stream. */
  readonly pace: number;
  readonly failing?: Failing;
}

/** Behaviour of the context source after this command. */
export type SourceBehavior = 'changed' | 'urgent' | 'throws' | 'slow' | 'silent';

/** A command without the time at which it is performed. */
export type Action =
  | { readonly do: 'prompt'; readonly answers: readonly AgentAnswer[] }
  | { readonly do: 'resume'; readonly answers: readonly AgentAnswer[] }
  | { readonly do: 'steer' }
  | { readonly do: 'interrupt' }
  | { readonly do: 'mode'; readonly mode: 'read-only' | 'ask' | 'auto' }
  | { readonly do: 'tools'; readonly set: number; readonly when: 'now' | 'next-epoch' }
  | { readonly do: 'effort'; readonly effort: 'low' | 'high' | 'unset' }
  | { readonly do: 'switch'; readonly model: number }
  | { readonly do: 'notify' }
  | { readonly do: 'refresh' }
  | { readonly do: 'side'; readonly history: 'main' | 'none'; readonly answer: AgentAnswer; readonly stops: boolean }
  | { readonly do: 'source'; readonly behavior: SourceBehavior }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'rest' }
  | { readonly do: 'fork' }
  | { readonly do: 'restart'; readonly model: number }
  | { readonly do: 'crash'; readonly model: number; readonly lost: number };

/**
 * Time of a command: after `count` moments since the previous command, or at write number `count` to the log since
 * then. A moment is one microtask, or sometimes a turn of the event loop (`moments` in `agent-perform.ts`).
 */
export interface When {
  readonly by: 'moments' | 'writes';
  readonly count: number;
}

/** A command and the time at which it is performed. */
export type AgentCommand = Action & { readonly after: When };

/** Random session of an agent as data: its settings and its commands. */
export interface AgentStory {
  readonly model: number;
  readonly steps: number | undefined;
  /** True if each write to the log waits for a turn of the event loop. */
  readonly slow: boolean;
  readonly commands: readonly AgentCommand[];
  /** Places at which the log is forked after the commands, as shares of its length from 0 to 1. */
  readonly forks: readonly number[];
  /** True if each fork summarizes the part of the log that it does not contain. */
  readonly summarize: boolean;
}

const MALFORMED = [
  '',
  ' ',
  '{}',
  '[1]',
  'null',
  '"text"',
  '{"fate":',
  '{"fate":"returns"} x',
  '{"n":1e999,"__proto__":{}}',
];

const TOOLS = ['look', 'look', 'look', 'change', 'change', 'run', 'later', 'no_such'] as const;

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fate>('returns') },
  { weight: 4, arbitrary: fc.constantFrom(...FATES) },
);
const asked: fc.Arbitrary<Asked> = fc.constantFrom<Asked>('allowed', 'allowed', 'denied', 'throws', 'hangs');
const call: fc.Arbitrary<CallSpec> = fc.record({
  id: fc.constantFrom<CallIdSpec>('fresh', 'fresh', 'repeated', 'doubled', 'foreign'),
  name: fc.constantFrom(...TOOLS),
  arguments: fc.oneof(
    { weight: 6, arbitrary: fc.record({ fate, asked }).map((task) => JSON.stringify(task)) },
    { weight: 1, arbitrary: fc.constantFrom(...MALFORMED) },
  ),
});
const failing: fc.Arbitrary<Failing> = fc.oneof(
  fc.record({ kind: fc.constantFrom('overloaded', 'rate-limited', 'server-error', 'no-key') }),
  fc.record({
    kind: fc.constantFrom('rejects', 'rejects', 'cut', 'cut', 'ends', 'silent', 'deaf'),
    at: fc.constantFrom(0, 0.2, 0.5, 0.8, 1),
  }),
);
const size = fc.constantFrom(30, 200, 3_000);
const text: fc.Arbitrary<SaidSpec> = size.map((value) => ({ kind: 'text', text: { kind: 'words', size: value } }));
const anyProse: fc.Arbitrary<SaidSpec> = fc.oneof(
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: size.map((value): SaidSpec => ({ kind: 'thinking', size: value })) },
  { weight: 1, arbitrary: fc.constant<SaidSpec>({ kind: 'redacted' }) },
  { weight: 1, arbitrary: fc.constant<SaidSpec>({ kind: 'text', text: { kind: 'odd', text: ' \n' } }) },
);
const answer: fc.Arbitrary<AgentAnswer> = fc
  .record({
    said: fc.array(anyProse, { maxLength: 3 }),
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
const answers: fc.Arbitrary<readonly AgentAnswer[]> = fc.array(answer, { maxLength: 4, size: 'max' });
const model: fc.Arbitrary<number> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(-1) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }) },
);

/** A random command. The model number -1 means the current model. */
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: answers.map((one): Action => ({ do: 'prompt', answers: one })) },
  { weight: 4, arbitrary: answers.map((one): Action => ({ do: 'resume', answers: one })) },
  { weight: 3, arbitrary: fc.constant<Action>({ do: 'steer' }) },
  { weight: 4, arbitrary: fc.constant<Action>({ do: 'interrupt' }) },
  { weight: 2, arbitrary: fc.constantFrom('read-only', 'ask', 'auto').map((mode): Action => ({ do: 'mode', mode })) },
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
    arbitrary: fc.constantFrom('low', 'high', 'high', 'unset').map((effort): Action => ({ do: 'effort', effort })),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }).map((to): Action => ({ do: 'switch', model: to })) },
  { weight: 2, arbitrary: fc.constant<Action>({ do: 'notify' }) },
  { weight: 2, arbitrary: fc.constant<Action>({ do: 'refresh' }) },
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
      .constantFrom<SourceBehavior>('changed', 'urgent', 'throws', 'slow', 'silent')
      .map((behavior): Action => ({ do: 'source', behavior })),
  },
  { weight: 3, arbitrary: fc.constantFrom(500, 2_500, 6_000, 200_000).map((ms): Action => ({ do: 'pass', ms })) },
  { weight: 8, arbitrary: fc.constant<Action>({ do: 'rest' }) },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'fork' }) },
  { weight: 2, arbitrary: model.map((one): Action => ({ do: 'restart', model: one })) },
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

const single: fc.Arbitrary<readonly AgentCommand[]> = fc
  .tuple(action, after)
  .map(([one, when]): readonly AgentCommand[] => [{ ...one, after: when }]);

/** A prompt, then a command that disturbs its turn, and at once another command. */
const disturbed: fc.Arbitrary<readonly AgentCommand[]> = fc
  .tuple(
    answers,
    after,
    fc.constantFrom<Action>(
      { do: 'interrupt' },
      { do: 'crash', model: -1, lost: 0.5 },
      { do: 'restart', model: -1 },
      { do: 'steer' },
      { do: 'notify' },
    ),
    fc.oneof(
      answers.map((then): Action => ({ do: 'prompt', answers: then })),
      answers.map((then): Action => ({ do: 'resume', answers: then })),
      fc.constant<Action>({ do: 'restart', model: -1 }),
    ),
  )
  .map(([first, when, disturbance, then]): readonly AgentCommand[] => [
    { do: 'prompt', answers: first, after: AT_ONCE },
    { ...disturbance, after: when },
    { ...then, after: AT_ONCE },
  ]);

/**
 * Generates a random session of up to `length` elements, each a single command or a disturbed turn of three commands.
 */
export function agentStory(length: number): fc.Arbitrary<AgentStory> {
  const random = fc.record({
    model: fc.integer({ min: 0, max: 3 }),
    steps: fc.constantFrom(undefined, undefined, undefined, 3),
    slow: fc.boolean(),
    commands: fc
      .array(fc.oneof({ weight: 6, arbitrary: single }, { weight: 1, arbitrary: disturbed }), {
        minLength: 1,
        maxLength: length,
        size: 'max',
      })
      .map((phrases) => phrases.flat()),
    forks: fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 1, maxLength: 4 }),
    summarize: fc.boolean(),
  });
  // With fast-check's bias to small values, most answers would have no tool call, and most commands would follow each
  // other at once.
  return fc.noBias(random);
}
