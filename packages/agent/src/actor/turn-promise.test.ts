// A turn is a promise of its end, and its error has a typed code.

import { expect, expectTypeOf, test } from 'vitest';
import { answering, failure, goLive, hanging, inTurn, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';
import type { FinishedTurn } from '../ports/live-session.ts';
import type { KnownTurnErrorCode, TurnErrorCode } from '../ports/turn-error.ts';

test('a turn has the methods of a promise', async () => {
  const { live } = await goLive({ provider: answering(says('one'), says('two'), says('three')) });
  const order: string[] = [];
  const turn = live.prompt('go').finally(() => order.push('finally'));
  expectTypeOf(turn).toEqualTypeOf<Promise<FinishedTurn>>();
  expect(await turn).toMatchObject({ outcome: 'completed', text: 'one' });
  expect(order).toEqual(['finally']);
  expect(live.prompt('again')).toBeInstanceOf(Promise);
  expect(await Promise.race([live.prompt('last'), new Promise<never>(() => undefined)])).toMatchObject({
    text: 'three',
  });
});

test('`catch` of a turn receives the error of a prompt that could not be recorded, and the session stays usable', async () => {
  const { live } = await goLive({
    provider: answering(says('one')),
    runtime: { images: { fit: () => Promise.resolve({ problem: 'it is no image' }) } },
  });
  const turn = live.prompt([{ type: 'image', data: new Uint8Array([1]) }]);
  expect(await turn.catch((error: unknown) => error)).toMatchObject({ code: 'agent/unfit-image' });
  expect(await live.prompt('Without it.')).toMatchObject({ outcome: 'completed', text: 'one' });
});

test('a `switch` over the code of a turn knows the codes', async () => {
  const { live } = await goLive({
    provider: answering(says('', { fault: { after: 0, error: failure({ code: 'provider/billing', class: 'stop' }) } })),
  });
  const { error } = await live.prompt('go');
  const advice = (code: TurnErrorCode | undefined): string => {
    switch (code) {
      case 'provider/billing':
        return 'pay';
      case 'turn/limit-cost':
        return 'raise';
      default:
        return 'read';
    }
  };
  expect(advice(error?.code)).toBe('pay');
  expectTypeOf<KnownTurnErrorCode>().extract<'turn/window-full'>().not.toBeNever();
  // @ts-expect-error: no turn ends with this code
  const wrong: KnownTurnErrorCode = 'turn/limit-money';
  expect(advice(wrong)).toBe('read');
});

test('`limit` of a turn names the limit that ended it', async () => {
  const look = made('look', () => ({ text: 'seen' }));
  const calls = { parts: [{ type: 'call', call: 'c1', name: 'look', arguments: '{}' }] } as const;
  const { live } = await goLive({ provider: answering(calls), runtime: { tools: [look], limits: { steps: 1 } } });
  expect(await live.prompt('go')).toMatchObject({ limit: 'steps', error: { code: 'turn/limit-steps' } });
});

test('the signal of `resume` interrupts the turn', async () => {
  const first = hanging([]);
  const second = hanging([]);
  const { live } = await goLive({ provider: inTurn(first, second) });
  const turn = live.prompt('go');
  await first.reached;
  await live.interrupt();
  await turn;
  const abort = new AbortController();
  const resumed = live.resume({ signal: abort.signal });
  await second.reached;
  abort.abort();
  expect(await resumed).toMatchObject({ outcome: 'interrupted' });
});

test('`resume` refuses an option that it does not have', async () => {
  const { live } = await goLive({ provider: answering(says('one')) });
  const options = { signal: new AbortController().signal, output: undefined };
  expect(() => live.resume(options)).toThrow(
    'resume has no option output: parse `text` of the finished turn with the schema',
  );
});
