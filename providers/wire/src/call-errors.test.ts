import { describe, expect, it } from 'vitest';
import { failedCall, retryAfter } from './call-errors.ts';

const SERVICE = { name: 'somebody', title: 'Somebody' };
const WEEK = 7 * 24 * 3_600_000;

describe('a failed call', () => {
  it("quotes at most 2,000 characters of the server's message, and 200 of its type and of the request id", () => {
    const error = failedCall(SERVICE, 'provider/server', 'w'.repeat(60_000), {
      type: 't'.repeat(60_000),
      request: 'r'.repeat(60_000),
    });
    expect(error.message.match(/w{2,}/)?.[0]).toHaveLength(2_000);
    expect(error.message).toContain('… (60000 characters)');
    expect(JSON.stringify(error.data).length).toBeLessThan(600);
    expect(error.message.length).toBeLessThan(2_500);
  });

  it('quotes a long message without half of a surrogate pair at the cut', () => {
    const { message } = failedCall(SERVICE, 'provider/server', `a${'😀'.repeat(2_000)}`, {});
    expect(message.isWellFormed()).toBe(true);
  });

  it('has one full stop after a message that ends with one', () => {
    const { message } = failedCall(SERVICE, 'provider/server', 'Your credit is too low to access the API.', {});
    expect(message).toContain('access the API. Next: ');
  });

  it('reports a wait of at most one week', () => {
    for (const afterMs of [Infinity, Number.MAX_VALUE, WEEK + 1])
      expect(failedCall(SERVICE, 'provider/rate-limited', 'slow', { afterMs }).data.afterMs).toBe(WEEK);
    expect(failedCall(SERVICE, 'provider/rate-limited', 'slow', { afterMs: 7 }).data.afterMs).toBe(7);
  });
});

describe('`retry-after`', () => {
  it.each<readonly [Record<string, string>, number | undefined]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '1e308' }, WEEK],
    [{ 'retry-after-ms': '1e308' }, WEEK],
    [{ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT', date: 'Sat, 21 Nov 2026 10:00:00 GMT' }, WEEK],
    [{ 'retry-after': '1e309' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': 'NaN' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
  ])('in the headers %j gives a wait of at most one week or no wait', (headers, ms) => {
    expect(retryAfter(new Headers(headers))).toBe(ms);
  });
});
