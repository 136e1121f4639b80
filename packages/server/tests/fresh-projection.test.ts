// Tests that questions about one session do not wait for the update of all sessions.

import { createMemoryStore } from '@tidemark/kit';
import { sessionId } from '@tidemark/log';
import { expect, test } from 'vitest';
import { createFreshProjection } from '../src/analytics/fresh-projection.ts';
import { openTestProjection } from './test-server.ts';

test('a question about a session updates only this session, also while all sessions are being updated', async () => {
  const projection = await openTestProjection(createMemoryStore());
  const whole = Promise.withResolvers<Awaited<ReturnType<typeof projection.update>>>();
  const updated: (readonly string[] | undefined)[] = [];
  const fresh = createFreshProjection({
    ...projection,
    update(options = {}) {
      updated.push(options.sessions);
      return options.sessions === undefined ? whole.promise : projection.update(options);
    },
  });
  const all = fresh.read(async () => ({ answer: 'all' }));
  const one = await fresh.readSession(sessionId('s1'), async () => ({ answer: 'one' }));
  expect(one).toMatchObject({ answer: 'one' });
  expect(updated).toEqual([undefined, ['s1']]);
  whole.resolve({ sessionsRead: 0, recordsRead: 0, removed: 0, problems: [] });
  expect(await all).toMatchObject({ answer: 'all', problems: [] });
  await fresh.close();
});

test('questions that come together share the update of their session', async () => {
  const projection = await openTestProjection(createMemoryStore());
  let updates = 0;
  const fresh = createFreshProjection({
    ...projection,
    update(options) {
      updates += 1;
      return projection.update(options);
    },
  });
  const ask = () => fresh.readSession(sessionId('s1'), async () => ({}));
  await Promise.all([ask(), ask(), ask()]);
  expect(updates).toBe(1);
  await ask();
  expect(updates).toBe(2);
  await fresh.close();
});

test('searches that come together share the update of the texts', async () => {
  const projection = await openTestProjection(createMemoryStore());
  const done = Promise.withResolvers<void>();
  let updates = 0;
  const fresh = createFreshProjection({
    ...projection,
    updateTexts() {
      updates += 1;
      return done.promise;
    },
  });
  const searches = [fresh.readTexts(async () => ({})), fresh.readTexts(async () => ({}))];
  await expect.poll(() => updates).toBe(1);
  done.resolve();
  expect(await Promise.all(searches)).toMatchObject([{ problems: [] }, { problems: [] }]);
  await fresh.readTexts(async () => ({}));
  expect(updates).toBe(2);
  await fresh.close();
});
