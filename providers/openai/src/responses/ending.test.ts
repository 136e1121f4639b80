import { expect, it } from 'vitest';
import { answerOf } from './ending.ts';

it('reads the counts where a response has them (L7)', () => {
  const usage = {
    input_tokens: 100,
    input_tokens_details: {
      cached_tokens: 30,
      cache_write_tokens: 10,
      cache_write_tokens_details: { ttl_30m_tokens: 10, ttl_12h_tokens: 0 },
    },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 15 },
  };
  const answer = answerOf([], { model: 'gpt-6-sol', status: 'completed', usage }, false);
  const writes = [{ ttl: '30m', tokens: 10 }];
  expect(answer.usage).toEqual({ fresh: 60, read: 30, writes, answer: 5, reasoning: 15 });
});
