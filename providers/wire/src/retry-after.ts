// When a provider says that a call may be sent again.

/** Longest wait that is believed, in milliseconds: a week. A timer of Node.js counts up to 24 days. */
const LONGEST_WAIT = 7 * 24 * 60 * 60 * 1_000;

/**
 * Milliseconds: from `retry-after-ms`, from `retry-after` in seconds, or as a date against the answer's own `date`. At most a
 * week, whatever a server says.
 */
export function retryAfter(headers: Headers | undefined): number | undefined {
  const wait = waitIn(headers);
  return wait === undefined ? undefined : boundedWait(wait);
}

/** Returns a wait of at most a week, in milliseconds. */
export function boundedWait(ms: number): number {
  return Math.min(ms, LONGEST_WAIT);
}

function waitIn(headers: Headers | undefined): number | undefined {
  const exact = positive(headers?.get('retry-after-ms'));
  if (exact !== undefined) return exact;
  const after = headers?.get('retry-after');
  const seconds = positive(after);
  if (seconds !== undefined) return seconds * 1_000;
  const wait = Date.parse(after ?? '') - Date.parse(headers?.get('date') ?? '');
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function positive(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}
