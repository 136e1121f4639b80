import { expect, test } from 'vitest';
import { ProviderError } from './errors.ts';

test('`ProviderError` is serialized with its code and class before its data', () => {
  const error = new ProviderError('retryable', 'provider/server', 'the server failed', { provider: 'p', status: 500 });
  expect(JSON.stringify(error)).toBe(
    '{"name":"ProviderError","code":"provider/server","class":"retryable","data":{"provider":"p","status":500}}',
  );
  expect(error).toMatchObject({ class: 'retryable', data: { provider: 'p', status: 500 } });
});

test('the message of a failed call ends with its next step, and `what` is the message without it', () => {
  const data = { provider: 'p', next: 'check the API key' };
  const error = new ProviderError('stop', 'provider/authentication', 'p refused the request', data);
  expect(error.message).toBe('p refused the request. Next: check the API key');
  expect(error.what).toBe('p refused the request');
  expect(new ProviderError('stop', 'provider/aborted', 'aborted', { provider: 'p' }).what).toBe('aborted');
});
