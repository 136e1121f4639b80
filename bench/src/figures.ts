// Small calculations on measurements.

/**
 * Returns the middle value by size, or the lower one of the two middle values of an even count.
 * @throws RangeError if there are no values.
 */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('an empty list has no median');
  return middle;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns the largest value, or `-Infinity` if there are no values. */
export function largest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

/** Returns the value below which this part of the values lies, such as 0.99. `NaN` without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
