import { money } from '@tidemark/log';
import { expect, test } from 'vitest';
import { REWRITE_NOTICE } from '../ports/runtime.ts';
import { isWorthSaying, rewriteInWords } from './prepare-step.ts';

const rewrite = (tokens: number, cost?: string): Parameters<typeof rewriteInWords>[0] => ({
  cause: 'reasoning',
  tokens,
  ...(cost === undefined ? {} : { cost: money(cost) }),
});

test('a rewrite is reported if it reaches either threshold, and an unknown price does not reach the cost threshold', () => {
  const worth = (tokens: number, cost?: string): boolean => isWorthSaying(REWRITE_NOTICE, rewrite(tokens, cost));
  expect([worth(49_999, '0.1999999'), worth(50_000, '0.1'), worth(10, '0.20'), worth(49_999)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(isWorthSaying({}, rewrite(1_000_000, '9'))).toBe(false);
});

test('`rewriteInWords` returns cause, tokens and cost in one line', () => {
  expect(rewriteInWords(rewrite(114_000, '0.4275'))).toBe(
    'the reasoning setting changed: 114,000 tokens are written again, $0.43',
  );
  expect(rewriteInWords(rewrite(1_200, '0.00345'))).toMatch(/\$0\.00345$/);
  expect(rewriteInWords(rewrite(5_000, '0.0149'))).toMatch(/\$0\.0149$/);
  expect(rewriteInWords({ ...rewrite(900), cause: 'below-floor' })).toMatch(/are paid again, at an unknown price$/);
});
