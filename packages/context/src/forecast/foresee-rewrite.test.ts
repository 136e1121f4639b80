import type { MissCause } from '@tidemark/log';
import { expect, test } from 'vitest';
import { named, row, second } from '../../tests/log-of.ts';
import { causeInWords, groupOfCause } from '../base/cause-words.ts';
import type { CacheEntry, State } from '../state/state.ts';
import { emptyState } from '../state/state.ts';
import type { ForeseenRewrite, RequestEpoch } from './miss.ts';
import { foreseeRewrite } from './miss.ts';

const entry: CacheEntry = {
  parameters: { tools: named('p'), system: named('p'), messages: named('p') },
  block: 3,
  section: 'messages',
  of: 4,
  images: false,
  beside: false,
  prefix: named('prefix'),
  account: 'before',
  ttl: '5m',
  at: second(0),
};

const holding = (at: number): State => {
  const state = emptyState();
  return { ...state, cache: { ...state.cache, entries: [{ ...entry, at: second(at) }] } };
};

function foreseen(
  loss: MissCause | undefined,
  epoch: RequestEpoch,
  gone?: 'expired' | 'account',
): ForeseenRewrite | undefined {
  return foreseeRewrite(
    {
      state: holding(gone === 'expired' ? -600 : 0),
      outlook: {
        forecast: { read: 1_000, write: 100_000, fresh: 0, unsent: 1_000 },
        held: 100_000,
        heldBy: 'count',
        loss: loss && { cause: loss, tokens: 99_000 },
        gone,
        cliff: undefined,
      },
      capabilities: row('claude-sonnet-4-5'),
      at: second(0),
      ttl: '5m',
      ...(gone === 'account' && { account: 'asked' }),
    },
    epoch,
  );
}

const GOES_ON: RequestEpoch = { opens: false, cause: 'initial' };
const OPENS: RequestEpoch = { opens: true, cause: 'reasoning' };

test('a change of ours is reported by the cause of its epoch, with the amount by which the rewrite costs more than reading', () => {
  // The cost is 99,000 × ($3.75 − $0.30) per million tokens: the write price minus the read price.
  expect(foreseen('opened', OPENS)).toEqual({ cause: 'reasoning', tokens: 99_000, cost: '0.34155' });
  expect(foreseen('opened', { opens: false, cause: 'tools' })?.cause).toBe('tools');
});

test('every cause of an epoch is listed, most important first', () => {
  const both: RequestEpoch = { opens: true, cause: 'model', also: ['tools'] };
  expect(foreseen('opened', both)).toMatchObject({ cause: 'model', also: ['tools'] });
  expect(foreseen('image', { ...both, opens: false })).not.toHaveProperty('also');
});

test('`expired` is listed before a change that would also have lost the tokens', () => {
  expect(foreseen('opened', OPENS, 'expired')).toMatchObject({ cause: 'expired', also: ['reasoning'] });
  expect(foreseen('expired', GOES_ON, 'expired')?.cause).toBe('expired');
});

test('`account` is listed before a change that would also have lost the tokens', () => {
  expect(foreseen('opened', OPENS, 'account')).toMatchObject({ cause: 'account', also: ['reasoning'] });
  expect(foreseen('account', OPENS, 'account')).not.toHaveProperty('also');
  expect(foreseen('account', GOES_ON, 'account')?.cause).toBe('account');
});

test.each(['image', 'thinking-stripped', 'below-floor'] as const)(
  '%s is reported under its own name, as a rule of the provider',
  (cause) => {
    expect(foreseen(cause, GOES_ON)?.cause).toBe(cause);
    expect(groupOfCause(cause)).toBe('provider');
    expect(causeInWords(cause)).toMatch(/provider|model/);
  },
);

test('`foreseeRewrite` returns `undefined` for a request that reads everything sent before', () => {
  expect(foreseen(undefined, GOES_ON)).toBeUndefined();
});
