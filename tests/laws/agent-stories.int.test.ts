// Tests the laws on random sessions of an agent. The agent gets commands at random times: prompts, steers, interrupts,
// changed settings, side calls, restarts and crashes. Meanwhile its tools fail, hang or write, and its provider fails.

import { describe, expect, it } from 'vitest';
import { expectRowsLikeAccounts } from './rows.ts';
import { agentStory } from './agent-commands.ts';
import { expectArrivedRecorded } from './bytes.ts';
import { expectForksContinue } from './forks.ts';
import type { World } from './play.ts';
import { playAgent } from './play.ts';
import { expectAllEvents, expectNothingRuns, expectPromisesKept } from './promises.ts';
import { testPureLaws } from './pure-laws.ts';
import { storiesOf, STORY_TIMEOUT } from './stories.ts';
import { expectWorkInOrder } from './work.ts';

describe.each<World & { readonly runs: number }>([
  { store: 'memory', provider: 'simulator', runs: 150 },
  { store: 'ndjson', provider: 'simulator', runs: 20 },
])('an agent on $store', { timeout: STORY_TIMEOUT }, (world) => {
  const stories = storiesOf({
    name: `agent, ${world.store}`,
    story: agentStory(24),
    runs: world.runs,
    play: (story, judge: Parameters<typeof playAgent>[2]) => playAgent(world, story, judge),
  });
  const { hold } = stories;
  testPureLaws(stories, world);

  it(
    'L1: every body that reaches the server is in the log, at least as often as it arrived',
    hold((played) => expectArrivedRecorded(played)),
  );

  it(
    'L8: the fold can apply every record',
    hold(({ verified }) => expect(verified.problems).toEqual([])),
  );

  it(
    'L8: no request is refused unless the story plans its refusal',
    hold(({ stage }) => expect(stage.providers.refused).toEqual([])),
  );

  it(
    'L8: each call is closed once, no tool runs before its start is recorded, and every turn ends',
    hold(({ book, stage }) => expectWorkInOrder(book.records, stage.runs)),
  );

  it(
    'L8: the words of an accepted command are in the log once, and those of a refused command are not',
    hold(({ book, stage }) => expectPromisesKept(stage, book.records)),
  );

  it(
    'L8: a subscriber gets every record of its process, in order',
    hold(({ book, stage }) => expectAllEvents(stage.process, book.records.length)),
  );

  it(
    'L8: no tool, stream or timer remains when an agent is closed',
    hold(({ stage }) => expectNothingRuns(stage)),
  );

  it(
    'L9: the rows of a projection have the sums of the accounts, wherever its updates ended',
    hold((played) => expectRowsLikeAccounts(played)),
  );

  it(
    'L5: a fork at a closed position continues, any other is refused with the nearest ones, and the parent keeps its bytes',
    hold((played) => expectForksContinue(played)),
  );
});
