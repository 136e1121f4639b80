// Tests the input tokens of a finished turn by bucket.

import { expect, test } from 'vitest';
import { answering, calls, cutShelf, goLive, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';

const look = made('look', () => ({ text: 'seen' }));
const FIRST = { fresh: 10, read: 0, writes: [{ ttl: '5m', tokens: 90 } as const], answer: 5 };
const SECOND = {
  fresh: 7,
  read: 90,
  writes: [{ ttl: '5m', tokens: 20 } as const, { ttl: '1h', tokens: 3 } as const],
  answer: 5,
};

test('the totals of a turn contain the input of all its calls by disjoint buckets', async () => {
  const provider = answering({ ...calls(['c1', 'look']), usage: FIRST }, says('a', { usage: SECOND }));
  const { live } = await goLive({ provider, runtime: { tools: [look] } });
  const { totals } = await live.prompt('go');
  expect(totals).toMatchObject({ input: 220, inputBuckets: { fresh: 17, read: 90, written: 113 } });
});

test('the buckets of the next turn contain only that turn, with its side calls', async () => {
  const provider = answering(says('a', { usage: FIRST }), says('b', { usage: SECOND }));
  const { live } = await goLive({ provider });
  await live.prompt('go');
  expect((await live.prompt('on')).totals).toMatchObject({ inputBuckets: { fresh: 7, read: 90, written: 23 } });
});

test('a turn that is resumed in another process has the buckets of all its calls', async () => {
  const first = answering({ ...calls(['c1', 'look']), usage: FIRST }, says('a', { usage: SECOND }));
  const { live, shelf, kinds } = await goLive({ provider: first, runtime: { tools: [look] } });
  await live.prompt('go');
  const returned = (await kinds()).indexOf('tool.returned');
  await live.close();
  const provider = answering(says('b', { usage: SECOND }));
  const again = await goLive({ provider, shelf: cutShelf(shelf, returned + 1), runtime: { tools: [look] } });
  expect((await again.live.resume()).totals).toMatchObject({
    input: 220,
    inputBuckets: { fresh: 17, read: 90, written: 113 },
  });
});

test('a turn that ended and is resumed has the buckets of the calls since then, as its totals do', async () => {
  const provider = answering({ ...calls(['c1', 'look']), usage: FIRST }, says('a', { usage: SECOND }));
  const { live } = await goLive({ provider, runtime: { tools: [look], limits: { steps: 1 } } });
  expect(await live.prompt('go')).toMatchObject({ outcome: 'limited', totals: { inputBuckets: { written: 90 } } });
  expect((await live.resume()).totals).toMatchObject({ input: 120, inputBuckets: { fresh: 7, read: 90, written: 23 } });
});

test('the buckets are absent if a call did not report one, and the log contains no buckets', async () => {
  const { live, records } = await goLive({
    provider: answering(says('a', { usage: { input: 100, read: 40, answer: 5 } })),
  });
  const { totals } = await live.prompt('go');
  expect(totals).toMatchObject({ input: 100 });
  expect(totals).not.toHaveProperty('inputBuckets');
  expect(JSON.stringify(await records())).not.toContain('inputBuckets');
});
