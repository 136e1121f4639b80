// Plays random stories, each once, and tries every claim of a test file on each of them. A failed claim prints the smallest
// story that still breaks it, with the seed and path of fast-check. `TIDEMARK_SEED` plays the same stories again.

import fc from 'fast-check';

/** True to play sixty times as many stories, which takes minutes. */
export const FULL: boolean = process.env['TIDEMARK_FULL'] === '1';

/** Milliseconds after which a world plays no further story, and after which the search for a smaller one ends. */
const PATIENCE: number = FULL ? 3_600_000 : 90_000;

/** Timeout of a test that waits for the stories of its world, in milliseconds. */
export const STORY_TIMEOUT: number = 2 * PATIENCE + 60_000;

const SEED: number = Number(process.env['TIDEMARK_SEED'] ?? Math.floor(Math.random() * 2 ** 30));

/** Returns the seed of a world. Each world plays stories of its own. */
function seedOf(name: string): number {
  return Array.from(name).reduce((seed, character) => (seed * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 30, SEED);
}

/** A kind of story, and how to play it. */
interface Telling<Story extends { readonly commands: readonly unknown[] }, Played> {
  readonly name: string;
  readonly story: fc.Arbitrary<Story>;
  /** Number of stories in `npm test`. */
  readonly runs: number;
  /** Plays a story, passes what it left to `judge`, and cleans up. */
  play(story: Story, judge: (played: Played) => Promise<void>): Promise<void>;
}

type Check<Played> = (played: Played) => void | Promise<void>;

interface Claim<Played> {
  readonly check: Check<Played>;
  /** The claim is tried on so many stories at most. */
  readonly most: number;
}

interface Failure {
  readonly index: number;
  readonly error: unknown;
}

/** The stories of one world. Each method returns the body of a test. */
export interface Stories<Played> {
  /** The claim holds for every story, or for the first `most` stories. */
  readonly hold: (check: Check<Played>, most?: number) => () => Promise<void>;
  /** Every story can be played to its end. */
  readonly end: () => () => Promise<void>;
}

/** Declares the stories of a world. They are played when the first of its tests runs, after all its claims are declared. */
export function storiesOf<Story extends { readonly commands: readonly unknown[] }, Played>(
  telling: Telling<Story, Played>,
): Stories<Played> {
  const claims: Claim<Played>[] = [];
  let pass: Promise<ReadonlyMap<Claim<Played>, Failure>> | undefined;
  const verdictOn = async (claim: Claim<Played>): Promise<void> => {
    pass ??= playAll(telling, claims);
    const failure = (await pass).get(claim);
    if (failure === undefined) return;
    await shrink(telling, claim, failure);
    throw new Error(`story ${failure.index} of TIDEMARK_SEED=${SEED} broke this claim once, and not again`, {
      cause: failure.error,
    });
  };
  const declared = (claim: Claim<Played>): (() => Promise<void>) => {
    claims.push(claim);
    return () => verdictOn(claim);
  };
  return {
    hold: (check, most = Infinity) => declared({ check, most: FULL ? most * 60 : most }),
    end: () => declared({ check: () => undefined, most: Infinity }),
  };
}

async function playAll<Story extends { readonly commands: readonly unknown[] }, Played>(
  telling: Telling<Story, Played>,
  claims: readonly Claim<Played>[],
): Promise<ReadonlyMap<Claim<Played>, Failure>> {
  const failures = new Map<Claim<Played>, Failure>();
  const runs = telling.runs * (FULL ? 60 : 1);
  const count = { stories: 0, commands: 0, checks: 0 };
  const tryOn = async (played: Played, index: number): Promise<void> => {
    for (const claim of claims) {
      if (failures.has(claim) || index >= claim.most) continue;
      count.checks += 1;
      const error = await errorOf(async () => claim.check(played));
      if (error !== undefined) failures.set(claim, { index, error });
    }
  };
  const property = fc.asyncProperty(telling.story, async (story) => {
    const index = count.stories++;
    count.commands += story.commands.length;
    const error = await errorOf(() => telling.play(story, (played) => tryOn(played, index)));
    if (error === undefined) return;
    for (const claim of claims) if (!failures.has(claim)) failures.set(claim, { index, error });
  });
  await fc.check(property, { seed: seedOf(telling.name), numRuns: runs, interruptAfterTimeLimit: PATIENCE });
  const { stories, commands, checks } = count;
  console.info(
    `${telling.name}: ${stories} stories, ${commands} commands, ${claims.length} claims, ${checks} checks, TIDEMARK_SEED=${SEED}`,
  );
  if (stories < runs && !FULL) throw new Error(`${stories} of ${runs} stories were played in ${PATIENCE} ms`);
  return failures;
}

/**
 * Plays the story again, then smaller ones.
 *
 * @throws Error with the smallest story that breaks the claim.
 */
async function shrink<Story extends { readonly commands: readonly unknown[] }, Played>(
  telling: Telling<Story, Played>,
  { check }: Claim<Played>,
  { index }: Failure,
): Promise<void> {
  const property = fc.asyncProperty(telling.story, (story) => telling.play(story, async (played) => check(played)));
  const path = String(index);
  await fc.assert(property, { seed: seedOf(telling.name), path, numRuns: 1, interruptAfterTimeLimit: PATIENCE });
}

async function errorOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error ?? new Error('undefined was thrown');
  }
}
