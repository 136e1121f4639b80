// Commands of a session that the turn loop of the tests plays (`loop.ts`), as data.

import type { Lasting } from '@tidemark/agent';
import fc from 'fast-check';
import type { AnswerSpec, ContentSpec, TextSpec } from './content.ts';
import { anyAnswer, anyContent, anyText } from './content.ts';

/**
 * Way in which a call to the model ends. `cut-unmeasured`: the transport cut the answer before its usage arrived.
 * `lost`: the process ended before it recorded anything of the answer.
 */
export type Outcome = 'answered' | 'failed' | 'stopped-by-user' | 'cut-by-transport' | 'cut-unmeasured' | 'lost';

/**
 * Way in which an open tool call is closed. `returned-twice`: a second result for the same call is recorded after the
 * first.
 */
export type Closing = 'returned' | 'failed' | 'interrupted' | 'crashed' | 'denied' | 'cut' | 'returned-twice';

/** Message that arrives while a turn runs. */
export type Aside =
  | { readonly do: 'steer'; readonly parts: readonly ContentSpec[] }
  | { readonly do: 'note'; readonly urgent: boolean; readonly text: TextSpec }
  | { readonly do: 'notify'; readonly text: TextSpec };

/** A side call. With `late`, its answer is recorded after the next command. */
export interface SideSpec {
  readonly do: 'side';
  readonly words: readonly ContentSpec[];
  readonly history: 'main' | 'none';
  readonly answer: AnswerSpec;
  readonly outcome: Outcome;
  readonly late: boolean;
}

/** One command of a story. */
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
      readonly fates: readonly Closing[];
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

/** A random session: its first model, the lifetime of its cache entries, and its commands. */
export interface LoopStory {
  readonly model: number;
  readonly ttl: Lasting;
  readonly commands: readonly Command[];
}

const contents: fc.Arbitrary<readonly ContentSpec[]> = fc.array(anyContent, { minLength: 1, maxLength: 3 });

const aside: fc.Arbitrary<Aside> = fc.oneof(
  contents.map((parts): Aside => ({ do: 'steer', parts })),
  fc.record({ urgent: fc.boolean(), text: anyText }).map((note): Aside => ({ do: 'note', ...note })),
  anyText.map((text): Aside => ({ do: 'notify', text })),
);

/**
 * All outcomes except `answered`. `MEASURED` contains the outcomes after which the session knows the cost of the call.
 */
const ANY_OUTCOME: readonly Outcome[] = ['failed', 'stopped-by-user', 'cut-by-transport', 'cut-unmeasured', 'lost'];
const MEASURED: readonly Outcome[] = ['failed', 'stopped-by-user', 'cut-by-transport'];

/**
 * Generates a random command. With `knowable`, the session can know everything that affects its bill: no answer is lost
 * or unmeasured, no clock is wrong, and no fork begins at an earlier position of its parent. Each forecast must then
 * equal the bill.
 */
function command(knowable: boolean): fc.Arbitrary<Command> {
  const outcome = fc.oneof(
    { weight: 5, arbitrary: fc.constant<Outcome>('answered') },
    { weight: 1, arbitrary: fc.constantFrom(...(knowable ? MEASURED : ANY_OUTCOME)) },
  );
  const fate = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Closing>('returned') },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Closing>('failed', 'interrupted', 'crashed', 'denied', 'cut', 'returned-twice'),
    },
  );
  const side: fc.Arbitrary<SideSpec> = fc.record({
    do: fc.constant('side'),
    words: fc.array(anyContent, { maxLength: 2 }),
    history: fc.constantFrom('main', 'main', 'none'),
    answer: anyAnswer,
    outcome,
    late: knowable ? fc.constant(false) : fc.boolean(),
  });
  // A cache entry of the main stream can be read as soon as its answer begins. The session cannot know this time, so
  // with `knowable` no side call is made during an answer.
  const beside = fc.oneof({ weight: 3, arbitrary: aside }, ...(knowable ? [] : [{ weight: 1, arbitrary: side }]));
  const during = fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(beside, { maxLength: 3 }) },
  );
  const asked = fc.record({ answer: anyAnswer, outcome, during }).map((ask): Command => ({ do: 'ask', ...ask }));
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
  return fc.oneof(
    { weight: 14, arbitrary: asked },
    { weight: 8, arbitrary: closed },
    { weight: 3, arbitrary: side },
    { weight: 4, arbitrary: contents.map((parts): Command => ({ do: 'prompt', parts })) },
    { weight: 3, arbitrary: aside },
    ...rare(knowable),
  );
}

function rare(knowable: boolean): { readonly weight: number; readonly arbitrary: fc.Arbitrary<Command> }[] {
  const small = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
  const back = fc.integer({ min: 1_000, max: 3_600_000 }).map((ms): Command => ({ do: 'clock-back', ms }));
  return [
    { weight: 1, arbitrary: fc.constantFrom<Command>({ do: 'end-turn' }, { do: 'orphan' }) },
    { weight: 1, arbitrary: small(4).map((level): Command => ({ do: 'reasoning', level })) },
    { weight: 1, arbitrary: small(3).map((model): Command => ({ do: 'model', model })) },
    { weight: 1, arbitrary: small(3).map((set): Command => ({ do: 'tools', set })) },
    { weight: 1, arbitrary: small(2).map((role): Command => ({ do: 'role', role })) },
    {
      weight: 1,
      arbitrary: fc.record({ keep: small(6), text: anyText }).map((one): Command => ({ do: 'compact', ...one })),
    },
    {
      weight: 1,
      arbitrary: fc
        .record({ every: fc.integer({ min: 1, max: 4 }), kept: small(600) })
        .map((one): Command => ({ do: 'prune', ...one })),
    },
    { weight: 1, arbitrary: anyText.map((text): Command => ({ do: 'summarize-branch', text })) },
    { weight: 1, arbitrary: small(9).map((kind): Command => ({ do: 'bystander', kind })) },
    { weight: 2, arbitrary: fc.integer({ min: 1_000, max: 7_200_000 }).map((ms): Command => ({ do: 'wait', ms })) },
    { weight: 2, arbitrary: fc.constant<Command>({ do: 'restart' }) },
    { weight: 1, arbitrary: (knowable ? fc.constant(0) : small(4)).map((one): Command => ({ do: 'fork', back: one })) },
    ...(knowable ? [] : [{ weight: 1, arbitrary: back }]),
  ];
}

/**
 * Generates a random session of up to 40 commands. With `knowable`, each forecast must equal the bill. Commands are
 * therefore omitted if the session cannot know their effect on the bill.
 */
export function loopStory(knowable: boolean): fc.Arbitrary<LoopStory> {
  return fc.record({
    model: fc.integer({ min: 0, max: 3 }),
    ttl: fc.constantFrom('5m' as const, '1h' as const, 'auto' as const),
    commands: fc.array(command(knowable), { minLength: 1, maxLength: 40, size: 'max' }),
  });
}
