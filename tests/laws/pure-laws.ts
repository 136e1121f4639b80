// Laws that every played story keeps, with the turn loop or with an agent. They read the story's log, its requests and
// the server's account.

import { expect, it } from 'vitest';
import { expectBytesFromPrefixes, expectHalfGivesDigests, expectVerified } from './bytes.ts';
import { expectEpochsWithRequests, unlabelledBreaks } from './growth.ts';
import { expectBucketsRecorded, expectBucketsSumUp, expectExactCosts, expectUnknownStaysAbsent } from './numbers.ts';
import { expectBodies, strangers, wrongEvents, wrongLayers } from './origins.ts';
import type { Played, World } from './play.ts';
import type { Stories } from './stories.ts';

/** Declares the tests of the laws that hold for the stories of a world. */
export function testPureLaws<One extends Played>({ hold, end }: Stories<One>, { provider }: World): void {
  it('L8: a story can be played to its end, whatever its commands are', end());

  it(
    'L1: each block of each request comes from a record before it, or from a layer of its epoch',
    hold((played) => expect(strangers(played)).toEqual([])),
  );

  it(
    'L2: `verifySession` rebuilds every request of a log that another process reads, and finds no difference',
    hold(({ verified, requests }) => expectVerified(verified, requests.length)),
  );

  it(
    'L2: a request has the same bytes when it is rebuilt from the records before it alone',
    hold(async (played) => {
      await expectBytesFromPrefixes(played);
      await expectHalfGivesDigests(played);
    }),
  );

  it(
    'L3: each request extends the one before it on its stream, unless an epoch opened between them',
    hold((played) => expect(unlabelledBreaks(played)).toEqual([])),
  );

  it(
    'L3: `verifySession` finds no break without an epoch that explains it',
    hold(({ verified }) => expect(verified.breaks.filter(({ cause }) => cause === undefined)).toEqual([])),
  );

  it(
    'L3: an epoch opens with the request that needs it, and nowhere else, unless a crash cuts the log between them',
    hold((played) => {
      if (!played.crashed) expectEpochsWithRequests(played);
    }),
  );

  // These tests can read only the wires of Anthropic and of the scripted provider.
  if (provider !== 'openai') {
    it(
      'L1: a body contains its blocks, the settings of its epoch and the fields of its record, and nothing else',
      hold((played) => expectBodies(played)),
    );

    it(
      'L4: the event that a block names exists and contains what the block shows',
      hold((played) => expect(wrongEvents(played)).toEqual([])),
    );

    it(
      'L4: the layer that a block names is in its epoch, and its artifact contains what the block shows',
      hold(async (played) => expect(await wrongLayers(played)).toEqual([])),
    );
  }

  if (provider === 'simulator') {
    it(
      'L7: the buckets of a bill are disjoint, and their sum is all that was sent',
      hold((played) => expectBucketsSumUp(played)),
    );

    it(
      'L7: the record of an answer contains the buckets as they were billed',
      hold((played) => expectBucketsRecorded(played)),
    );

    it(
      'L7: the cost of an answer is the exact sum of its buckets',
      hold((played) => expectExactCosts(played)),
    );
  }

  if (provider === 'scripted')
    it(
      'L7: usage that the provider does not report stays absent, and so do the cost and the miss',
      hold((played) => expectUnknownStaysAbsent(played)),
    );
}
