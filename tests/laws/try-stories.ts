// A law is tried on random stories, in each world: both stores, both providers. A failure prints the seed and the smallest
// story that still breaks the law.

import fc from 'fast-check';
import type { Story, Temper } from './commands.ts';
import { story } from './commands.ts';
import type { Driver } from './driver.ts';
import { begin } from './driver.ts';
import { perform } from './perform.ts';
import type { Place, StoreName } from './place.ts';
import { newPlace, within } from './place.ts';
import { newServer } from './server.ts';
import type { ProviderName } from './settings.ts';

/** One of the four worlds. */
export interface World {
  readonly store: StoreName;
  readonly provider: ProviderName;
}

/** All of them. */
export const WORLDS: readonly World[] = [
  { store: 'memory', provider: 'simulator' },
  { store: 'ndjson', provider: 'simulator' },
  { store: 'memory', provider: 'scripted' },
  { store: 'ndjson', provider: 'scripted' },
];

/** Those where calls are billed. */
export const BILLED: readonly World[] = WORLDS.filter(({ provider }) => provider === 'simulator');

/** Whether the whole is tried, which takes minutes, or a part of it. */
export const FULL: boolean = process.env['TIDEMARK_FULL'] === '1';

/** How many stories: so many as a part of `npm test`, fewer where each write is flushed to a disk; sixty times that in full. */
export function stories({ store }: World, part: number): number {
  return Math.ceil(part * (FULL ? 60 : 1) * (store === 'ndjson' ? 0.2 : 1));
}

/** Milliseconds after which a trial ends with what it has seen, its search for a smaller story too. */
export const PATIENCE: number = FULL ? 1_200_000 : 60_000;

/** How a law is tried. */
export interface Trial extends Temper {
  readonly world: World;
  /** Stories in `npm test`. */
  readonly runs: number;
}

/** Plays random stories in a world and checks each when it is over; its writer is closed after. */
export async function tryStories(trial: Trial, check: (driver: Driver, told: Story) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(story(trial), async (told) => {
      await within(newPlace(trial.world.store), (place) => playAndCheck(place, trial.world, told, check));
    }),
    { numRuns: stories(trial.world, trial.runs), interruptAfterTimeLimit: PATIENCE },
  );
}

/** Plays one story in a place, checks it, and gives the lock back. */
export async function playAndCheck(
  place: Place,
  world: World,
  told: Story,
  check: (driver: Driver, told: Story) => Promise<void>,
): Promise<void> {
  const driver = await begin(place, newServer(world.provider), told);
  try {
    for (const command of told.commands) await perform(driver, command);
    await check(driver, told);
  } finally {
    await driver.session.writer.close();
  }
}
