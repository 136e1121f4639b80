// When a provider says that a call may be sent again.

/** Milliseconds: from `retry-after-ms`, from `retry-after` in seconds, or as a date against the answer's own `date`. */
export function retryAfter(headers: Headers | undefined): number | undefined {
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
