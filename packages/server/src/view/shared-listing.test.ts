// Tests which callers share a list of sessions.

import { expect, test } from 'vitest';

import type { SharedList } from './shared-listing.ts';
import { shareListing } from './shared-listing.ts';

test('callers that come while a list is made share the next one, and an error is not kept', async () => {
  const made: PromiseWithResolvers<SharedList>[] = [];
  const asked: unknown[] = [];
  const list = shareListing({
    sessions: (filter) => {
      asked.push(filter);
      const one = Promise.withResolvers<SharedList>();
      made.push(one);
      return one.promise;
    },
  });
  const answer: SharedList = { sessions: [], unreadable: [] };
  const [first, second, third] = [list(undefined), list(undefined), list(undefined)];
  const other = list('/work');
  expect(asked).toEqual([{}, { workspace: '/work' }]);
  made[0]?.reject(new Error('no disk'));
  await expect(first).rejects.toThrow('no disk');
  await expect.poll(() => made.length).toBe(3);
  const later = list(undefined);
  made[1]?.resolve(answer);
  made[2]?.resolve(answer);
  expect(await Promise.all([second, third, other])).toEqual([answer, answer, answer]);
  await expect.poll(() => made.length).toBe(4);
  made[3]?.resolve(answer);
  expect(await later).toBe(answer);
});
