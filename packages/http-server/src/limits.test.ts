// Tests the default limits as literal values, because the help of `tidemark simulate` and SECURITY.md list the same
// values.

import { expect, it } from 'vitest';
import { DEFAULT_LIMITS, resolveLimits } from './limits.ts';

it('the default limits have these values', () => {
  expect(DEFAULT_LIMITS).toEqual({
    bodyBytes: 1_048_576,
    heldBytes: 134_217_728,
    connections: 512,
    headerBytes: 16_384,
    headerCount: 100,
    pipelined: 16,
    headersMs: 10_000,
    requestMs: 60_000,
    idleMs: 5_000,
    stalledMs: 120_000,
    pingMs: 30_000,
    lingerMs: 2_000,
    checkMs: 1_000,
  });
});

it('`resolveLimits` replaces only the defaults of the given limits', () => {
  expect(resolveLimits({ connections: 3 })).toEqual({ ...DEFAULT_LIMITS, connections: 3 });
});
