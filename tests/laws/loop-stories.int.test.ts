// Tests the laws on random sessions of a turn loop. The sessions run on both stores, against the simulator with two
// wires and against the scripted provider. Every story is played once, and all checks then use the result.

import { afterAll, describe, expect, it } from 'vitest';
import {
  expectArrivedInOrder,
  expectRebuiltAlone,
  expectRestartChangesNothing,
  expectSameBytesInAnotherProcess,
} from './bytes.ts';
import type { RandomLog } from './cuts.ts';
import {
  expectCutLogsContinue,
  expectEmptySessionContinues,
  expectRandomLogContinues,
  expectTornTailIsCut,
  randomLog,
  refusals,
} from './cuts.ts';
import {
  expectFoldFromSnapshots,
  expectNothingFromDerivedFiles,
  expectSameLog,
  restartingAlways,
  restartingFromSnapshots,
  restartingNever,
} from './derived.ts';
import { expectNoEpochForNothing, expectRewritesBilled } from './growth.ts';
import { loopStory } from './loop-commands.ts';
import { expectForecastsBilled, expectImplicitForecastsBilled } from './numbers.ts';
import type { LoopPlayed, World } from './play.ts';
import { playLoop } from './play.ts';
import { testPureLaws } from './pure-laws.ts';
import type { Stories } from './stories.ts';
import { storiesOf, STORY_TIMEOUT } from './stories.ts';

interface Row extends World {
  /** Number of stories. It is smaller on a disk, where each write is flushed. */
  readonly runs: number;
  /** Number of stories for the checks that play parts of a story again. */
  readonly again: number;
}

const IN_MEMORY = { store: 'memory', runs: 24, again: 8 } as const;
const ON_DISK = { store: 'ndjson', runs: 8, again: 2 } as const;

const WORLDS: readonly Row[] = [
  { ...IN_MEMORY, provider: 'simulator' },
  { ...ON_DISK, provider: 'simulator' },
  { ...IN_MEMORY, provider: 'scripted' },
  { ...ON_DISK, provider: 'scripted' },
];

function storiesIn(world: Row, knowable = false): Stories<LoopPlayed> {
  return storiesOf({
    name: `turn loop, ${world.store}, ${world.provider}${knowable ? ', knowable' : ''}`,
    story: loopStory(knowable),
    runs: world.runs,
    play: (story, judge) => playLoop(world, story, judge),
  });
}

describe.each(WORLDS)('a turn loop on $store against $provider', { timeout: STORY_TIMEOUT }, (world) => {
  const stories = storiesIn(world);
  const { hold } = stories;
  testPureLaws(stories, world);

  it(
    'L2: the server gets the recorded bodies, and no other',
    hold((played) => expectArrivedInOrder(played)),
  );

  it(
    'L2: a request has the same bytes when it is rebuilt alone, without the request before it',
    hold((played) => expectRebuiltAlone(played)),
  );

  it(
    'anthropics/claude-code#34629, L2: the next request after a restart is the one that would have been sent without it',
    hold((played) => expectRestartChangesNothing(played), world.again),
  );

  it(
    'L3: a setting that is changed and changed back before the next request opens no epoch',
    hold((played) => expectNoEpochForNothing(played), world.again),
  );

  it(
    'L8: no request is refused, whatever came before it',
    hold((played) => expect(refusals(played)).toEqual([])),
  );

  it(
    'L8: a log that is cut at any byte contains its whole lines, opens and continues, and its next request is accepted',
    hold((played) => expectCutLogsContinue(played), Math.ceil(world.again / 2)),
  );

  it(
    'L8: a torn line is removed before the next record is written',
    hold((played) => expectTornTailIsCut(played), world.again),
  );

  it(
    'L9: a process that restarts before every command writes the same log, forecasts included',
    hold((played) => expectSameLog(played, restartingAlways), world.again),
  );

  it(
    'L9: a process that restarts from snapshots writes the same log',
    hold((played) => expectSameLog(played, restartingFromSnapshots), world.again),
  );

  it(
    'L9: a process that never restarts writes the same log',
    hold((played) => expectSameLog(played, restartingNever), world.again),
  );

  it(
    'L9: a fold that is continued from a snapshot at any record equals the fold of the whole log',
    hold((played) => expectFoldFromSnapshots(played), Math.ceil(world.again / 2)),
  );

  it('L8: a session that contains its first record alone opens and continues', () =>
    expectEmptySessionContinues(world));

  if (world.store === 'ndjson') {
    it(
      'L9: nothing changes when snapshots are useless or every derived file is deleted',
      hold((played) => expectNothingFromDerivedFiles(played), world.again),
    );

    it(
      'L2: another process rebuilds the same bytes from the folder alone',
      hold((played) => expectSameBytesInAnotherProcess(played), 1),
    );
  }
});

const KNOWABLE: readonly Row[] = [
  { store: 'memory', provider: 'simulator', runs: 18, again: 0 },
  { store: 'ndjson', provider: 'simulator', runs: 4, again: 0 },
];

describe.each(KNOWABLE)('a turn loop that knows all costs, on $store', { timeout: STORY_TIMEOUT }, (world) => {
  const stories = storiesIn(world, true);
  testPureLaws(stories, world);

  it(
    'L3: the rewrite that an epoch forecasts is what the provider then bills again',
    stories.hold((played) => expectRewritesBilled(played)),
  );

  it(
    'L7: a forecast is the bill, bucket by bucket and in money, if sizes agree and nothing was evicted',
    stories.hold((played) => expectForecastsBilled(played)),
  );
});

describe('a turn loop against a provider that caches on its own', { timeout: STORY_TIMEOUT }, () => {
  const world: Row = { store: 'memory', provider: 'openai', runs: 30, again: 0 };
  const stories = storiesIn(world, true);
  testPureLaws(stories, world);
  let read = 0;
  afterAll(() => expect(read).toBeGreaterThan(0));

  it(
    'L7: a forecast is the bill, bucket by bucket and in money',
    stories.hold((played) => {
      read += expectImplicitForecastsBilled(played);
    }),
  );
});

describe(
  'a turn loop that meets unknown costs, against a provider that caches on its own',
  { timeout: STORY_TIMEOUT },
  () => {
    const world: Row = { store: 'memory', provider: 'openai', runs: 8, again: 0 };
    const stories = storiesIn(world);
    testPureLaws(stories, world);

    it(
      'L2, L3: keys and markers are rebuilt from the log, also for each request alone',
      stories.hold((played) => expectRebuiltAlone(played)),
    );
  },
);

describe.each(WORLDS)('a random log on $store against $provider', { timeout: STORY_TIMEOUT }, (world) => {
  const { hold } = storiesOf({
    name: `random logs, ${world.store}, ${world.provider}`,
    story: randomLog,
    runs: world.store === 'memory' ? 15 : 3,
    play: (log: RandomLog, judge: (events: RandomLog['commands']) => Promise<void>) => judge(log.commands),
  });

  it(
    'L8: no sequence of valid events poisons a session: it settles, and its next request is accepted',
    hold((events) => expectRandomLogContinues(world, events)),
  );
});
