// Plays random stories, each once, and runs every check of a test file on each of them. A failed test prints the
// smallest story for which the check fails, with the seed and path of fast-check. `TIDEMARK_SEED` plays the same
// stories again.

import fc from 'fast-check';

/** True to play sixty times as many stories, which takes minutes. Set with `TIDEMARK_FULL=1`. */
export const FULL: boolean = process.env['TIDEMARK_FULL'] === '1';

/**
 * Time limit in milliseconds for playing the stories of a world, and another time for the search for a smaller failing
 * story.
 */
const PATIENCE: number = FULL ? 3_600_000 : 90_000;

/** Timeout of a test that waits for the stories of its world, in milliseconds. */
export const STORY_TIMEOUT: number = 2 * PATIENCE + 60_000;

const SEED: number = Number(process.env['TIDEMARK_SEED'] ?? Math.floor(Math.random() * 2 ** 30));

/** Returns the seed of a world, which depends on its name. Different worlds therefore play different stories. */
function seedOf(name: string): number {
  return Array.from(name).reduce((seed, character) => (seed * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 30, SEED);
}

interface Telling<Story extends { readonly commands: readonly unknown[] }, Played> {
  readonly name: string;
  readonly story: fc.Arbitrary<Story>;
  /** Number of stories in `npm test`. With `FULL`, sixty times as many are played. */
  readonly runs: number;
  /** Plays a story, passes the result to `judge`, and removes everything that the story created. */
  play(story: Story, judge: (played: Played) => Promise<void>): Promise<void>;
}

type Check<Played> = (played: Played) => void | Promise<void>;

interface Claim<Played> {
  readonly check: Check<Played>;
  /** Maximum number of stories on which the check is run. */
  readonly most: number;
}

interface Failure {
  readonly index: number;
  readonly error: unknown;
}

/** The stories of one world. Each method returns the body of a test. */
export interface Stories<Played> {
  /** Returns a test body that runs `check` on every story, or on the first `most` stories. */
  readonly hold: (check: Check<Played>, most?: number) => () => Promise<void>;
  /** Returns a test body that fails if a story cannot be played to its end. */
  readonly end: () => () => Promise<void>;
}

/**
 * Declares the stories of a world. They are played when the first test of the world runs, after all its checks are
 * declared.
 */
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
 * Plays the failed story again and searches for a smaller story that fails. Returns if the story does not fail again.
 *
 * @throws Error with the smallest story for which the check fails.
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
