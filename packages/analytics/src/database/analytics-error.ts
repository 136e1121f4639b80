// Errors of the `analytics` package.

import { CodedError } from '@tidemark/core';

/** All codes, each with its meaning. A test checks that the codes do not change. */
export const ANALYTICS_ERRORS = {
  'analytics/busy': 'another process writes the database',
  'analytics/full': 'the disk is full',
  'analytics/unusable': 'the database cannot be opened or written',
} as const;

/** Code of an error of this package. */
export type AnalyticsErrorCode = keyof typeof ANALYTICS_ERRORS;

/** Error of the database of calls. It contains only copies, so it may be removed. */
export class AnalyticsError extends CodedError<AnalyticsErrorCode, { readonly path: string }> {
  override readonly name: string = 'AnalyticsError';
}
