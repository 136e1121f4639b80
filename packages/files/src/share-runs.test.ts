import { expect, test } from 'vitest';
import { shareRuns } from './durable-folder.ts';

/**
 * Creates a function by `shareRuns` whose runs end only when the test ends them. `begun` lists the runs in the order in
 * which they began.
 */
function held() {
  const begun: { readonly name: string; end(error?: Error): void }[] = [];
  const share = shareRuns((name) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    begun.push({ name, end: (error) => (error === undefined ? resolve() : reject(error)) });
    return promise;
  });
  return { begun, share, names: () => begun.map(({ name }) => name) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('all callers that arrive during a run share the next run', async () => {
  const { begun, share, names } = held();
  const done: string[] = [];
  void share('a').then(() => done.push('first'));
  void share('a').then(() => done.push('second'));
  void share('a').then(() => done.push('third'));
  void share('b').then(() => done.push('other'));
  expect(names()).toEqual(['a', 'b']);
  begun[0]?.end();
  await settled();
  expect([names(), done]).toEqual([['a', 'b', 'a'], ['first']]);
  begun[2]?.end();
  begun[1]?.end();
  await settled();
  expect(done.toSorted()).toEqual(['first', 'other', 'second', 'third']);
  void share('a');
  expect(names()).toEqual(['a', 'b', 'a', 'a']);
});

test('a failed run rejects only its own callers, and the next run is not affected', async () => {
  const { begun, share } = held();
  const first = share('a');
  const second = share('a');
  begun[0]?.end(new Error('the disk'));
  await expect(first).rejects.toThrow('the disk');
  await settled();
  begun[1]?.end();
  expect(await second).toBeUndefined();
});
