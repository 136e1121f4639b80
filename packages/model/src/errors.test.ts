import { expect, test } from 'vitest';
import { ProviderError } from './errors.ts';

test('`ProviderError` is serialized with its code and class before its data', () => {
  const error = new ProviderError('retryable', 'provider/server', 'the server failed', { provider: 'p', status: 500 });
  expect(JSON.stringify(error)).toBe(
    '{"name":"ProviderError","code":"provider/server","class":"retryable","data":{"provider":"p","status":500}}',
  );
  expect(error).toMatchObject({ class: 'retryable', data: { provider: 'p', status: 500 } });
});
