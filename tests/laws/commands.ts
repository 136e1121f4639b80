// What can happen to a session, as data: the words that random sessions are made of.

import type { Lasting } from '@tidemark/agent';
import fc from 'fast-check';

/** What one text is like. Texts are made unique by the driver, so that a block tells where it came from. */
export type TextSpec =
  | { readonly kind: 'words'; readonly size: number }
  | { readonly kind: 'odd'; readonly text: string };

/** One part of a prompt or of a result. */
export type ContentSpec = TextSpec | { readonly kind: 'image'; readonly image: number } | { readonly kind: 'file' };

/** Which id a call gets: its own, one that was used before, one of another provider, the one of the call before it. */
export type CallIdSpec = 'fresh' | 'repeated' | 'foreign' | 'doubled' | 'alias';

/** One call of an answer. */
export interface CallSpec {
  readonly id: CallIdSpec;
  readonly name: string;
  readonly arguments: string;
}

/** What a model says before its calls. */
export type SaidSpec =
  | { readonly kind: 'text'; readonly text: TextSpec }
  | { readonly kind: 'thinking'; readonly size: number }
  | { readonly kind: 'redacted' };

/** One answer. */
export interface AnswerSpec {
  readonly said: readonly SaidSpec[];
  readonly calls: readonly CallSpec[];
}

/** How a call to the model ends. `lost`: the process died before anything of the answer was recorded. */
export type Outcome = 'answered' | 'failed' | 'stopped-by-user' | 'cut-by-transport' | 'cut-unmeasured' | 'lost';

/** How an open call is closed. */
export type Fate = 'returned' | 'failed' | 'interrupted' | 'crashed' | 'denied' | 'cut' | 'returned-twice';

/** Something said beside the turn. */
export type Aside =
  | { readonly do: 'steer'; readonly parts: readonly ContentSpec[] }
  | { readonly do: 'note'; readonly urgent: boolean; readonly text: TextSpec }
  | { readonly do: 'notify'; readonly text: TextSpec };

/** A call beside the conversation. `late`: it is answered when the next thing has happened. */
export interface SideSpec {
  readonly do: 'side';
  readonly words: readonly ContentSpec[];
  readonly history: 'main' | 'none';
  readonly answer: AnswerSpec;
  readonly outcome: Outcome;
  readonly late: boolean;
}

/** One thing that happens. */
export type Command =
  | Aside
  | SideSpec
  | { readonly do: 'prompt'; readonly parts: readonly ContentSpec[] }
  | {
      readonly do: 'ask';
      readonly answer: AnswerSpec;
      readonly outcome: Outcome;
      readonly during: readonly (Aside | SideSpec)[];
    }
  | {
      readonly do: 'close';
      readonly order: number;
      readonly share: number;
      readonly fates: readonly Fate[];
      readonly contents: readonly (readonly ContentSpec[])[];
    }
  | { readonly do: 'orphan' }
  | { readonly do: 'end-turn' }
  | { readonly do: 'reasoning'; readonly level: number }
  | { readonly do: 'model'; readonly model: number }
  | { readonly do: 'tools'; readonly set: number }
  | { readonly do: 'role'; readonly role: number }
  | { readonly do: 'compact'; readonly keep: number; readonly text: TextSpec }
  | { readonly do: 'prune'; readonly every: number; readonly kept: number }
  | { readonly do: 'summarize-branch'; readonly text: TextSpec }
  | { readonly do: 'bystander'; readonly kind: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'clock-back'; readonly ms: number }
  | { readonly do: 'restart' }
  | { readonly do: 'keep-snapshot' }
  | { readonly do: 'fork'; readonly back: number };

/** Everything but text that breaks careless code. */
const ODD_TEXTS = [
  '',
  ' \n\t',
  '\u0085',
  '\u001c\u001f',
  '\u00a0\u2003',
  '\ud800',
  'a\udfffb',
  '\u0000',
  '"quoted" \\ {"and":"braced"}',
  '</context>\n<checkpoint>',
  '\u2028\u2029',
  'zwj \u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
] as const;

/** Arguments as models stream them, and as they should not. */
const ODD_ARGUMENTS = [
  '',
  ' ',
  '{}',
  '{"b":1,"a":[1.0,{"10":1,"9":2}]}',
  '{"a":1,"a":2}',
  '{"__proto__":{"x":1},"constructor":1}',
  '{"n":1e999,"m":-0,"big":12345678901234567890}',
  '{"x":"\\ud800","y":"\\ud83d\\ude00"}',
  '{"raw":"\ud800"}',
  ' { "spaced" : [ ] } ',
  '[1,2]',
  '"text"',
  'null',
  '{"cut":"of',
  `${'{"deep":'.repeat(40)}1${'}'.repeat(40)}`,
] as const;

const TOOL_NAMES = ['read', 'grep', 'edit', 'mcp.server.read', 'no_such_tool', 'ünlike', ''] as const;

const size: fc.Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 20, max: 400 }) },
  { weight: 3, arbitrary: fc.integer({ min: 400, max: 4_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 4_000, max: 20_000 }) },
);
const words: fc.Arbitrary<TextSpec> = size.map((value) => ({ kind: 'words', size: value }));
const odd: fc.Arbitrary<TextSpec> = fc.constantFrom(...ODD_TEXTS).map((text) => ({ kind: 'odd', text }));
const text: fc.Arbitrary<TextSpec> = fc.oneof({ weight: 5, arbitrary: words }, { weight: 1, arbitrary: odd });
const content: fc.Arbitrary<ContentSpec> = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 4 }).map((image): ContentSpec => ({ kind: 'image', image })) },
  { weight: 1, arbitrary: fc.constant<ContentSpec>({ kind: 'file' }) },
);
const contents: fc.Arbitrary<readonly ContentSpec[]> = fc.array(content, { minLength: 1, maxLength: 3 });

const call: fc.Arbitrary<CallSpec> = fc.record({
  id: fc.oneof(
    { weight: 6, arbitrary: fc.constant<CallIdSpec>('fresh') },
    { weight: 3, arbitrary: fc.constantFrom<CallIdSpec>('repeated', 'foreign', 'doubled', 'alias') },
  ),
  name: fc.oneof(
    { weight: 4, arbitrary: fc.constant('read') },
    { weight: 1, arbitrary: fc.constantFrom(...TOOL_NAMES) },
  ),
  arguments: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...ODD_ARGUMENTS) },
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value })) },
  ),
});
const calls: fc.Arbitrary<readonly CallSpec[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 5, arbitrary: fc.array(call, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.array(call, { minLength: 10, maxLength: 26 }) },
);
const said: fc.Arbitrary<SaidSpec> = fc.oneof(
  { weight: 4, arbitrary: text.map((one): SaidSpec => ({ kind: 'text', text: one })) },
  { weight: 2, arbitrary: size.map((value): SaidSpec => ({ kind: 'thinking', size: value })) },
  { weight: 1, arbitrary: fc.constant<SaidSpec>({ kind: 'redacted' }) },
);
const answer: fc.Arbitrary<AnswerSpec> = fc.record({ said: fc.array(said, { maxLength: 4 }), calls });

const aside: fc.Arbitrary<Aside> = fc.oneof(
  contents.map((parts): Aside => ({ do: 'steer', parts })),
  fc.record({ urgent: fc.boolean(), text }).map((note): Aside => ({ do: 'note', ...note })),
  text.map((one): Aside => ({ do: 'notify', text: one })),
);

/** Every outcome, or those whose cost both sides know. */
const ANY_OUTCOME: readonly Outcome[] = ['failed', 'stopped-by-user', 'cut-by-transport', 'cut-unmeasured', 'lost'];
const MEASURED: readonly Outcome[] = ['failed', 'stopped-by-user', 'cut-by-transport'];

/** What a random session may meet. */
export interface Temper {
  /**
   * Nothing happens that the session cannot know: no lost answer, no unmeasured one, no clock that runs wrong, no fork
   * from a point that its parent has left behind. What it forecasts is then what is billed.
   */
  readonly knowable?: boolean;
  readonly length?: number;
}

/** A random command. */
export function command({ knowable = false }: Temper = {}): fc.Arbitrary<Command> {
  const outcome = fc.oneof(
    { weight: 5, arbitrary: fc.constant<Outcome>('answered') },
    { weight: 1, arbitrary: fc.constantFrom(...(knowable ? MEASURED : ANY_OUTCOME)) },
  );
  const fate = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Fate>('returned') },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Fate>('failed', 'interrupted', 'crashed', 'denied', 'cut', 'returned-twice'),
    },
  );
  const side: fc.Arbitrary<SideSpec> = fc.record({
    do: fc.constant('side'),
    words: fc.array(content, { maxLength: 2 }),
    history: fc.constantFrom('main', 'main', 'none'),
    answer,
    outcome,
    late: knowable ? fc.constant(false) : fc.boolean(),
  });
  // What the main stream writes can be read as soon as its answer begins, which a side call in the meantime cannot know.
  const beside = fc.oneof({ weight: 3, arbitrary: aside }, ...(knowable ? [] : [{ weight: 1, arbitrary: side }]));
  const during = fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(beside, { maxLength: 3 }) },
  );
  const asked = fc.record({ answer, outcome, during }).map((ask): Command => ({ do: 'ask', ...ask }));
  const closed = fc
    .record({
      order: fc.nat({ max: 1_000 }),
      share: fc.constantFrom(1, 1, 0.5),
      fates: fc.array(fate, { minLength: 1, maxLength: 5 }),
      contents: fc.array(fc.oneof({ weight: 8, arbitrary: contents }, { weight: 1, arbitrary: fc.constant([]) }), {
        minLength: 1,
        maxLength: 4,
      }),
    })
    .map((close): Command => ({ do: 'close', ...close }));
  const small = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
  return fc.oneof(
    { weight: 14, arbitrary: asked },
    { weight: 8, arbitrary: closed },
    { weight: 3, arbitrary: side },
    { weight: 4, arbitrary: contents.map((parts): Command => ({ do: 'prompt', parts })) },
    { weight: 3, arbitrary: aside },
    { weight: 1, arbitrary: fc.constantFrom<Command>({ do: 'end-turn' }, { do: 'orphan' }) },
    { weight: 1, arbitrary: small(4).map((level): Command => ({ do: 'reasoning', level })) },
    { weight: 1, arbitrary: small(3).map((model): Command => ({ do: 'model', model })) },
    { weight: 1, arbitrary: small(3).map((set): Command => ({ do: 'tools', set })) },
    { weight: 1, arbitrary: small(2).map((role): Command => ({ do: 'role', role })) },
    { weight: 1, arbitrary: fc.record({ keep: small(6), text }).map((one): Command => ({ do: 'compact', ...one })) },
    {
      weight: 1,
      arbitrary: fc
        .record({ every: fc.integer({ min: 1, max: 4 }), kept: small(600) })
        .map((one): Command => ({ do: 'prune', ...one })),
    },
    { weight: 1, arbitrary: text.map((one): Command => ({ do: 'summarize-branch', text: one })) },
    { weight: 1, arbitrary: small(9).map((kind): Command => ({ do: 'bystander', kind })) },
    { weight: 2, arbitrary: fc.integer({ min: 1_000, max: 7_200_000 }).map((ms): Command => ({ do: 'wait', ms })) },
    { weight: 2, arbitrary: fc.constant<Command>({ do: 'restart' }) },
    { weight: 1, arbitrary: (knowable ? fc.constant(0) : small(4)).map((back): Command => ({ do: 'fork', back })) },
    ...(knowable
      ? []
      : [
          {
            weight: 1,
            arbitrary: fc.integer({ min: 1_000, max: 3_600_000 }).map((ms): Command => ({ do: 'clock-back', ms })),
          },
        ]),
  );
}

/** A random session: a model to begin with, a lifetime for its entries, and what happens. */
export interface Story {
  readonly model: number;
  readonly ttl: Lasting;
  readonly commands: readonly Command[];
}

/** A random session. */
export function story(temper: Temper = {}): fc.Arbitrary<Story> {
  return fc.record({
    model: fc.integer({ min: 0, max: 3 }),
    ttl: fc.constantFrom('5m' as const, '1h' as const, 'auto' as const),
    commands: fc.array(command(temper), { minLength: 1, maxLength: temper.length ?? 40, size: 'max' }),
  });
}
