import { describe, expect, it } from 'vitest';
import { LOG_ERRORS, LogError } from './errors.ts';

describe('log errors', () => {
  it('keep their codes and sorts', () => {
    expect(LOG_ERRORS).toEqual({
      'log/missing': 'refused',
      'log/exists': 'refused',
      'log/locked': 'retryable',
      'log/unsupported-filesystem': 'refused',
      'log/parent-missing': 'refused',
      'log/parent-diverged': 'refused',
      'log/first-record': 'bug',
      'log/latched': 'refused',
      'log/closed': 'bug',
      'log/moved': 'corrupt',
      'log/write-failed': 'refused',
      'log/flush-failed': 'refused',
      'log/damaged': 'corrupt',
      'log/not-a-file': 'corrupt',
      'log/unknown-revision': 'refused',
      'log/unreachable': 'retryable',
      'log/invalid-event': 'bug',
      'artifact/missing': 'refused',
      'artifact/damaged': 'corrupt',
      'artifact/write-failed': 'refused',
      'artifact/read-failed': 'refused',
      'artifact/unreachable': 'retryable',
    });
  });

  it('carry code, data, cause and sort', () => {
    const cause = new Error('below');
    const error = new LogError('log/locked', 'said', { session: 'a' }, cause);
    expect([error.code, error.sort, error.data, error.cause, error.message]).toEqual([
      'log/locked',
      'retryable',
      { session: 'a' },
      cause,
      'said',
    ]);
  });
});
